"""What a contract that was written as a class says, as JSON: sealed, recorded, read again.

In      a class, its prompt, label sets and limits; or the document on record
Out     DeclaredClass: the document, its digest, and what a Contract is made of
Pure    yes
Spec    007-C1, 007-C5; interfaces.md, "Python"

A contract of a pack is read again from the pack. One that was a class has no files: the document
stands on record beside each prompt, so that a call can be replayed where the class is not at hand.
Code does not stand in it, only its digest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel

from assay.contract.budget import Attempt, Budget
from assay.contract.classes.class_rule import ClassRule
from assay.contract.classes.code import code_of
from assay.contract.classes.read import class_document, compile_document
from assay.core.json.canonical import digest_json
from assay.core.json.schema import Schema
from assay.errors import AssayError, ContractClassError, UsageError
from assay.gate.gate import Check
from assay.gate.labels import LabelSet
from assay.gate.marked import (
    FORMAT,
    LABELS,
    MarkedPlaces,
    broken_default,
    is_marked,
    marked_names,
)
from assay.templates.template import TemplateVersion, make_template

PACK: Final = "python"
"""The pack that contracts of classes are recorded under; its name is not free for others."""

SCHEMA_PLACE: Final = "{{schema}}"
ASK_FOR_JSON: Final = (
    "\n\nAnswer with one JSON object that fits this JSON Schema, and with nothing else:\n"
    f"{SCHEMA_PLACE}\n"
)
"""What a prompt ends in that does not place the schema itself."""

LADDER: Final = (Attempt(), Attempt(temperature=0.0, shorten=True))
LIMITS: Final = Budget(max_input_tokens=8000, max_output_tokens=2000)

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,119}")
Labels = Mapping[str, Mapping[str, str] | Sequence[str]]
"""Set -> its labels, or label -> what a model is told about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredClass:
    """A class with everything that decides what it asks and accepts."""

    document: Mapping[str, Any]
    """JSON, as it is recorded; the digest is over all of it."""

    model: type[BaseModel] | None
    """None when it was read from the record and the class is not at hand."""

    schema: Schema
    label_sets: Mapping[str, LabelSet]
    template: TemplateVersion | None

    @property
    def digest(self) -> str:
        return digest_json(self.document)

    @property
    def is_whole(self) -> bool:
        """Whether all that judges is at hand: the class is, or it is all schema."""
        if self.model is not None:
            return True
        return not self.document["code"] and not is_marked(self.document["schema"], FORMAT)

    def checks(self, patience_s: float) -> tuple[Check, ...]:
        """What an output is put to after the schema."""
        marked = MarkedPlaces(document=self.document["schema"], label_sets=self.label_sets)
        if self.model is None:
            return (marked,)
        return (
            marked,
            ClassRule(
                model=self.model, code=code_of(self.model), marked=marked, patience_s=patience_s
            ),
        )


def declare(
    model: type[BaseModel],
    *,
    name: str | None,
    version: str,
    prompt: str | None,
    labels: Labels,
    attempts: Sequence[Attempt] = LADDER,
    budget: Budget = LIMITS,
    models: Sequence[str] = ("*",),
    send: Literal["text", "redacted"] = "text",
    system_inputs: Sequence[str] = (),
) -> DeclaredClass:
    """Read *model* as a contract.

    Raises:
        ContractClassError: the class cannot be a contract, or names a label set that is not given.
        TemplateError: the prompt is no template.
        UsageError: a name, a set of labels or a limit cannot be meant.
    """
    document = class_document(model)
    if not isinstance(labels, Mapping):
        raise UsageError("labels are sets by name", hint='labels={"topics": […]}')
    if send not in ("text", "redacted"):  # a typo must not send what should stay here
        raise UsageError(f"send is {send!r}", hint="'text' or 'redacted'")
    if prompt is not None and not isinstance(prompt, str):
        raise UsageError(f"a prompt is text, not {type(prompt).__name__}")
    said = {
        "form": 1,
        "name": check_name(_own_name(model) if name is None else name),
        "version": str(version),
        "schema": document,
        "labels": {name: _pairs(name, given) for name, given in labels.items()},
        "prompt": prompt if prompt is None or SCHEMA_PLACE in prompt else prompt + ASK_FOR_JSON,
        "attempts": [attempt.to_dict() for attempt in attempts],
        "budget": budget.to_dict(),
        "models": list(models),
        "send": send,
        "system_inputs": list(system_inputs),
        "code": list(code_of(model).digests),
    }
    if not attempts:
        raise UsageError("a contract needs at least one attempt", hint="attempts=[Attempt()]")
    missing = sorted(marked_names(document, LABELS) - labels.keys())
    if missing:
        raise ContractClassError(
            f"class {model.__name__!r} takes labels of {missing[0]!r}, and no such set is given",
            hint=f"give labels={{{missing[0]!r}: [...]}}",
        )
    declared = read_declared(said, model)
    code = broken_default(document, declared.label_sets)
    if code is not None:
        raise ContractClassError(
            f"class {model.__name__!r} has a default that its own marker refuses ({code})",
            hint="None says that there is no quote; a label by default is one of its set",
        )
    return declared


def read_declared(said: Mapping[str, Any], model: type[BaseModel] | None) -> DeclaredClass:
    """The contract that a document on record describes, with its class where it is at hand.

    Raises:
        ContractClassError: the gate cannot judge by it.
    """
    name = str(said["name"])
    try:
        digest_json(said)
    except AssayError as error:
        raise ContractClassError(
            f"class {name!r} holds a number or text that JSON cannot write exactly",
            hint="keep bounds within 2^53",
        ) from error
    template = None
    if said["prompt"] is not None:
        template = make_template(name=name, role=PACK, version=1, body=str(said["prompt"]))
    return DeclaredClass(
        document=said,
        model=model,
        schema=compile_document(said["schema"], name),
        label_sets={
            name: LabelSet(name=name, labels=dict(pairs)) for name, pairs in said["labels"].items()
        },
        template=template,
    )


def read_attempts(said: Mapping[str, Any]) -> tuple[Attempt, ...]:
    """The ladder of a document on record."""
    return tuple(Attempt(**each) for each in said["attempts"])


def check_name(given: str) -> str:
    """*given*, where it is a name for a contract. Raises UsageError."""
    if not _NAME.fullmatch(given):
        raise UsageError(
            f"{given[:120]!r} is no name for a contract",
            hint="give name=…: a letter; letters, digits, and _ . - may follow",
        )
    return given


def _own_name(model: type[BaseModel]) -> str:
    return re.sub(r"[^A-Za-z0-9_.\-]+", "_", model.__name__).strip("_")


def _pairs(name: str, given: Mapping[str, str] | Sequence[str]) -> list[list[str]]:
    if not isinstance(given, Mapping | list | tuple):
        raise UsageError(
            f"labels of {name!r} are {type(given).__name__}, not a list",
            hint="give a list of labels, or a mapping from each label to what it means",
        )
    pairs = (
        [[label, text] for label, text in given.items()]
        if isinstance(given, Mapping)
        else [[label, ""] for label in given]
    )
    texts = [text for pair in pairs for text in pair]
    if not all(isinstance(text, str) for text in texts):
        raise UsageError(
            f"a label of {name!r} is no text", hint="labels and what they mean are str"
        )
    labels = [label for label, _ in pairs]
    if not labels or len(set(labels)) < len(labels) or not all(labels):
        raise UsageError(
            f"the labels of {name!r} are none, empty, or the same twice",
            hint="give each label once",
        )
    return pairs
