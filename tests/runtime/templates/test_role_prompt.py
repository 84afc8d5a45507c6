"""`render_role_prompt` and `detect_template_drift` as the specification names them."""

from __future__ import annotations

import sqlite3

import pytest

import assay
from assay.errors import IntegrityError, NotAllowedError, PromptTemplateError, UsageError
from assay.runtime.templates.releases import Move, Releases
from assay.runtime.templates.role_prompt import TemplateBook
from assay.templates.template import make_template
from assay.templates.version import Reference
from tests.runtime.tiny import GOOD, TEXT, script, tiny_pack

PLANNER = make_template(
    name="planner.base",
    role="planner",
    version=1,
    body="Plan for {{grant_url}}: {{text_spec}}\n",
)
VALUES = {"text_spec": "Short summary", "grant_url": "https://grant.example"}


@pytest.mark.clause("002-R1", "002-R6", "002-R7", "002-T3")
def test_the_active_version_of_the_role_is_rendered():
    """The name defaults to ROLE.base; the result has template, text, redacted, variables."""
    rendered = assay.render_role_prompt(
        role="planner", variables=VALUES, registry=TemplateBook.of([PLANNER])
    )

    assert "Plan for https://grant.example: Short summary\n" == rendered.text
    assert PLANNER == rendered.template
    assert {"grant_url", "text_spec"} == set(rendered.variables)
    assert not rendered.fallback


@pytest.mark.clause("002-R5")
def test_redaction_runs_over_the_whole_rendered_prompt():
    """Values are redacted, and so is what stands in the template itself."""
    book = TemplateBook.of(
        [make_template(name="t", role="r", version=1, body="Ask help@example.org about {{x}}")]
    )
    rendered = assay.render_role_prompt("r", {"x": "jo@example.com"}, "t", registry=book)

    assert 2 == rendered.redacted.count("[EMAIL_")
    assert "@" not in rendered.redacted
    assert {"EMAIL": 2} == dict(rendered.redaction.counts)


@pytest.mark.clause("002-R2", "002-R3", "002-M1")
@pytest.mark.parametrize(
    "values",
    [{}, {"grant_url": "a"}, {**VALUES, "extra": "b"}, {"grant_url": "a", "text_spec": 3}],
)
def test_variables_must_be_exactly_those_declared(values):
    """Missing, extra or no string: an error, and a count of the failure."""
    book = TemplateBook.of([PLANNER])

    with pytest.raises(PromptTemplateError):
        assay.render_role_prompt("planner", values, registry=book)
    assert 1 == book.counts["template.variables"]


@pytest.mark.clause("002-F1", "002-F2", "002-F3", "002-R1")
def test_without_an_active_version_the_fallback_is_rendered_and_counted():
    """ROLE and INPUT as sorted JSON; the template of the result is null."""
    book = TemplateBook.of([PLANNER])
    rendered = assay.render_role_prompt("writer", {"b": "2", "a": "ü"}, registry=book)

    assert 'ROLE: writer\nINPUT: {"a": "ü", "b": "2"}\n' == rendered.text
    assert rendered.template is None
    assert 1 == book.counts["template.fallback"]


def test_the_fallback_is_refused_where_it_is_forbidden():
    """A registry that allows no fallback raises."""
    book = TemplateBook.of([PLANNER], fallback_allowed=False)

    with pytest.raises(NotAllowedError):
        assay.render_role_prompt("writer", {}, registry=book)
    assert 0 == book.counts["template.fallback"]


def test_a_store_is_a_registry(tmp_path):
    """Versions in a store render; fallbacks and failures become events of the record."""
    with assay.open(f"sqlite:///{tmp_path / 'a.db'}", "none", environ={}) as runtime:
        runtime.do(runtime.registry.add(PLANNER, author="ada"))
        fell = assay.render_role_prompt("planner", VALUES, registry=runtime.templates)
        releases = Releases(registry=runtime.registry)
        reference = Reference.parse("planner/planner.base@1")
        runtime.do(releases.promote(reference, Move(by="ada")))
        found = assay.render_role_prompt("planner", VALUES, registry=runtime.templates)
        with pytest.raises(PromptTemplateError):
            assay.render_role_prompt("planner", {}, registry=runtime.templates)
        kinds = [event.kind for event in runtime.events()]

    assert fell.template is None
    assert found.template is not None
    assert PLANNER.fields_sha256 == found.template.fields_sha256
    assert 1 == kinds.count("template.fallback")
    assert 1 == kinds.count("template.variables")


@pytest.mark.clause("002-X1", "002-X2")
def test_drift_is_detected_against_the_text_that_stands_there_now(tmp_path):
    """False at first; True after an edit, with the same context object; False when put back."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with assay.open(url, script(tmp_path, GOOD), environ={}) as runtime:
        (outcome,) = runtime.run(tiny_pack(), [TEXT])
        (context,) = runtime.templates.contexts(outcome.calls[0].call)
        seen = [assay.detect_template_drift(context)]
        for old, new in (("Answer", "Obey"), ("Obey", "Answer")):
            edit(tmp_path, f"UPDATE templates SET body = replace(body, '{old}', '{new}')")
            seen.append(assay.detect_template_drift(context))
        edit(tmp_path, "UPDATE templates SET blueprint_instructions = 'x'")
        seen.append(assay.detect_template_drift(context))

    assert [False, True, False, True] == seen


def test_a_strict_registry_does_not_render_a_drifted_version(tmp_path):
    """`render_role_prompt` refuses like every other call."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with assay.open(url, "none", environ={"ASSAY_STRICT_TEMPLATES": "1"}) as runtime:
        runtime.do(runtime.registry.add(PLANNER, author="ada"))
        reference = Reference.parse("planner/planner.base@1")
        runtime.do(Releases(registry=runtime.registry).promote(reference, Move(by="ada")))
        edit(tmp_path, "UPDATE templates SET body = 'x {{grant_url}} {{text_spec}}'")
        with pytest.raises(IntegrityError):
            assay.render_role_prompt("planner", VALUES, registry=runtime.templates)


def test_a_context_from_nowhere_says_so(tmp_path):
    """Without a registry there is nothing to compare with."""
    with assay.open(
        f"sqlite:///{tmp_path / 'a.db'}", script(tmp_path, GOOD), environ={}
    ) as runtime:
        (outcome,) = runtime.run(tiny_pack(), [TEXT])
        from assay.runtime.templates.drift import contexts

        (context,) = runtime.do(contexts(runtime.registry, outcome.calls[0].call))
    with pytest.raises(UsageError):
        assay.detect_template_drift(context)


def edit(folder, statement):
    """What somebody with access to the database does behind the registry's back."""
    connection = sqlite3.connect(folder / "a.db")
    with connection:
        assert 1 == connection.execute(statement).rowcount
    connection.close()
