"""A model that answers only what was answered before.

In      a file of lines with `prompt_sha256` and `params` (`transcript.py`)
Out     the reply recorded for this very prompt under these very parameters
Pure    no: reads the recording
Spec    interfaces.md, "Models"; 002 replay

Only an index is held in memory; replies are read when they are asked for. Where one key was
recorded several times, the replies come in the order of the file and the last one stays. A
line without `params` answers its prompt whatever the parameters are.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Self

from assay.adapters.models.transcript import open_script, read_line
from assay.core.json.canonical import canonical
from assay.errors import InputError
from assay.protocols import Availability, ModelFault, ModelProvider, ModelReply, ModelRequest

_Key = tuple[str, bytes | None]
_Place = tuple[int, int]
"""Line number and byte offset."""


class RecordedModel:
    """Replies by prompt digest and parameters."""

    def __init__(
        self, path: Path, stream: BinaryIO, index: dict[_Key, list[_Place]], recording_sha256: str
    ) -> None:
        self._path = path
        self._stream = stream
        self._index = index
        self._identity = {
            "kind": "recorded",
            "recording_sha256": recording_sha256,
            "replies": sum(len(places) for places in index.values()),
        }

    @classmethod
    def open(cls, path: Path) -> Self:
        """Index *path*.

        Raises:
            InputError: the file cannot be read, or names the first malformed line.
        """
        stream = open_script(path)
        index: dict[_Key, list[_Place]] = {}
        hashed = sha256()
        offset = 0
        try:
            for number, raw in enumerate(stream, start=1):
                hashed.update(raw)
                line = read_line(_bare_prompt(raw, number), number, str(path))
                if line is not None:
                    if line.prompt_sha256 is None:
                        raise InputError(
                            f"{path}: line {number} has no 'prompt_sha256'",
                            hint="a recording says which prompt each reply belongs to",
                        )
                    try:
                        key = (line.prompt_sha256, _params(line.params))
                    except InputError as error:
                        raise InputError(f"{path}: line {number}: {error.message}") from error
                    index.setdefault(key, []).append((number, offset))
                offset += len(raw)
        except BaseException:
            stream.close()
            raise
        return cls(path, stream, index, "sha256:" + hashed.hexdigest())

    needs_plan = False

    @property
    def name(self) -> str:
        """`recorded:FILE`."""
        return f"recorded:{self._path}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """Digest of the recording."""
        return self._identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The reply under this prompt and these parameters."""
        exact = (request.prompt_sha256, _params(request.parameters.to_dict()))
        places = self._index.get(exact) or self._index.get((request.prompt_sha256, None))
        if not places:
            raise ModelFault(
                "exhausted",
                transient=False,
                hint="no reply is recorded for this prompt and these parameters",
            )
        number, offset = places.pop(0) if len(places) > 1 else places[0]
        self._stream.seek(offset)
        line = read_line(_bare_prompt(self._stream.readline(), number), number, str(self._path))
        if line is None:
            raise ModelFault("exhausted", transient=False, hint="the recording has changed")
        return line.answer()

    async def aclose(self) -> None:
        """Close the recording."""
        self._stream.close()


def open_recorded(name: str, *, environ: Mapping[str, str]) -> RecordedModel:  # noqa: ARG001
    """The recording at path *name*. Raises InputError."""
    return RecordedModel.open(Path(name))


def _look(environ: Mapping[str, str]) -> Availability:  # noqa: ARG001
    return Availability(usable=True, why="replies from recorded calls; no model is asked")


PROVIDER = ModelProvider(
    open=open_recorded,
    usage="recorded:FILE",
    look=_look,
    place=6,
)


def _bare_prompt(raw: bytes, number: int) -> bytes:
    return raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw


def _params(params: Mapping[str, Any] | None) -> bytes | None:
    """One key for equal parameters: 0 and 0.0 are equal, an absent seed is none."""
    return None if params is None else canonical({"seed": None, **params})
