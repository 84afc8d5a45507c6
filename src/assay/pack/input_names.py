"""Which parts of an input a pack names, against those that its source gives.

In      a pack, its golden cases
Out     PackError with file, line and what was probably meant, for each name that nothing fills
Pure    yes
Spec    007-P3; 000 H3

A slot `input.NAME` that nothing fills is the empty text, so a mistyped name asks a model about
nothing and is never noticed; a rule over a fact that no input has rejects every reply. Stages
have slots of their own and are held against those when the graph is read; here stand the
contracts of an ordered flow, and what no slot of any kind can fill. A contract outside the flow
is asked by somebody who hands in texts of his own, so nothing is known of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from assay.contract.catalogue import ATTACHMENTS, INPUT, LABELS, OTHER_FORM, SCHEMA, SIGNALS, TEXT
from assay.contract.contract import Contract
from assay.contract.material import ATTACHMENT
from assay.core.json.pointer import unescape
from assay.errors import PackError
from assay.gate.rule_fields import ANY, Shape, unknown_fields
from assay.pack.document import Document, read_yaml, suggest_name
from assay.pack.golden import CALL, GoldenCase
from assay.pack.pack import Pack, Source
from assay.pack.read import contract_files

TEXTS: Final[Mapping[Source, frozenset[str]]] = {
    "mail": frozenset({"subject", "body"}),
    "text": frozenset({"text"}),
    "documents": frozenset({"text"}),
    "none": frozenset(),
}
"""The source texts that every input of a kind has; those of `json` are the keys of its object."""

FACTS: Final[Mapping[Source, frozenset[str]]] = {
    "mail": frozenset(
        {
            "from",
            "from_name",
            "to",
            "cc",
            "reply_to",
            "date",
            "date_iso",
            "message_id",
            "in_reply_to",
            "language",
            "attachments",
        }
    ),
}
"""What rules may read as `input.NAME`; other kinds of input have no facts."""

_CATALOGUE: Final[Mapping[str, frozenset[Source]]] = {
    TEXT: frozenset({"mail", "text", "documents", "json"}),
    ATTACHMENTS: frozenset({"mail"}),
    SIGNALS: frozenset({"mail"}),
}
"""Variables that are made of several parts, and the sources that have such parts."""

_OF_MAIL: Final = (ATTACHMENT, OTHER_FORM)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A contract of the flow and where it is written."""

    contract: Contract
    document: Document
    template: str
    """File of its template; empty where it has none."""


def input_faults(pack: Pack, cases: Iterable[GoldenCase]) -> Iterator[PackError]:
    """Every name of a part of the input that the pack's source does not give.

    Args:
        cases: Its golden cases; of `source: json` they alone say which keys there are.
    """
    if "pack.yaml" not in pack.files:
        return
    cases = list(cases)
    told: set[tuple[str, str]] = set()
    for place in _places(pack):
        for variable, known in _unknown_variables(pack, place, cases):
            if (place.template, variable) not in told:
                told.add((place.template, variable))
                yield _template_fault(pack, place, variable, known)
    if pack.stages is not None:
        return
    for contract in pack.ordered_contracts():
        document = _document(pack, contract.name)
        if document is not None:
            yield from _rule_faults(pack, contract, document)
            yield from _earlier_faults(pack, contract, document)
            yield from _evidence_faults(contract, document)
            yield from _signal_faults(pack, contract, document)
    yield from _case_faults(pack, cases)


def _places(pack: Pack) -> Iterator[_Place]:
    """Contracts with a template that a flow or a stage asks."""
    if pack.stages is None:
        names = list(pack.flow)
    else:
        names = [stage.contract for stage in pack.stages.stages.values()]
    for name in dict.fromkeys(names):
        contract = pack.contracts.get(name)
        document = _document(pack, name)
        if contract is not None and contract.template is not None and document is not None:
            file = contract.template.declared_in
            yield _Place(contract=contract, document=document, template=file)


def _document(pack: Pack, name: str) -> Document | None:
    file = contract_files(pack.files).get(name, "")
    return read_yaml(file, pack.files[file]) if file.endswith(".yaml") else None


# --- templates ------------------------------------------------------------------------------


