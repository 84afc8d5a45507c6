"""The language model of a GGUF file on this machine, held to what the contract allows.

In      the name of a file; ModelRequest, with or without a DecodingPlan
Out     with a plan: a reply that conforms to it; without one: plain completion
Pure    no: a child process with the weights; equal requests give equal bytes all the same
Spec    interfaces.md, "Models" (`embedded:FILE.gguf`)

The prompt goes through the model's own chat template in the roles of the request; a model
without one gets the prompt as it stands. Both are on record (`template_sha256` in the identity,
`rendered_sha256` in the details). Control tokens come from the template alone: whatever a text
looks like, it is text. A model that would think before it answers is not given the room to.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata, util
from typing import Any, Final

from assay.adapters.models.embedded.child import LIBRARY, EmbeddedChild, thread_count
from assay.adapters.models.embedded.grammar import ANY_CONTROL
from assay.adapters.models.embedded.reply import Reply, Way, reply
from assay.adapters.models.embedded.trace import Trace
from assay.adapters.models.embedded.weights_file import WeightsFile, read_weights
from assay.adapters.models.extractive.lexicon import Lexicons
from assay.core.json.canonical import digest
from assay.errors import ModelUnavailableError, UsageError
from assay.protocols import ModelFault, ModelReply, ModelRequest

VERSION: Final = 2
"""Counts up whenever equal requests may get other replies."""

INSTALL: Final = 'pip install "assay[embedded]"'
WORKER: Final = "assay.adapters.models.embedded.file_worker"

CONTEXT_TOKENS: Final = 8192
"""Most that is made room for unless somebody asks for more: memory grows with it."""

UNKNOWN_CONTEXT_TOKENS: Final = 2048
"""For files that do not say what their model was trained for."""

FOLLOWS_FROM: Final = 1_000_000_000
"""Models with a chat template and at least as many parameters are asked for every set of labels
and answer in their own words; all others are asked only for labels that have to be named, and
choose among the sentences of the evidence. Where it is drawn is chosen: no larger model was at
hand (decision 0043)."""

VARIABLES: Final = {
    "ASSAY_EMBEDDED_CONTEXT": "Tokens that `embedded:FILE.gguf` makes room for: memory grows with "
    f"them; unset, what the model was trained for, {CONTEXT_TOKENS} at most.",
    "ASSAY_EMBEDDED_THREADS": "Threads of `embedded:FILE.gguf`.",
    "XDG_CACHE_HOME": "Where digests of large model files are kept, instead of `.cache` in the "
    "user's folder.",
}
"""What is read from the environment for models of files, for the page on settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSettings:
    """How the model of a file is run."""

    context_tokens: int | None = None
    """None: what the model was trained for, CONTEXT_TOKENS at most."""

    threads: int | None = None
    """None: half of the processors. No influence on what comes out."""

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> FileSettings:
        """Raises UsageError that names the variable which is wrong."""
        return cls(
            context_tokens=_number(environ, "ASSAY_EMBEDDED_CONTEXT", 256, 1 << 22),
            threads=_number(environ, "ASSAY_EMBEDDED_THREADS", 1, 1024),
        )


