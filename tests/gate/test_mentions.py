"""Names of services in a reply: without case, and in any inflection of an alias."""

from __future__ import annotations

import pytest

from assay.core.json.pointer import PointerPattern
from assay.gate.gate import GateContext
from assay.gate.mentions import MentionRule
from assay.gate.tables import Table

ROWS = (
    {
        "key": "pension",
        "name": "Survivor Pension",
        "also": ["Hinterbliebenenrente", "widow allowance"],
        "office": "Board",
        "short": "VA",
    },
    {
        "key": "flag",
        "name": "Burial Flag",
        "also": "Grabfahne",
        "office": "Board",
        "short": "VA",
    },
    {"key": "it", "name": "IT", "also": [], "office": "Lab", "short": "LAB"},
)
TABLE = Table(
    name="service",
    key=("key",),
    rows=ROWS,
    columns=("key", "name", "also", "office", "short"),
    digest="",
)


def codes(reply: str, *keys: str, aliases: tuple[str, ...] = ("also",)) -> list[str]:
    rule = MentionRule(
        text="/reply",
        listed=PointerPattern.compile("/sources/*"),
        table=TABLE,
        key={"key": "/key"},
        names=("name",),
        group="office",
        group_names=("short",),
        aliases=aliases,
    )
    output = {"reply": reply, "sources": [{"key": key} for key in keys]}
    return [finding.code for finding in rule(output, GateContext())]


@pytest.mark.clause("005-C22")
@pytest.mark.parametrize(
    "reply",
    [
        "Ask for a Survivor Pension.",
        "Ask for a survivor pension.",
        "SURVIVOR PENSION can be had.",
        "Die Hinterbliebenenrente steht Ihnen zu.",
        "Die Hinterbliebenenrenten steigen.",
        "Widow allowances are paid monthly.",
        "The widow’s… no: the widow allowance.",
    ],
)
def test_a_name_is_found_in_any_case_and_an_alias_in_any_inflection(reply):
    """Listed it is right; not listed it is a finding."""
    assert [] == codes(reply, "pension")
    assert ["reply.unlisted"] == codes(reply)


@pytest.mark.clause("005-C22")
@pytest.mark.parametrize(
    "reply",
    [
        "If it is late, ask again.",
        "It va not so.",
        "The survivors’ pensioner club.",
        "Allow the widow.",
        "Grabstein",
    ],
)
def test_common_words_are_no_names(reply):
    """An acronym counts in capitals only, a name as a whole only."""
    assert [] == codes(reply)


def test_without_aliases_a_name_is_not_inflected():
    """Only where the table has them."""
    assert [] == codes("Die Hinterbliebenenrenten steigen.", aliases=())
    assert [] == codes("Two survivor pensions.", aliases=())


def test_a_longer_name_covers_a_shorter_one():
    """In the aliases, too."""
    assert [] == codes("Ask for a survivor pension of the VA.", "pension")
    assert ["reply.unmentioned"] == codes("Ask for a burial flag.", "pension", "flag")
