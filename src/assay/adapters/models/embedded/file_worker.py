"""The child process in which the language model of a GGUF file runs.

In      one JSON object a line on standard input
Out     one JSON object a line on standard output, in the same order
Pure    no: loads the weights; ends when its input ends, whatever it is doing
Spec    interfaces.md, "Models" (`embedded:FILE.gguf`)

As `worker.py`, for any model: contexts are a text as it stands or `messages` that go through
the model's own chat template, here where a template that never ends or eats all memory harms
nobody. Control tokens come from the template alone. One operation more:

| op      | takes                 | gives                                        |
|---------|-----------------------|----------------------------------------------|
| `speed` | `context`, `max_tokens` | tokens read and written, and the seconds taken |
"""

from __future__ import annotations

import contextlib
import re
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from assay.adapters.models.embedded.chat_template import (
    ChatTemplateError,
    Piece,
    render_pieces,
    without_thought,
)
from assay.adapters.models.embedded.gguf import HEADER_BYTES, Header, read_header
from assay.adapters.models.embedded.worker import (
    RefusedError,
    TooLongError,
    Worker,
    serve,
)

_RENDER_S: Final = 5
_RENDER_BYTES: Final = 512 << 20
"""What rendering a template may take of time and memory."""


class FileWorker(Worker):
    """The loaded model of a file."""

    def __init__(self, weights: str, threads: int, context_tokens: int) -> None:
        path = Path(weights)
        with path.open("rb") as file:
            self._header: Header = read_header(file.read(HEADER_BYTES), path.stat().st_size)
        # The engine must not read the file's own template: some make it abort.
        super().__init__(weights, threads, context_tokens, chat_template="chatml")
        longest_first = sorted(self._header.special, key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
        joined = [text for text in self._header.joined if text[0] in "<["]
        self._joined = re.compile("|".join(map(re.escape, joined)) or r"(?!)")
        bare, begun = self._tokens("a"), self._tokens("a", begin=True)
        self._begin = begun[: len(begun) - len(bare)] if begun[-len(bare) :] == bare else []
        self._start = self._begin or bare
        self._facts: dict[str, Any] = {}
        self._banned: list[int] = []

    def answer(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """As the worker of `embedded`, with what is to be recorded of a rendered prompt."""
        self._facts = {}
        done = super().answer(asked)
        return {**done, "facts": self._facts} if self._facts and "fault" not in done else done

    def _complete(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        context = self._context(asked["context"])
        needed = len(context) + asked["max_tokens"]
        if needed > self._context_tokens:
            raise TooLongError(
                f"{len(context)} model tokens and {asked['max_tokens']} for the answer are over "
                f"its {self._context_tokens}"
            )
        # Marks of thoughts may be control tokens, of which no trace would be left in the text.
        self._banned = [] if asked.get("grammar") else list(self._header.thoughts)
        try:
            done = super()._complete({**asked, "context": {"tokens": context}})
        finally:
            self._banned = []
        said = done["text"] if asked.get("grammar") else without_thought(done["text"])
        if said != done["text"]:
            self._facts["thought_chars"] = len(done["text"]) - len(said)
        return {**done, "text": said}

    def _run(self, context: list[int], *, keep: bool, **options: Any) -> dict[str, Any]:
        if self._banned:
            options["logit_bias"] = [[number, False] for number in self._banned]
        return super()._run(context, keep=keep, **options)

    def _other(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        if asked["op"] != "speed":
            return super()._other(asked)
        context = self._context(asked["context"])
        start = perf_counter()
        self._run(context, keep=False, max_tokens=1)
        read = perf_counter()
        written = self._run(context, keep=True, max_tokens=asked["max_tokens"], ignore_eos=True)
        return {
            "read_tokens": len(context),
            "read_s": read - start,
            "written_tokens": written["written"],
            "written_s": perf_counter() - read,
        }

    def _context(self, parts: Mapping[str, Any]) -> list[int]:
        if "tokens" in parts:
            return list(parts["tokens"])
        if "messages" not in parts:
            return [*self._begin, *self._plain_tokens([Piece(text=parts["text"], foreign=True)])]
        pieces, roles = self._render(parts["messages"])
        tokens = self._piece_tokens(pieces)
        if self._begin and tokens[: len(self._begin)] != self._begin:
            tokens = [*self._begin, *tokens]
        text = "".join(piece.text for piece in pieces)
        self._facts |= {
            "rendered_sha256": f"sha256:{sha256(text.encode('utf-8')).hexdigest()}",
            "context_tokens": len(tokens),
            "roles": roles,
        }
        return tokens

    def _render(self, messages: Sequence[Mapping[str, str]]) -> tuple[list[Piece], str]:
        """The pieces, and which roles they are in; without a system role, one user message."""
        apart = [each for each in messages if each["content"]]
        whole = [{"role": "user", "content": "\n\n".join(each["content"] for each in apart)}]
        try:
            with bounded_rendering():
                try:
                    roles = ", ".join(each["role"] for each in apart)
                    return self._pieces(apart or whole), roles or "user"
                except ChatTemplateError:
                    if len(apart) < 2:
                        raise
                    return self._pieces(whole), "user, for want of others"
        except (ChatTemplateError, MemoryError) as error:
            why = str(error) or "it takes too much memory"
            raise RefusedError(
                "setup", f"the chat template of this file cannot be used: {why}"
            ) from error

    def _pieces(self, messages: Sequence[Mapping[str, str]]) -> list[Piece]:
        return render_pieces(
            self._header.chat_template or "",
            messages,
            bos_token=self._header.bos,
            eos_token=self._header.eos,
        )

    def _piece_tokens(self, pieces: Sequence[Piece]) -> list[int]:
        """Control tokens where the template writes them; all between two of them is one text."""
        tokens: list[int] = []
        plain: list[Piece] = []
        for piece in pieces:
            if piece.foreign:
                plain.append(piece)
                continue
            at = 0
            for found in self._special.finditer(piece.text):
                plain.append(Piece(text=piece.text[at : found.start()], foreign=False))
                tokens += [*self._plain_tokens(plain), self._header.special[found[0]]]
                plain, at = [], found.end()
            plain.append(Piece(text=piece.text[at:], foreign=False))
        return [*tokens, *self._plain_tokens(plain)]

    def _plain_tokens(self, pieces: Sequence[Piece]) -> list[int]:
        """Tokens of a text in which nothing is a control token.

        What a tokenizer joins by itself (`<think>` of some models) is cut where it is foreign.
        """
        tokens: list[int] = []
        begun = ""
        for piece in pieces:
            at = 0
            for found in self._joined.finditer(piece.text) if piece.foreign else ():
                tokens += self._tokens(begun + piece.text[at : found.start() + 1])
                begun, at = "", found.start() + 1
            begun += piece.text[at:]
        return [*tokens, *self._tokens(begun)]


@contextlib.contextmanager
def bounded_rendering() -> Iterator[None]:
    """Bound time and memory of what runs inside, where the system can do that.

    Raises:
        ChatTemplateError: it took too long.
    """
    try:
        import resource
    except ImportError:  # Windows: whoever waits for this process ends it
        yield
        return

    def stop(*_: Any) -> None:
        raise ChatTemplateError("it does not end")

    limits = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _RENDER_S)
    try:
        with contextlib.suppress(OSError, ValueError):
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + _RENDER_BYTES
            hard = limits[1]
            if hard in (resource.RLIM_INFINITY,) or most < hard:
                resource.setrlimit(resource.RLIMIT_AS, (most, hard))
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def main(weights: str, threads: str, context_tokens: str) -> None:
    """The child of `embedded:FILE.gguf`."""
    serve(lambda: FileWorker(weights, int(threads), int(context_tokens)))


if __name__ == "__main__":
    main(*sys.argv[1:])