def _unknown_variables(
    pack: Pack, place: _Place, cases: list[GoldenCase]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Variables that nothing fills, each with those that there are."""
    contract = place.contract
    if contract.template is None:
        return
    source = pack.source
    known = {
        f"{INPUT}{name}"
        for name in (*TEXTS.get(source, ()), *contract.earlier, *_json_keys(pack, contract, cases))
    }
    known |= {name for name, sources in _CATALOGUE.items() if source in sources}
    if contract.earlier:
        known.add(TEXT)
    if pack.stages is not None:  # its slots are held against the graph
        known = {name for name in contract.template.variables if name.startswith(INPUT)}
    open_keys = source == "json" and not _json_keys(pack, contract, cases)
    others = {SCHEMA, *(f"{LABELS}{name}" for name in pack.label_sets)}
    for variable in contract.template.variables:
        if variable in known or variable == SCHEMA or variable.startswith(LABELS):
            continue
        if variable.startswith(INPUT) and (open_keys or pack.stages is not None):
            continue
        yield variable, frozenset(known if variable.startswith(INPUT) else known | others)


def _json_keys(pack: Pack, contract: Contract, cases: list[GoldenCase]) -> frozenset[str]:
    """The keys that golden cases of a contract give; none where no case says any."""
    if pack.source != "json":
        return frozenset()
    return frozenset(
        name
        for case in cases
        if _is_call(case) and case.value.get("contract") == contract.name
        for name in _sources(case)
    )


def _template_fault(pack: Pack, place: _Place, variable: str, known: frozenset[str]) -> PackError:
    if not variable.startswith(INPUT):
        message = f"asks for {variable!r}, which nothing fills"
    elif pack.source == "json":
        message = f"asks for {variable!r}, which no golden case of its contract gives"
    else:
        message = f"asks for {variable!r}, which `source: {pack.source}` does not give"
    file = place.template
    line = _line_of_variable(pack.files.get(file, b"").decode("utf-8", "replace"), variable)
    return PackError(message, file=file, line=line, hint=suggest_name(variable, known))


def _line_of_variable(text: str, variable: str) -> int:
    """Where the body places it, which is where it is mended; else where it is declared."""
    name = re.escape(variable)
    found = re.search(rf"\{{\{{[ \t]*{name}[ \t]*\}}\}}", text) or re.search(
        rf"(?<![\w.]){name}(?![\w.])", text
    )
    return 1 if found is None else text.count("\n", 0, found.start()) + 1


# --- contracts ------------------------------------------------------------------------------


def _rule_faults(pack: Pack, contract: Contract, document: Document) -> Iterator[PackError]:
    facts = FACTS.get(pack.source, frozenset()) | contract.earlier.keys()
    shapes: dict[str, Shape] = dict.fromkeys(facts, ANY)
    shapes |= {name: _result_shape(pack, taken) or ANY for name, taken in contract.earlier.items()}
    given = {"input": Shape.of_fields(shapes), "state": Shape.of_fields({})}
    for place, rule in enumerate(contract.rules):
        for unknown in dict.fromkeys(unknown_fields(rule.assert_text, given)):
            root, _, name = unknown.partition(".")
            path = ("rules", place, "assert")
            if root == "state":
                message = f"rule {rule.id!r} reads {unknown!r}: an ordered flow has no state"
                yield document.fault(message, *path, hint="stages have one (`flow: stages.yaml`)")
                continue
            message = f"rule {rule.id!r} reads {unknown!r}, {_no_fact(pack, name, facts)}"
            yield document.fault(message, *path, hint=suggest_name(name, facts))


def _no_fact(pack: Pack, name: str, facts: Iterable[str]) -> str:
    if name.partition(".")[0] in facts:
        return "which the earlier result does not have"
    if pack.source != "none" and name in {*TEXTS.get(pack.source, ()), "text"}:
        return "a text: rules read facts of the input, no texts"
    return f"which `source: {pack.source}` does not give"


def _result_shape(pack: Pack, taken: str) -> Shape | None:
    """What the schema of an earlier result declares at the place that is taken; None: no place."""
    name, slash, place = taken.partition("/")
    contract = next((one for one in pack.ordered_contracts() if one.result_name == name), None)
    if contract is None:
        return ANY
    schema = contract.schema if contract.result is None else contract.result.schema
    shape: Shape | None = Shape.of_schema(schema.document)
    for step in place.split("/") if slash else ():
        if shape is None:
            return None
        if step == "**":
            return ANY
        index = step == "*" or step.isdecimal()
        shape = shape.item() if index else shape.field(unescape(step))
    return shape


def _earlier_faults(pack: Pack, contract: Contract, document: Document) -> Iterator[PackError]:
    for name, taken in contract.earlier.items():
        if _result_shape(pack, taken) is None:
            message = f"{taken!r} is no place that the earlier result has"
            hint = "its schema does not declare it: nothing would stand in the prompt"
            yield document.fault(message, "earlier", name, hint=hint)


def _evidence_faults(contract: Contract, document: Document) -> Iterator[PackError]:
    """Quotes out of texts that the model is not shown can never be found."""
    template = contract.template
    if contract.evidence is None or template is None:
        return
    if not any(name.startswith(INPUT) and name != SIGNALS for name in template.variables):
        message = "asks for quotes, and its template shows no text to quote"
        yield document.fault(message, "evidence", hint="place a text: {{input.text}}")


def _signal_faults(pack: Pack, contract: Contract, document: Document) -> Iterator[PackError]:
    """Only mail has signs of a machine and a guessed language."""
    if contract.result is None or pack.source == "mail":
        return
    for place, _ in enumerate(contract.result.signals):
        message = f"decides by signs that `source: {pack.source}` does not give"
        hint = "only mail has signs of a machine and a guessed language"
        yield document.fault(message, "result", "signals", place, hint=hint)


# --- golden cases ---------------------------------------------------------------------------


def _case_faults(pack: Pack, cases: Iterable[GoldenCase]) -> Iterator[PackError]:
    """A case over a text that no input has proves nothing about any input."""
    if pack.source in ("json", "none"):
        return
    for case in cases:
        contract = pack.contracts.get(str(case.value.get("contract")))
        if not _is_call(case) or contract is None or contract.name not in pack.flow:
            continue
        known = TEXTS[pack.source] | contract.earlier.keys()
        for name in _sources(case):
            if name in known or (pack.source == "mail" and name.startswith(_OF_MAIL)):
                continue
            message = (
                f"case {case.name!r} gives the text {name!r},"
                f" which `source: {pack.source}` does not give"
            )
            yield PackError(message, file=case.file, line=case.line, hint=suggest_name(name, known))


def _is_call(case: GoldenCase) -> bool:
    return bool(case.value.get("kind", CALL) == CALL)


def _sources(case: GoldenCase) -> dict[str, Any]:
    found = case.value.get("sources")
    return found if isinstance(found, dict) else {}
