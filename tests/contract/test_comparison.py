"""What a rebuilt prompt is held against: the first byte, its section, the codes of a verdict."""

from __future__ import annotations

from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.build import build
from assay.contract.comparison import (
    Cause,
    compare_verdicts,
    explain_prompt,
    first_difference,
    section_at,
)
from assay.contract.contract import Contract
from assay.contract.kept import KeptAttempt
from assay.contract.material import Built, Material
from assay.gate.verdict import Finding, Severity
from assay.pack.read import read_pack
from assay.redaction.redactor import Redactor
from assay.templates.template import LITERAL, Section
from tests.pack.small import FILES, small_pack

BYTES = st.lists(st.sampled_from([b"a", b"b", b"\x00"]), max_size=12).map(b"".join)


@given(BYTES, BYTES, BYTES)
def test_the_first_difference_ends_the_longest_common_beginning(
    same: bytes, old: bytes, new: bytes
) -> None:
    """Whatever follows and whichever text is longer; equal texts differ nowhere but at their
    end."""
    old, new = same + old, same + new

    shared = takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    assert sum(1 for _ in shared) == first_difference(old, new)
    assert first_difference(old, new) == first_difference(new, old) >= len(same)
    assert len(old) == first_difference(old, old)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.integers(0, 40))
def test_a_byte_lies_in_the_section_that_covers_it(lengths: list[int], byte: int) -> None:
    """Sections follow each other: a byte on a border is the first of the later one, and what
    lies behind the end belongs to the last."""
    sections = []
    covered: list[str] = []
    for number, length in enumerate(lengths):
        start = len(covered)
        sections.append(Section(name=str(number), start=start, stop=start + length))
        covered += [str(number)] * length

    expected = covered[byte] if byte < len(covered) else covered[-1]
    assert expected == section_at(sections, byte)
    assert None is section_at([], byte)


@pytest.mark.parametrize("accepted", [True, False])
@pytest.mark.parametrize("recorded", [[], [("a", "reject")], [("a", "reject"), ("b", "note")]])
def test_a_verdict_is_the_same_to_the_codes_of_its_findings(
    accepted: bool, recorded: list[tuple[str, Severity]]
) -> None:
    """Acceptance, codes, severities and their order count; messages and paths do not."""
    attempt = KeptAttempt(
        number=1,
        built={},
        judged={
            "verdict": "accepted" if accepted else "rejected",
            "findings": [{"code": code, "severity": severity} for code, severity in recorded],
        },
    )

    def found(*pairs: tuple[str, Severity]) -> list[Finding]:
        return [Finding(code=c, severity=s, message="new", path="/new") for c, s in pairs]

    assert "same" == compare_verdicts(attempt, accepted, found(*recorded))
    assert "changed" == compare_verdicts(attempt, not accepted, found(*recorded))
    assert "changed" == compare_verdicts(attempt, accepted, found(*recorded, ("c", "note")))
    if recorded:
        assert "changed" == compare_verdicts(attempt, accepted, found(*recorded[:-1]))
        milder = [(recorded[0][0], "note"), *recorded[1:]]
        assert "changed" == compare_verdicts(attempt, accepted, found(*milder))
    if len(recorded) > 1:
        assert "changed" == compare_verdicts(attempt, accepted, found(*reversed(recorded)))


TEMPLATE = FILES["templates/tell.md"].replace("---\n{{labels", "---\nKinds:\n{{labels")


def contract_and_prompt(template: str = TEMPLATE) -> tuple[Contract, Built]:
    contract = read_pack(small_pack(**{"templates/tell.md": template})).contract("tell")
    built = build(contract, Material(texts={"text": "World"}), 1, Redactor())
    assert isinstance(built, Built)
    return contract, built


def recorded(contract: Contract, **changes: object) -> KeptAttempt:
    """The attempt as *contract* would have put it on record."""
    assert contract.template is not None
    facts = {
        "template": {"sha256": contract.template.sha256},
        "fields_sha256": contract.template.fields_sha256,
        "tokenizer": contract.tokenizer,
        "budget": contract.budget.to_dict(),
        "shown": [{"source": "text", "segments": [[0, 5]]}],
    }
    return KeptAttempt(number=1, built={**facts, **changes})


@pytest.mark.clause("002-N3")
def test_under_the_same_contract_only_a_value_can_differ() -> None:
    """Wherever the first differing byte lies, in the text of the template too: what stands there
    in its place is a value that ended sooner or later."""
    contract, built = contract_and_prompt()

    for byte in (0, 3, len("Kinds:\n"), len(built.prompt.text) - 1, None):
        _, cause = explain_prompt(contract, recorded(contract), built, byte, same=True)
        assert Cause.VARIABLE == cause


@pytest.mark.clause("002-N3")
def test_under_another_contract_the_section_tells_the_cause() -> None:
    """Fixed text is the template's doing, labels and schema are policy, and so are a budget or a
    cut that is not as recorded; what remains is a value."""
    contract, built = contract_and_prompt()
    places = {part.name: part.start for part in built.prompt.sections if part.name != LITERAL}

    def cause(byte: int | None, **changes: object) -> tuple[str | None, Cause]:
        return explain_prompt(contract, recorded(contract, **changes), built, byte, same=False)

    assert (LITERAL, Cause.TEMPLATE) == cause(0)
    assert ("labels.kind", Cause.POLICY) == cause(places["labels.kind"])
    assert ("schema", Cause.POLICY) == cause(places["schema"])
    assert ("input.text", Cause.VARIABLE) == cause(places["input.text"])
    other = {**contract.budget.to_dict(), "max_input_tokens": 1}
    assert ("input.text", Cause.POLICY) == cause(places["input.text"], budget=other)
    cut = [{"source": "text", "segments": [[0, 4]]}]
    assert ("input.text", Cause.POLICY) == cause(places["input.text"], shown=cut)
    assert (None, Cause.POLICY) == cause(None)
    assert Cause.TOKENIZER == cause(0, tokenizer="other")[1]


@pytest.mark.clause("002-N3")
@pytest.mark.parametrize("same", [True, False])
def test_a_drifted_template_is_the_cause_before_all_others(same: bool) -> None:
    """Its text or another of its fields; the section is then the template's own text."""
    contract, built = contract_and_prompt()
    byte = next(part.start for part in built.prompt.sections if part.name == "schema")

    for changes in ({"template": {"sha256": "x"}}, {"fields_sha256": "x", "tokenizer": "other"}):
        attempt = recorded(contract, **changes)
        assert (LITERAL, Cause.TEMPLATE) == explain_prompt(
            contract, attempt, built, byte, same=same
        )
