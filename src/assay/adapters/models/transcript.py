"""One line of a script or of a recording: read strictly, written exactly.

In      JSON Lines: `{"text", "finish_reason", "usage"}` or `{"error"}`; of a recording also
        `{"prompt_sha256", "params"}`
Out     Line, which answers as a model would; bytes of a line
Pure    no: opens files
Spec    interfaces.md, "Models"

Beside the pinned keys a line may have `text_base64` (a reply that is no UTF-8),
`retry_after_s` (what a server would ask for) and `model` (the name it would report). With
`"stream": true` the text arrives word by word, with `"pieces": ["…", "…"]` instead of a text
piece by piece: whoever listens hears each one and may stop the exchange, which then ends with the
finish reason `assay_stopped` and without usage. `pieces` beside an `error` are what arrived
before the fault. A recording is never streamed.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from asyncio import sleep
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO, Final

from assay.errors import InputError
from assay.gate.prefix import STOPPED
from assay.protocols import Listener, ModelFault, ModelReply

FAULTS: Final[Mapping[str, bool]] = {
    "timeout": True,
    "rate_limit": True,
    "server": True,
    "crash": True,
    "bad_request": False,
    "auth": False,
    "exhausted": False,
}
"""What `error` may say, and whether a retry can help."""

_KEYS: Final = (
    "text",
    "text_base64",
    "finish_reason",
    "usage",
    "error",
    "retry_after_s",
    "model",
    "prompt_sha256",
    "params",
    "stream",
    "pieces",
)
_WORDS = re.compile(r"\s*\S+|\s+$")
_IN = ("input_tokens", "prompt_tokens")
_OUT = ("output_tokens", "completion_tokens")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a script, checked."""

    number: int
    """From 1, as an editor counts."""

    text: str | bytes | None
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    error: str | None
    retry_after_s: float | None
    model: str
    prompt_sha256: str | None
    params: Mapping[str, Any] | None
    pieces: tuple[str, ...] = ()
    """How the reply arrives; none when it comes at once."""

    async def arrive(self, listener: Listener | None) -> ModelReply:
        """The reply, heard by *listener* where it comes in pieces. Raises ModelFault."""
        if listener is None or not self.pieces:
            return self.answer()
        listener.begin()
        heard = ""
        for piece in self.pieces:
            await sleep(0)  # as a network would, so that a deadline or ctrl-C gets its turn
            heard += piece
            if listener.hear(piece):
                return replace(
                    self.answer(),
                    text=heard,
                    finish_reason=STOPPED,
                    input_tokens=None,
                    output_tokens=None,
                )
        return self.answer()

    def answer(self) -> ModelReply:
        """The reply of this line. Raises ModelFault where the line is one."""
        if self.error is not None:
            raise ModelFault(
                self.error,  # type: ignore[arg-type]  # read_line let only FAULTS through
                transient=FAULTS[self.error],
                retry_after_s=self.retry_after_s,
                hint=f"the script says so in line {self.number}",
            )
        return ModelReply(
            text="" if self.text is None else self.text,
            finish_reason=self.finish_reason,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            model=self.model,
            details={"line": self.number},
        )


