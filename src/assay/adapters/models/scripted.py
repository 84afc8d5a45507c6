"""A model that says what a file tells it to say, line by line.

In      a file of lines (`transcript.py`)
Out     ModelReply or ModelFault, one line for each request, retries included
Pure    no: reads the script as it goes, appends to the log
Spec    interfaces.md, "Models"; 000 "Retry policy"

The whole script is checked when it is opened, so that a broken line 900 is named before
line 1 is used; the replies themselves are read one at a time, so a long script needs no
memory. A line that arrives in pieces (`"stream": true`, `"pieces"`) is heard by the listener of
the request, which may stop it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Self

from assay.adapters.models.transcript import open_script, read_lines
from assay.errors import InputError
from assay.protocols import (
    Availability,
    Model,
    ModelFault,
    ModelProvider,
    ModelReply,
    ModelRequest,
    can_converse,
    is_over_network,
)


class ScriptedModel:
    """Replies from a file, in order, each once."""

    def __init__(self, path: Path, stream: BinaryIO, script_sha256: str, lines: int) -> None:
        self._name = f"scripted:{path}"
        self._stream = stream
        self._replies = read_lines(stream, str(path))
        self._identity = {"kind": "scripted", "script_sha256": script_sha256, "lines": lines}

    @classmethod
    def open(cls, path: Path) -> Self:
        """Check every line of *path*, then stand at the first.

        Raises:
            InputError: the file cannot be read, or names the first malformed line.
        """
        stream = open_script(path)
        try:
            if not stream.seekable():
                raise InputError(
                    f"{path}: is no regular file", hint="a script is read twice; save it first"
                )
            lines = sum(1 for _ in read_lines(stream, str(path)))
            stream.seek(0)
            hashed = sha256()
            while block := stream.read(1 << 20):
                hashed.update(block)
            stream.seek(0)
        except BaseException:
            stream.close()
            raise
        return cls(path, stream, "sha256:" + hashed.hexdigest(), lines)

    needs_plan = False

    @property
    def name(self) -> str:
        """`scripted:FILE`."""
        return self._name

    @property
    def identity(self) -> Mapping[str, Any]:
        """Digest of the script, so that equal records come from equal scripts."""
        return self._identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The next line, whatever was asked; in pieces where the line says so."""
        line = next(self._replies, None)
        if line is None:
            raise ModelFault(
                "exhausted", transient=False, hint="the script has run out; add lines to it"
            )
        return await line.arrive(request.listener)

    async def aclose(self) -> None:
        """Close the script."""
        self._replies = iter(())
        self._stream.close()


def open_scripted(name: str, *, environ: Mapping[str, str]) -> ScriptedModel:  # noqa: ARG001
    """The script at path *name*. Raises InputError."""
    return ScriptedModel.open(Path(name))


def _look(environ: Mapping[str, str]) -> Availability:  # noqa: ARG001
    return Availability(usable=True, why="replies from a script, in order; no model is asked")


PROVIDER = ModelProvider(
    open=open_scripted,
    usage="scripted:FILE",
    look=_look,
    place=5,
)


class Logged:
    """Any model, with every request written down before it is sent."""

    def __init__(self, model: Model, log: BinaryIO, path: Path) -> None:
        self._model = model
        self._log = log
        self._path = path

    @property
    def needs_plan(self) -> bool:
        """That of the model behind it."""
        return self._model.needs_plan

    @property
    def network(self) -> bool:
        """That of the model behind it."""
        return is_over_network(self._model)

    @property
    def converses(self) -> bool:
        """That of the model behind it."""
        return can_converse(self._model)

    @property
    def name(self) -> str:
        """That of the model behind it."""
        return self._model.name

    @property
    def identity(self) -> Mapping[str, Any]:
        """That of the model behind it: a log changes no answer."""
        return self._model.identity

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Write `{"prompt", "prompt_sha256", "params"}`, then ask; `parts` where there are some."""
        entry: dict[str, Any] = {
            "prompt": request.prompt,
            "prompt_sha256": request.prompt_sha256,
            "params": request.parameters.to_dict(),
        }
        if request.parts:
            entry["parts"] = [part.to_dict() for part in request.parts]
        try:
            self._log.write(json.dumps(entry, ensure_ascii=False).encode("utf-8") + b"\n")
            self._log.flush()
        except OSError as error:
            raise _log_unwritable(self._path, error) from error
        return await self._model.complete(request)

    async def aclose(self) -> None:
        """Close the log and the model."""
        self._log.close()
        await self._model.aclose()


def open_log(path: Path) -> BinaryIO:
    """Open *path* for appending; it is created where it is missing.

    Raises:
        InputError: the file cannot be written.
    """
    try:
        return path.open("ab")
    except OSError as error:
        raise _log_unwritable(path, error) from error


def _log_unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        f"{path}: the script log cannot be written ({error.strerror or 'unknown reason'})",
        hint="name a file in a folder that exists and may be written",
    )
