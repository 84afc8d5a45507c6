"""Every pointer of a contract must be met by a golden case.

In      a pack, its golden cases
Out     PackError with file and line for each pointer that no reply has a value at
Pure    yes
Spec    interfaces.md, "Packs" and `assay pack verify`; 000 H3, H4

A check that looks at a place where nothing ever stands passes everything, and a mistyped pointer
is such a place. A pointer is met when the reply of a golden case of its contract is strict JSON,
fits the contract's schema, and has a value of the right kind there. Whether the case ends in
acceptance does not matter: a reply with a wrong label shows where labels stand as well as a right
one does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, Literal, NamedTuple

from assay.contract.decoding.bounded_schema import covers
from assay.core.json.pointer import PointerPattern, escape
from assay.core.json.strict import Refused, parse_object
from assay.core.yaml import Path
from assay.errors import PackError
from assay.pack.document import Document, read_yaml, validate_form
from assay.pack.forms import (
    ConfirmForm,
    ContractForm,
    MemberForm,
    MentionForm,
    PlaceholdersForm,
    PrimaryForm,
    RedactForm,
    ResultForm,
)
from assay.pack.golden import CALL, CASES, CallCase, GoldenCase, StageCase
from assay.pack.pack import Pack
from assay.pack.read import contract_files

Kind = Literal["a string", "a number", "an object", "a list", "a value"]
"""What must stand at a place for a check to have something to do there."""

_TYPES: Final[Mapping[Kind, type | tuple[type, ...]]] = {
    "a string": str,
    "a number": (int, float),
    "an object": dict,
    "a list": list,
    "a value": object,
}


class PointerUse(NamedTuple):
    """A pointer pattern of a contract file, and what is looked for there."""

    pattern: str
    kind: Kind
    path: Path
    """Where it stands in the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Which pointers of a pack's contracts golden cases meet."""

    pointers: int
    """All that there are."""

    faults: tuple[PackError, ...]
    """One for each that is not met; one for a contract without any reply that fits its schema."""


def cover_pointers(pack: Pack, cases: Iterable[GoldenCase]) -> Coverage:
    """Hold every pointer of every contract of *pack* against the replies of *cases*."""
    replies: dict[str, list[Any]] = {}
    golden_files: dict[str, str] = {}
    for case in cases:
        for name, output in _outputs(pack, case):
            replies.setdefault(name, []).append(output)
            golden_files.setdefault(name, case.file)
    count = 0
    faults: list[PackError] = []
    for name, file in contract_files(pack.files).items():
        if not file.endswith(".yaml"):
            continue
        document = read_yaml(file, pack.files[file])
        uses = list(contract_pointers(validate_form(document, ContractForm)))
        count += len(uses)
        golden = golden_files.get(name, f"golden/{name}.jsonl")
        faults += _unmet(document, uses, replies.get(name, ()), golden)
    return Coverage(pointers=count, faults=tuple(faults))


def _contract_of(form: Any, pack: Pack) -> str | None:
    """Name of the contract that a case's replies are put to; None for an answer."""
    if isinstance(form, CallCase):
        return form.contract
    if isinstance(form, StageCase) and pack.stages is not None:
        stage = pack.stages.stage(form.stage)
        return None if stage is None else stage.contract
    return None


def _outputs(pack: Pack, case: GoldenCase) -> Iterator[tuple[str, Any]]:
    """Contract and value of each reply that fits; what is wrong with a case is told elsewhere."""
    kind = CASES.get(case.value.get("kind", CALL))
    if kind is None:
        return
    try:
        form = validate_form(case.document, kind)
    except PackError:
        return
    name = _contract_of(form, pack)
    contract = None if name is None else pack.contracts.get(name)
    if contract is None:
        return
    for reply in form.replies:
        parsed = parse_object(reply.raw())
        if not isinstance(parsed, Refused) and contract.schema.is_valid(parsed.value):
            yield contract.name, parsed.value


def _unmet(
    document: Document, uses: Sequence[PointerUse], outputs: Sequence[Any], golden: str
) -> Iterator[PackError]:
    if uses and not outputs:
        message = "its pointers meet nothing: no golden case has a reply that fits the schema"
        hint = f"add golden cases to {golden} whose replies have a value at every pointer"
        yield document.fault(message, *uses[0].path, hint=hint)
        return
    unmet: list[str] = []
    for pattern, kind, path in uses:
        if any(pattern == other or pattern.startswith(f"{other}/") for other in unmet):
            continue  # one slip of the pen is one fault
        try:
            compiled = document.pattern(pattern, *path)
        except PackError as error:
            yield error
            continue
        if any(_fits(value, kind) for value in _values(compiled, outputs)):
            continue
        unmet.append(pattern)
        message = f"{pattern!r} meets no value: no golden case has {kind} there"
        hint = f"add a golden case to {golden} whose reply has {kind} there"
        name = _near_name(pattern, outputs)
        if name is not None:
            hint = f"did you mean {name!r}? If not, {hint}"
        yield document.fault(message, *path, hint=hint)