def read_line(raw: bytes, number: int, file: str) -> Line | None:
    """Check one line; None for a blank one.

    Raises:
        InputError: names file and line, and what is wrong; never the text of the reply.
    """
    if not raw.strip():
        return None
    try:
        entry = json.loads(raw.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _fault(file, number, "is no JSON") from error
    if not isinstance(entry, dict):
        raise _fault(file, number, "is no JSON object")
    for name in sorted(entry.keys() - _KEYS):  # other keys are notes to the reader
        near = get_close_matches(name, _KEYS, n=1, cutoff=0.8)
        if near:
            raise _fault(file, number, f"has a key close to, but not, {near[0]!r}")
    pieces = _pieces(entry, number, file)
    text = _text(entry, number, file)
    if pieces is not None and text is not None:
        raise _fault(file, number, "has both a text and 'pieces'")
    if pieces is not None and entry.get("error") is None:
        text = "".join(pieces)
    elif entry.get("stream") and isinstance(text, str):
        pieces = _WORDS.findall(text)
    error_kind = entry.get("error")
    if error_kind is None and text is None:
        raise _fault(file, number, "has neither 'text' nor 'error'")
    if error_kind is not None and text is not None:
        raise _fault(file, number, "has both a text and an 'error'")
    if error_kind is not None and (not isinstance(error_kind, str) or error_kind not in FAULTS):
        raise _fault(file, number, f"has an unknown 'error'; known: {', '.join(FAULTS)}")
    usage = entry.get("usage")
    if usage is not None and not isinstance(usage, dict):
        raise _fault(file, number, "has a 'usage' that is no object")
    params = entry.get("params")
    if params is not None and not isinstance(params, dict):
        raise _fault(file, number, "has 'params' that are no object")
    wait = entry.get("retry_after_s")
    if wait is not None and (type(wait) not in (int, float) or not 0 <= wait < 1e9):
        raise _fault(file, number, "has a 'retry_after_s' that is no number of seconds")
    return Line(
        number=number,
        text=text,
        finish_reason=_string(entry, "finish_reason", number, file),
        input_tokens=_count(usage or {}, _IN, number, file),
        output_tokens=_count(usage or {}, _OUT, number, file),
        error=error_kind,
        retry_after_s=wait,
        model=_string(entry, "model", number, file) or "",
        prompt_sha256=_string(entry, "prompt_sha256", number, file),
        params=params,
        pieces=tuple(pieces or ()),
    )


def _pieces(entry: Mapping[str, Any], number: int, file: str) -> list[str] | None:
    pieces = entry.get("pieces")
    if not isinstance(entry.get("stream", False), bool):
        raise _fault(file, number, "has a 'stream' that is neither true nor false")
    if pieces is None or (isinstance(pieces, list) and all(isinstance(p, str) for p in pieces)):
        return pieces
    raise _fault(file, number, "has 'pieces' that are no list of strings")


def _text(entry: Mapping[str, Any], number: int, file: str) -> str | bytes | None:
    """A text that holds a lone surrogate, or that is written in base64, is given as bytes."""
    text = _string(entry, "text", number, file)
    encoded = _string(entry, "text_base64", number, file)
    if text is not None and encoded is not None:
        raise _fault(file, number, "has both 'text' and 'text_base64'")
    if encoded is not None:
        try:
            return base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError) as error:
            raise _fault(file, number, "has a 'text_base64' that is no base64") from error
    if text is None:
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def _string(entry: Mapping[str, Any], name: str, number: int, file: str) -> str | None:
    value = entry.get(name)
    if value is not None and not isinstance(value, str):
        raise _fault(file, number, f"has a {name!r} that is no string")
    return value


def _count(usage: Mapping[str, Any], names: tuple[str, ...], number: int, file: str) -> int | None:
    for name in names:
        value = usage.get(name)
        if value is None:
            continue
        if type(value) is not int or value < 0:
            raise _fault(file, number, f"has a usage {name!r} that is no count")
        return value
    return None


def _no_constant(_: str) -> Any:
    raise ValueError("NaN and Infinity are no JSON")


def _fault(file: str, number: int, what: str) -> InputError:
    return InputError(
        f"{file}: line {number} {what}",
        hint='each line is {"text": "…", "finish_reason": "stop", "usage": {…}} or {"error": …}',
    )


def read_lines(stream: BinaryIO, file: str) -> Iterator[Line]:
    """The lines of an open script; a byte order mark at the start is skipped."""
    for number, raw in enumerate(stream, start=1):
        line = read_line(raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw, number, file)
        if line is not None:
            yield line


def open_script(path: Path) -> BinaryIO:
    """Raises InputError when the file is missing, a folder, or not readable."""
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or 'unknown reason'})",
            hint="name a JSON Lines file after the colon",
        ) from error


def recorded_line(*, prompt_sha256: str, params: Mapping[str, Any], reply: ModelReply) -> bytes:
    """One line of a file for `recorded:`, with its line end.

    Example:
        >>> reply = ModelReply(text="{}", finish_reason="stop", input_tokens=3)
        >>> recorded_line(prompt_sha256="sha256:00", params={"seed": None}, reply=reply)
        b'{"prompt_sha256": "sha256:00", "params": {"seed": null}, "text": "{}", \
"finish_reason": "stop", "usage": {"input_tokens": 3, "output_tokens": null}}\\n'
    """
    raw = reply.text
    if isinstance(raw, str):
        raw = raw.encode("utf-8", "surrogatepass")
    try:
        text = {"text": raw.decode("utf-8")}
    except UnicodeDecodeError:
        text = {"text_base64": base64.b64encode(raw).decode("ascii")}
    entry = {
        "prompt_sha256": prompt_sha256,
        "params": dict(params),
        **text,
        "finish_reason": reply.finish_reason,
        "usage": {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens},
        **({"model": reply.model} if reply.model else {}),
    }
    return json.dumps(entry, ensure_ascii=False).encode("utf-8") + b"\n"