class FileModel:
    """The model. Equal requests get equal bytes, in this process and in any other."""

    needs_plan = True

    def __init__(self, given: str, weights: WeightsFile, settings: FileSettings) -> None:
        self._given = given
        self._weights = weights
        self._context_tokens = context_tokens(weights, settings)
        arguments = (
            str(weights.path),
            str(settings.threads or thread_count()),
            str(self._context_tokens),
        )
        self._child = EmbeddedChild(WORKER, *arguments, vouch=self._vouch, first_failure="setup")
        self._known: dict[str, dict[str, Any]] = {}
        self._lexicons = Lexicons()
        self._turn = threading.Lock()
        self._way = Way(
            context=self._prompt,
            question=self.prompt_context,
            follows=weights.header.parameters >= FOLLOWS_FROM
            and weights.header.chat_template is not None,
            control=ANY_CONTROL,
        )

    @property
    def name(self) -> str:
        """`embedded:FILE.gguf`, as it was given."""
        return f"embedded:{self._given}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """What fixes the replies; the file is named by what is in it, not by where it lies."""
        return {
            **describe(self._weights),
            "context_tokens": self._context_tokens,
            "library": LIBRARY,
            "library_version": metadata.version(LIBRARY),
            "prompt_cache": "within one operation only",
            "parallel_sequences": 1,
            "control_strings": "read as plain text",
            "version": VERSION,
        }

    @property
    def weights(self) -> WeightsFile:
        return self._weights

    @property
    def child(self) -> EmbeddedChild:
        """The process that does the work."""
        return self._child

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer; one request at a time.

        Raises:
            ModelFault: `too_large` when the prompt and what is allowed for the answer are over
                the model's context, `bad_request` when no grammar can be made for the plan,
                `setup` when the file cannot be loaded, changed, or has a broken chat template,
                `crash` when the child died.
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
            model=self._given,
            details={
                "method": made.method,
                "evaluated_sha256": made.evaluated_sha256,
                "operations": made.operations,
                "prompt_read": made.prompt_read,
                **made.facts,
            },
        )

    async def aclose(self) -> None:
        """End the child process."""
        await asyncio.to_thread(self._child.close)

    def _reply(self, request: ModelRequest) -> Reply:
        with self._turn:
            trace = Trace(ask=self._child.ask, known=self._known)
            return reply(request, trace, self._lexicons.find, self._way)

    def _prompt(self, request: ModelRequest) -> Mapping[str, Any]:
        if self._weights.header.chat_template is None:
            return {"text": request.prompt}
        if not request.parts:
            return self.prompt_context(request.prompt)
        messages = [
            {"role": part.role, "content": request.prompt[part.start : part.stop]}
            for part in request.parts
        ]
        return {"messages": messages}

    def prompt_context(self, text: str) -> Mapping[str, Any]:
        """*text* as the user's only message, as the worker takes it."""
        if self._weights.header.chat_template is None:
            return {"text": text}
        return {"messages": [{"role": "user", "content": text}]}

    def _vouch(self) -> None:
        """Raises ModelFault when the file is no longer the one that the identity names."""
        if not self._weights.is_unchanged():
            raise ModelFault("setup", transient=False, hint="the weights file changed; start again")


def open_file(name: str, *, environ: Mapping[str, str]) -> FileModel:
    """The model of the GGUF file *name*. The child process starts with the first call.

    Raises:
        InputError: there is no such file, or it holds no language model.
        UsageError: a setting is wrong.
        ModelUnavailableError: the extra is not installed.
    """
    settings = FileSettings.from_environment(environ)
    weights = read_weights(name, environ)
    require_library()
    return FileModel(name, weights, settings)


def require_library() -> None:
    """Raises ModelUnavailableError when what runs the models is not installed."""
    for package in (LIBRARY, "jinja2"):
        if util.find_spec(package) is None:
            raise ModelUnavailableError(f"package {package!r} is not installed", hint=INSTALL)


def describe(weights: WeightsFile) -> dict[str, Any]:
    """The facts of a file; foreign texts are cut to a line."""
    header = weights.header
    template = header.chat_template
    return {
        "kind": "language_model",
        "language_model": _line(header.name) or "unnamed",
        "architecture": _line(header.architecture),
        "quantisation": header.quantisation or "unknown",
        "parameters": header.parameters,
        "licence": _line(header.licence) or "unknown",
        "weights_sha256": weights.sha256,
        "weights_bytes": weights.size_bytes,
        "trained_context_tokens": header.context_tokens or None,
        "template_sha256": None if template is None else digest(template),
    }


def context_tokens(weights: WeightsFile, settings: FileSettings) -> int:
    """How many model tokens prompt and answer may have together."""
    trained = weights.header.context_tokens or UNKNOWN_CONTEXT_TOKENS
    return min(trained, settings.context_tokens or CONTEXT_TOKENS)


def _number(environ: Mapping[str, str], variable: str, least: int, most: int) -> int | None:
    text = environ.get(variable)
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or not least <= int(text[:12]) <= most:
        raise UsageError(f"{variable} is wrong", hint=f"write a number from {least} to {most}")
    return int(text)


def _line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text[:80]).strip()