def _values(pattern: PointerPattern, outputs: Sequence[Any]) -> Iterator[Any]:
    return (value for output in outputs for _, value in pattern.find(output))


def _fits(value: Any, kind: Kind) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "a value" or not isinstance(value, bool))


def _near_name(pattern: str, outputs: Sequence[Any]) -> str | None:
    """The name that stands where the way of *pattern* ends, if it is spelt much like the step."""
    steps = pattern.split("/")
    for length in range(len(steps) - 1, 0, -1):
        values = list(_values(PointerPattern.compile("/".join(steps[:length])), outputs))
        if values:
            names = sorted({key for value in values if isinstance(value, dict) for key in value})
            return next(iter(get_close_matches(steps[length], names, n=1)), None)
    return None


# --- the pointers of a contract -------------------------------------------------------------


def contract_pointers(form: ContractForm) -> Iterator[PointerUse]:
    """Every pointer of a contract file."""
    for pattern in form.labels:
        yield PointerUse(pattern, "a string", ("labels", pattern))
    if form.evidence is not None:
        yield PointerUse(form.evidence.snippets, "a string", ("evidence", "snippets"))
        for place, pattern in enumerate(form.evidence.required):
            yield PointerUse(pattern, "a value", ("evidence", "required", place))
    for place, pattern in enumerate(form.scores):
        yield PointerUse(pattern, "a number", ("scores", place))
    for place, member in enumerate(form.members):
        yield from _member_pointers(member, ("members", place))
    for place, mention in enumerate(form.mentions):
        yield from _mention_pointers(mention, ("mentions", place))
    if form.placeholders is not None:
        yield from _placeholder_pointers(form.placeholders)
    if form.result is not None:
        yield from _result_pointers(form.result)


def _member_pointers(form: MemberForm, path: Path) -> Iterator[PointerUse]:
    yield PointerUse(form.at, "an object", (*path, "at"))
    for column, below in form.fields.items():
        yield PointerUse(form.at + below, "a value", (*path, "fields", column))
    if form.keys is not None:
        rows = form.at + form.keys.of
        yield PointerUse(rows, "an object", (*path, "keys", "of"))
        for column, below in form.keys.fields.items():
            yield PointerUse(f"{rows}/*{below}", "a value", (*path, "keys", "fields", column))


def _mention_pointers(form: MentionForm, path: Path) -> Iterator[PointerUse]:
    yield PointerUse(form.text, "a string", (*path, "text"))
    yield PointerUse(form.listed, "a value", (*path, "listed"))
    for column, below in form.key.items():
        yield PointerUse(form.listed + below, "a value", (*path, "key", column))


def _placeholder_pointers(form: PlaceholdersForm) -> Iterator[PointerUse]:
    yield PointerUse(form.at, "an object", ("placeholders", "at"))
    yield PointerUse(form.text, "a string", ("placeholders", "text"))
    for column, pointer in form.key.items():
        yield PointerUse(pointer, "a value", ("placeholders", "key", column))


def _result_pointers(form: ResultForm) -> Iterator[PointerUse]:
    """What the result is made from. Where things are put needs no case of its own: the result's
    schema says so in every case that ends in acceptance."""
    if form.primary is not None:
        yield PointerUse(form.primary.of, "a list", ("result", "primary", "of"))
    for at, use in ({} if form.thresholds is None else form.thresholds.at).items():
        field, by = ("confidence", None) if isinstance(use, str) else (use.field, use.by)
        path = ("result", "thresholds", "at", at)
        listed = _list_items(at, form.primary)
        yield PointerUse(listed, "an object", path)
        yield PointerUse(f"{listed}/{escape(field)}", "a number", (*path, "field"))
        if by is not None:
            yield PointerUse(f"{listed}/{escape(by)}", "a string", (*path, "by"))
    for place, redact in enumerate(form.redact):
        yield from _value_pointers(redact, ("result", "redact", place))
    for place, confirm in enumerate(form.confirm):
        yield from _value_pointers(confirm, ("result", "confirm", place))
    for place, signal in enumerate(form.signals):
        yield PointerUse(signal.to, "a list", ("result", "signals", place, "to"))


def _value_pointers(form: RedactForm | ConfirmForm, path: Path) -> Iterator[PointerUse]:
    yield PointerUse(form.at, "an object", (*path, "at"))
    yield PointerUse(f"{form.at}/{escape(form.value)}", "a string", (*path, "value"))
    yield PointerUse(f"{form.at}/{escape(form.by)}", "a string", (*path, "by"))


def _list_items(at: str, primary: PrimaryForm | None) -> str:
    """Where the objects at *at* come from: the primary one is put there out of its list."""
    return f"{primary.of}/*" if primary is not None and covers(at, primary.to) else at
