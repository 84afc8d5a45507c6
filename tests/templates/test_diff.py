"""What `assay templates diff` finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.templates.diff import RenderedPair, difference
from assay.templates.template import make_template


def version(body: str, number: int = 1, **fields):
    return make_template(name="base", role="formatter", version=number, body=body, **fields)


@pytest.mark.clause("002-N2")
def test_text_variables_blueprint_and_prompts_are_compared():
    """Each kind of change stands in its own place."""
    before = version("A {{x}}\n{{y}}\n", blueprint_schema={"a": 1}, blueprint_instructions="one")
    after = version("B {{x}}\n{{z}}\n", 2, blueprint_schema={"a": 2}, blueprint_instructions="two")
    pairs = [
        RenderedPair(case="same", before="p", after="p"),
        RenderedPair(case="other", before="p\n", after="q\n"),
        RenderedPair(case="none", before="p", after=None, fault="'z' is missing"),
    ]
    found = difference(before, after, pairs).to_dict()

    assert ("formatter/base@1", "formatter/base@2") == (found["before"], found["after"])
    assert ["-A {{x}}", "-{{y}}", "+B {{x}}", "+{{z}}"] == found["text"][3:]
    assert {"added": ["z"], "removed": ["y"], "reordered": False} == found["variables"]
    assert ["-one (no line end)", "+two (no line end)"] == found["blueprint"]["instructions"][3:]
    assert {'-  "a": 1', '+  "a": 2'} <= set(found["blueprint"]["schema"])
    assert (3, ["other", "none"]) == (
        found["cases"],
        [change["case"] for change in found["rendered"]],
    )
    assert ["-p", "+q"] == found["rendered"][0]["diff"][3:]
    assert "'z' is missing" == found["rendered"][1]["fault"]
    assert found["rendered"][1]["after_sha256"] is None
    assert not found["same"]


def test_order_of_variables_is_a_difference_of_its_own():
    """The same names in another order."""
    before = version("{{x}}{{y}}", variables=("x", "y"))
    after = version("{{x}}{{y}}", 2, variables=("y", "x"))
    found = difference(before, after)

    assert found.reordered
    assert ((), (), False) == (found.added, found.removed, found.same)


@given(st.text(alphabet="ab\n\r", max_size=12), st.text(alphabet="ab\n\r", max_size=12))
def test_texts_differ_exactly_when_the_difference_says_so(one, two):
    """No change of the text, however small, is shown as none."""
    assert (one == two) == difference(version(one), version(two, 2)).same
