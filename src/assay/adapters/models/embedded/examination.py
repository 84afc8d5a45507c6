"""Examine a GGUF file: what is it, does its model run here, do grammars hold it?

In      the name of a file
Out     rows of what was looked at, with a state and a hint each
Pure    no: reads the file, starts the child process, decodes a few tokens
Spec    interfaces.md, "Models" (`embedded:FILE.gguf`); `assay doctor`

A grammar that does not compile is ignored by the decoder without a word, so nothing here is
taken on trust: a reply is really decoded under a grammar, and a grammar that cannot hold must
be found out as one.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final, Literal

from assay.adapters.models.embedded.chat_template import has_thoughts
from assay.adapters.models.embedded.file_model import (
    FileModel,
    FileSettings,
    describe,
    require_library,
)
from assay.adapters.models.embedded.grammar import ANY_CONTROL, HEAD, Open, write
from assay.adapters.models.embedded.weights_file import WeightsFile, read_weights
from assay.contract.decoding.plan import DecodingPlan
from assay.errors import ModelUnavailableError
from assay.protocols import ModelFault

LIMIT_S: Final = 600.0
"""How long an examination may take before its child process is ended."""

_COLOURS: Final = ("red", "green", "blue")
_SCHEMA: Final = {
    "type": "object",
    "required": ["colour", "share"],
    "properties": {"colour": {"enum": list(_COLOURS)}, "share": {"type": "number"}},
}
_TEXT: Final = "The quick brown fox jumps over the lazy dog. " * 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """One thing looked at."""

    what: str
    state: Literal["ok", "warning", "broken"]
    detail: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """All that was looked at."""

    facts: Mapping[str, Any]
    """What the file says of its model, its digest among it."""

    sights: tuple[Sight, ...]

    use: str
    """What to write to have it answer."""

    @property
    def fit(self) -> bool:
        """Whether nothing is broken."""
        return all(sight.state != "broken" for sight in self.sights)


def examine_file(name: str, environ: Mapping[str, str]) -> Examination:
    """Examine the file *name*; its digest is computed anew.

    Raises:
        InputError: there is no such file, or it holds no language model.
        UsageError: a setting is wrong.
    """
    settings = FileSettings.from_environment(environ)
    weights = read_weights(name, environ, anew=True)
    sights = list(_read_header(weights))
    try:
        require_library()
    except ModelUnavailableError as error:
        sights.append(Sight(what="engine", state="broken", detail=str(error), hint=error.hint))
    else:
        model = FileModel(name, weights, settings)
        sights += _describe_use(model)
        memory = _memory_bytes()
        if memory is not None and weights.size_bytes > memory:
            detail = f"{_size(weights.size_bytes)} do not fit into {_size(memory)} of memory"
            sights.append(
                Sight(what="loads", state="broken", detail=detail, hint="take a smaller one")
            )
        else:
            sights += _run(model)
    return Examination(
        facts=describe(weights), sights=tuple(sights), use=f"--model embedded:{name}"
    )


def _read_header(weights: WeightsFile) -> Iterator[Sight]:
    facts = describe(weights)
    header = weights.header
    parts = (
        facts["language_model"],
        f"architecture {facts['architecture']}",
        f"{header.parameters / 1e6:,.0f} million parameters",
        f"{facts['quantisation']}, {_size(weights.size_bytes)}",
    )
    yield Sight(what="model", state="ok", detail=", ".join(parts))
    yield Sight(what="digest", state="ok", detail=weights.sha256)
    yield Sight(what="licence", state="ok", detail=facts["licence"])
    if header.chat_template is None:
        detail = "none: a base model; it gets each prompt as it stands"
        hint = "a model tuned for conversation follows instructions better"
        yield Sight(what="chat template", state="warning", detail=detail, hint=hint)
    else:
        thinks = "; it would think first and is not given the room" * has_thoughts(
            header.chat_template
        )
        yield Sight(
            what="chat template", state="ok", detail=f"{facts['template_sha256'][:23]}…{thinks}"
        )


def _describe_use(model: FileModel) -> Iterator[Sight]:
    identity = model.identity
    trained = identity["trained_context_tokens"] or "not said"
    yield Sight(
        what="context",
        state="ok",
        detail=f"{identity['context_tokens']} tokens used; trained for {trained}",
        hint="" if identity["context_tokens"] == trained else "ASSAY_EMBEDDED_CONTEXT sets it",
    )
    engine = f"{identity['library']} {identity['library_version']}"
    yield Sight(what="engine", state="ok", detail=engine)


def _run(model: FileModel) -> Iterator[Sight]:
    """Load the model and have it write; one row for each, up to the first that fails."""
    limit = threading.Timer(LIMIT_S, model.child.kill)
    limit.daemon = True
    limit.start()
    what = "loads"
    try:
        start = perf_counter()
        model.child.ask({"op": "check", "grammar": f'{HEAD}start: "a"\n'})
        yield Sight(what=what, state="ok", detail=f"in {perf_counter() - start:.1f} s")
        what = "speed"
        yield _measure_speed(model)
        what = "chat template, tried"
        yield _try_template(model)
        what = "grammars"
        yield _try_grammars(model)
    except ModelFault as fault:
        died = fault.kind == "crash" or what == "loads"
        yield Sight(
            what=what,
            state="broken",
            detail="the engine cannot load or run this model" if died else fault.kind,
            hint="try another file of this model" if died else fault.hint,
        )
    finally:
        limit.cancel()
        model.child.close()


def _measure_speed(model: FileModel) -> Sight:
    asked = {"op": "speed", "context": {"text": _TEXT}, "max_tokens": 24}
    done = model.child.ask(asked)
    read = done["read_tokens"] / max(done["read_s"], 1e-9)
    written = done["written_tokens"] / max(done["written_s"], 1e-9)
    detail = f"about {read:.0f} tokens/s in, {written:.0f} out"
    return Sight(what="speed", state="ok", detail=detail)


def _try_template(model: FileModel) -> Sight:
    """Render a system and a user message, and have a token written after them."""
    if model.weights.header.chat_template is None:
        return Sight(what="chat template, tried", state="ok", detail="there is none")
    messages = [
        {"role": "system", "content": "Answer in one word."},
        {"role": "user", "content": "Which colour has the sky?"},
    ]
    done = model.child.ask(_completion({"messages": messages}, "", most=1))
    return Sight(what="chat template, tried", state="ok", detail=f"roles: {done['facts']['roles']}")


def _try_grammars(model: FileModel) -> Sight:
    """Decode an object under a grammar, twice; and see a useless grammar found out."""
    plan = DecodingPlan(schema=_SCHEMA, scores=("/share",))
    grammar = write(Open(schema=_SCHEMA, at=""), plan, ANY_CONTROL).grammar
    context = model.prompt_context("Name a colour, as a JSON object.")
    replies = {model.child.ask(_completion(context, grammar, most=64))["text"] for _ in range(2)}
    checked = [
        model.child.ask({"op": "check", "grammar": each})["constrains"]
        for each in (grammar, f"{HEAD}start: nothing that is one ]\n")
    ]
    if checked == [True, False] and len(replies) == 1 and _conforms(*replies):
        return Sight(what="grammars", state="ok", detail="hold: a reply was decoded under one")
    return Sight(
        what="grammars",
        state="broken",
        detail="do not hold: the reply left its grammar, or a useless one was not noticed",
        hint="this model cannot be held to a contract here; take another file",
    )


def _completion(context: Mapping[str, Any], grammar: str, *, most: int) -> dict[str, Any]:
    return {
        **{"op": "complete", "context": context, "grammar": grammar},
        **{"max_tokens": most, "temperature": 0.0, "seed": 0},
    }


def _conforms(text: str) -> bool:
    try:
        output = json.loads(text)
        return bool(
            output["colour"] in _COLOURS
            and isinstance(output["share"], float)
            and 0 <= output["share"] <= 1
            and len(output) == 2
        )
    except (ValueError, TypeError, LookupError):
        return False


def _memory_bytes() -> int | None:
    """Of the machine; None where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
