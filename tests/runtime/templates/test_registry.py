"""Which version of a template a call is made from: releases, drift, signatures, the fallback."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from assay.errors import (
    ConflictError,
    IntegrityError,
    NotAllowedError,
    NotFoundError,
    PromptTemplateError,
)
from assay.pack.pack import Pack
from assay.runtime.reviews.decision import Decision
from assay.runtime.runtime import Runtime
from assay.runtime.templates.drift import contexts, detect
from assay.runtime.templates.policy import canary_place
from assay.runtime.templates.releases import Move, Releases
from assay.runtime.templates.stats import prometheus, template_stats
from assay.templates.signing import SigningKey
from assay.templates.template import make_template
from assay.templates.version import Reference
from tests.runtime.tiny import FILES, GOOD, TEXT, UNKNOWN_LABEL, opened, sent, tiny_pack

ME = Move(by="ada", reason="better wording")
SECOND = "Answer with JSON only.\n{{labels.kind}}\n{{input.text}}\n"
TRIAGE = FILES["templates/triage.md"]


def at(which: str | int) -> Reference:
    return Reference.parse(f"triage/triage@{which}")


def second(body: str = SECOND) -> Any:
    return make_template(name="triage", role="triage", version=2, body=body)


def within(
    folder: Path,
    work: Callable[[Runtime], Awaitable[Any]],
    *replies: Any,
    environ: Mapping[str, str] | None = None,
) -> Any:
    """What *work* returns on a runtime that answers with *replies*."""

    async def whole() -> Any:
        async with opened(folder, *replies, environ=environ) as runtime:
            return await work(runtime)

    return asyncio.run(whole())


async def run_one(runtime: Runtime, text: bytes = TEXT, pack: Pack | None = None) -> Any:
    (outcome,) = [each async for each in runtime.run(pack or tiny_pack(), [text])]
    return outcome


async def events(runtime: Runtime, kind: str) -> list[Any]:
    return [event async for event in runtime.store.events(kind=kind)]


def edit(folder: Path, statement: str) -> None:
    """What somebody with access to the database does behind the registry's back."""
    connection = sqlite3.connect(folder / "assay.db")
    with connection:
        assert 1 == connection.execute(statement).rowcount
    connection.close()


EDIT = "UPDATE templates SET body = replace(body, 'Answer', 'Always answer') WHERE version = 1"


@pytest.mark.clause("002-J1", "002-J2", "002-J3", "002-J4", "002-J5", "002-J6", "002-J7")
def test_the_context_is_stored_with_every_field_before_the_model_is_called(tmp_path):
    """Template, version, both digests, release, redacted prompt, map, parameters, snippets."""

    async def work(runtime: Runtime) -> Any:
        outcome = await run_one(runtime, b"Write to jo@example.org: water in the cellar.")
        call = outcome.calls[0].call
        (context,) = await contexts(runtime.registry, call)
        kinds = [event.kind async for event in runtime.store.events(call=call)]
        return context, kinds, call

    context, kinds, call = within(tmp_path, work, GOOD)
    template = tiny_pack().contract("triage").template
    assert kinds.index("prompt.built") < kinds.index("model.answered")
    assert (call, 1, "active") == (context.job, context.attempt, context.release)
    assert template is not None
    assert (template.sha256, 1) == (context.template_sha256, context.prompt_version)
    assert template.fields_sha256 == context.prompt_template.fields_sha256
    assert "jo@example.org" not in context.rendered_prompt_redacted
    assert ["EMAIL"] == list(context.redaction_map.values())
    assert "jo@example.org" not in json.dumps(dict(context.redaction_map))
    assert 0.2 == context.model_params["temperature"]
    assert ((), {}) == (context.snippet_ids, context.retrieval_metrics)


def test_a_packs_template_is_added_once_and_active(tmp_path):
    """The first call adds it and tells of it; the second finds it."""

    async def work(runtime: Runtime) -> Any:
        await run_one(runtime)
        await run_one(runtime, TEXT + b" Fire, too.")
        added = await events(runtime, "template.added")
        return [event.facts["id"] for event in added], await runtime.registry.versions()

    added, versions = within(tmp_path, work, GOOD, GOOD)
    assert ["triage/triage@1"] == added
    assert ["active"] == [each.release.state for each in versions]
    assert TRIAGE.decode().endswith(versions[0].row.body)


@pytest.mark.clause("002-V1")
def test_a_pack_that_edits_a_version_is_refused(tmp_path):
    """The same version with another text is an error that says which version to give it."""
    edited = tiny_pack(templates__triage__md=TRIAGE.replace(b"Answer", b"Reply"))

    async def work(runtime: Runtime) -> None:
        await run_one(runtime)
        with pytest.raises(ConflictError, match="never changes") as caught:
            await run_one(runtime, pack=edited)
        assert "version 2" in caught.value.hint

    within(tmp_path, work, GOOD)
    assert 1 == len(sent(tmp_path))


@pytest.mark.clause("002-V2", "002-N2")
def test_the_released_version_renders_not_the_packs_file(tmp_path):
    """After a promotion the new text is sent; the old version stays; the call is a new one."""

    async def work(runtime: Runtime) -> Any:
        first = await run_one(runtime)
        await runtime.registry.add(second(), author="ada")
        await Releases(registry=runtime.registry).promote(at(2), ME)
        then = await run_one(runtime)
        again = await run_one(runtime)
        (context,) = await contexts(runtime.registry, then.calls[0].call)
        rows = [await runtime.store.call(outcome.calls[0].call) for outcome in (first, then, again)]
        return context, rows, again.reused, await runtime.registry.versions()

    context, rows, reused, versions = within(tmp_path, work, GOOD, GOOD)
    assert 2 == context.prompt_version
    assert str(sent(tmp_path)[1]["prompt"]).startswith("Answer with JSON only.")
    assert rows[0].contract_digest != rows[1].contract_digest
    assert (True, rows[1].id) == (reused, rows[2].id)
    assert ["former", "active"] == [each.release.state for each in versions]


def test_a_pack_with_the_next_version_waits_for_its_promotion(tmp_path):
    """A newer file is added and is not active: the release decides."""
    newer = TRIAGE.replace(b"version: 1", b"version: 2").replace(b"Answer", b"Reply")

    async def work(runtime: Runtime) -> Any:
        await run_one(runtime)
        await run_one(runtime, TEXT + b".", tiny_pack(templates__triage__md=newer))
        return [each.release.state for each in await runtime.registry.versions()]

    assert ["active", "added"] == within(tmp_path, work, GOOD, GOOD)
    assert ["Answer", "Answer"] == [str(each["prompt"])[:6] for each in sent(tmp_path)]


@pytest.mark.clause("002-X1", "002-X3")
def test_drift_is_found_counted_and_rendered_unless_strict(tmp_path):
    """An edited text: the call is made from what stands there and says so; drift is on record."""

    async def work(runtime: Runtime) -> Any:
        first = await run_one(runtime)
        edit(tmp_path, EDIT)
        then = await run_one(runtime)
        (before,) = await contexts(runtime.registry, first.calls[0].call)
        (after,) = await contexts(runtime.registry, then.calls[0].call)
        hits = await events(runtime, "template.drift")
        report = await detect(runtime.registry)
        return before, after, hits, report, (await runtime.verify()).status

    before, after, hits, report, status = within(tmp_path, work, GOOD, GOOD)
    assert "broken" == status
    assert before.template_sha256 != after.template_sha256
    (hit,) = hits
    assert before.template_sha256 == hit.facts["recorded"]["sha256"]
    assert after.template_sha256 == hit.facts["found"]["sha256"]
    assert ["version", "context"] == [each["kind"] for each in report.hits]
    assert (1, 2) == (report.versions, report.contexts)
    assert 3 == report.last_24h


@pytest.mark.parametrize("how", ["setting", "pack"])
def test_a_drifted_version_never_renders_in_strict_mode(tmp_path, how):
    """The call is refused with exit code 50, nothing is sent, the hit is on record."""
    strict = FILES["pack.yaml"] + b"strict_templates: true\n"
    pack = tiny_pack(pack__yaml=strict) if how == "pack" else tiny_pack()
    environ = {"ASSAY_STRICT_TEMPLATES": "1"} if how == "setting" else {}

    async def work(runtime: Runtime) -> Any:
        await run_one(runtime, pack=pack)
        edit(tmp_path, EDIT)
        with pytest.raises(IntegrityError, match="edited") as caught:
            await run_one(runtime, TEXT + b".", pack)
        assert 50 == caught.value.exit_code
        return await events(runtime, "template.drift")

    assert 1 == len(within(tmp_path, work, GOOD, environ=environ))
    assert 1 == len(sent(tmp_path))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE template_releases SET state = 'retired'",
        "UPDATE template_releases SET percent = 50",
        "UPDATE template_releases SET name = 'other'",
        "UPDATE template_releases SET vouched_by = 0",
        "DELETE FROM template_releases",
    ],
)
def test_an_edited_release_never_leads_to_the_fallback_in_strict_mode(tmp_path, statement):
    """Whether a version is in use decides as much as its text: exit 50, nothing sent, on record."""

    async def work(runtime: Runtime) -> Any:
        await run_one(runtime)
        edit(tmp_path, statement)
        with pytest.raises(IntegrityError, match="release of template triage/triage@1") as caught:
            await run_one(runtime, TEXT + b".")
        assert 50 == caught.value.exit_code
        assert [] == await events(runtime, "template.fallback")
        return await events(runtime, "template.refused")

    (told,) = within(tmp_path, work, GOOD, environ={"ASSAY_STRICT_TEMPLATES": "1"})
    assert "release edited" == told.facts["why"]
    assert 1 == len(sent(tmp_path))


def test_moves_of_the_registry_are_no_edits_in_strict_mode(tmp_path):
    """Added, promoted, a canary, rolled back, retired: every release is as the record says."""

    async def work(runtime: Runtime) -> Any:
        releases = Releases(registry=runtime.registry)
        await run_one(runtime)
        await runtime.registry.add(second(), author="eve")
        await releases.canary(at(2), 10, ME)
        await releases.promote(at(2), ME)
        await releases.roll_back("triage", "triage", ME)
        await releases.retire(at(2), ME)
        await run_one(runtime, TEXT + b".")
        return await events(runtime, "template.refused")

    assert [] == within(tmp_path, work, GOOD, GOOD, environ={"ASSAY_STRICT_TEMPLATES": "1"})
    assert 2 == len(sent(tmp_path))


def test_a_text_edited_into_no_template_never_renders(tmp_path):
    """Strict or not: what cannot be parsed any more refuses the call."""

    async def work(runtime: Runtime) -> None:
        await run_one(runtime)
        edit(tmp_path, "UPDATE templates SET body = '{{#if}}'")
        with pytest.raises(IntegrityError):
            await run_one(runtime, TEXT + b".")

    within(tmp_path, work, GOOD)
    assert 1 == len(sent(tmp_path))


@pytest.mark.clause("002-F1", "002-F2", "002-F3")
def test_without_an_active_version_the_fallback_is_used_and_counted(tmp_path):
    """Role and input as sorted JSON; the context has no template; the use is an event."""

    async def work(runtime: Runtime) -> Any:
        await run_one(runtime)
        await Releases(registry=runtime.registry).retire(at(1), ME)
        outcome = await run_one(runtime)
        (context,) = await contexts(runtime.registry, outcome.calls[0].call)
        return outcome, context, await events(runtime, "template.fallback")

    outcome, context, told = within(tmp_path, work, GOOD, GOOD)
    prompt = str(sent(tmp_path)[1]["prompt"])
    assert prompt.startswith('ROLE: triage\nINPUT: {"input.text": "There is water')
    assert prompt.endswith('"}\n')
    assert "accepted" == outcome.outcome.status
    assert (None, None, "fallback") == (
        context.prompt_template,
        context.template_sha256,
        context.release,
    )
    assert ["triage"] == [event.facts["role"] for event in told]


@pytest.mark.parametrize("how", ["setting", "pack"])
def test_the_fallback_is_refused_where_it_is_forbidden(tmp_path, how):
    """Production: no active version, no call."""
    required = FILES["pack.yaml"] + b"require_template: true\n"
    pack = tiny_pack(pack__yaml=required) if how == "pack" else tiny_pack()
    environ = {"ASSAY_REQUIRE_TEMPLATE": "1"} if how == "setting" else {}

    async def work(runtime: Runtime) -> Any:
        await run_one(runtime, pack=pack)
        await Releases(registry=runtime.registry).retire(at(1), ME)
        with pytest.raises(NotAllowedError, match="is active"):
            await run_one(runtime, TEXT + b".", pack)
        return await events(runtime, "template.refused")

    assert 1 == len(within(tmp_path, work, GOOD, environ=environ))
    assert 1 == len(sent(tmp_path))


@pytest.mark.clause("002-V3")
def test_where_signatures_are_required_only_a_signed_version_renders(tmp_path):
    """Unsigned, signed by a stranger, edited after signing: refused. Signed: rendered."""
    key, stranger = SigningKey(seed=bytes(32)), SigningKey(seed=b"\1" * 32)
    environ = {"ASSAY_TEMPLATE_KEYS": f"{key.public} {'ab' * 32}"}

    async def work(runtime: Runtime) -> None:
        releases = Releases(registry=runtime.registry)
        with pytest.raises(NotAllowedError, match="signature"):
            await run_one(runtime)
        await releases.sign(at(1), stranger, ME)
        with pytest.raises(NotAllowedError):
            await run_one(runtime)
        assert [] == sent(tmp_path)
        await releases.sign(at(1), key, ME)
        await run_one(runtime)
        await runtime.registry.add(second(), author="ada")
        with pytest.raises(NotAllowedError, match="signature"):
            await releases.promote(at(2), ME)
        edit(tmp_path, EDIT)
        with pytest.raises(NotAllowedError):
            await run_one(runtime, TEXT + b".")

    within(tmp_path, work, GOOD, environ=environ)
    assert 1 == len(sent(tmp_path))


def test_a_canary_is_drawn_by_run_and_stays(tmp_path):
    """At n per cent exactly those runs have it whose place among a hundred is under n."""

    async def work(runtime: Runtime) -> Any:
        await run_one(runtime)
        await runtime.registry.add(second(), author="ada")
        await Releases(registry=runtime.registry).canary(at(2), 50, ME)
        seen = {}
        for number in range(12):
            outcome = await run_one(runtime, TEXT + b" %d" % number)
            (context,) = await contexts(runtime.registry, outcome.calls[0].call)
            row = await runtime.store.call(outcome.calls[0].call)
            seen[row.run] = (context.release, context.prompt_version)
        return seen

    seen = within(tmp_path, work, *[GOOD] * 13)
    expected = {
        run: ("canary", 2) if canary_place("triage", "triage", f"run {run}") < 50 else ("active", 1)
        for run in seen
    }
    assert expected == seen
    assert {"canary", "active"} == {release for release, _ in seen.values()}


def test_a_share_of_a_hundred_is_about_that_share_and_grows():
    """Over many sessions; who is in at ten per cent is in at twenty."""
    places = [canary_place("planner", "planner.base", f"session {n}") for n in range(5000)]

    assert set(places) == set(range(100))
    assert 400 < sum(place < 10 for place in places) < 600


@pytest.mark.clause("002-M1", "002-M2", "002-M3", "002-F3", "002-X3")
def test_the_figures_count_what_the_record_says(tmp_path):
    """Drift, fallbacks, refusals, wrong variables, redactions, lengths, verdicts by version."""

    async def work(runtime: Runtime) -> Any:
        releases = Releases(registry=runtime.registry)
        for number in range(8):
            await run_one(runtime, b"jo@example.org: water in the cellar. %d" % number)
        await run_one(runtime, b"water in the cellar. " * 30)
        await run_one(runtime, b"no such thing")
        edit(tmp_path, EDIT)
        await run_one(runtime, TEXT)
        edit(tmp_path, "UPDATE templates SET body = replace(body, 'Always answer', 'Answer')")
        wrong = second(SECOND + "{{colour}} {{input.other}}")
        await runtime.registry.add(wrong, author="ada")
        await releases.promote(at(2), ME)
        with pytest.raises(PromptTemplateError):
            await run_one(runtime, TEXT)
        await releases.retire(at(2), ME)
        await run_one(runtime, TEXT)
        return await template_stats(
            runtime.store, day_ago=runtime.registry.clock.now().replace(year=2000)
        )

    stats = within(tmp_path, work, *[GOOD] * 9, UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD, GOOD)
    document = stats.to_dict()
    assert {"total": 1, "last_24h": 1} == document["drift"]
    assert {"total": 1, "by_role": {"triage": 1}} == document["fallbacks"]
    assert 1 == document["variable_failures"]["by_template"]["triage/triage"]
    assert 1 == document["variable_failures"]["missing"]
    assert {"EMAIL": 8} == document["redactions"]
    lengths = document["prompt_length"]["triage"]
    assert 12 == lengths["prompts"]
    assert 1 == lengths["outliers_total"]
    assert lengths["max_bytes"] == lengths["outliers"][0]["bytes"]
    assert {"accepted": 10, "rejected": 2} == document["verdicts"]["triage/triage@1"]
    assert {"accepted": 1, "rejected": 0} == document["verdicts"]["fallback"]
    text = prometheus(stats)
    assert 'assay_redactions_total{class="EMAIL"} 8\n' in text
    assert 'assay_template_fallback_total{role="triage"} 1\n' in text
    assert 'template="triage/triage@1",verdict="accepted"} 10\n' in text
    assert "jo@example.org" not in text


def test_a_reviewer_judges_under_the_version_that_the_call_had(tmp_path):
    """A promotion between call and review changes nothing about the call's contract."""

    async def work(runtime: Runtime) -> Any:
        await run_one(runtime)
        await runtime.registry.add(second(), author="ada")
        releases = Releases(registry=runtime.registry)
        await releases.promote(at(2), ME)
        await run_one(runtime, TEXT + b".")
        (review,) = await runtime.reviews()
        await releases.roll_back("triage", "triage", ME)
        decision = Decision(accept=True, reviewer="ada", reason="seen", output=GOOD.encode())
        return await runtime.decide(review.id, decision, pack=tiny_pack(), original=TEXT + b".")

    replies = [GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL]
    assert "accepted" == within(tmp_path, work, *replies).review.status


def test_a_version_that_nobody_added_is_not_found(tmp_path):
    """References to nothing say so."""

    async def work(runtime: Runtime) -> None:
        for which in ("active", "canary", 1, "best"):
            with pytest.raises(NotFoundError):
                await runtime.registry.find(at(which))

    within(tmp_path, work)


def test_a_reviewer_judges_a_call_that_had_the_fallback(tmp_path):
    """The version that is active by then has nothing to do with that call."""

    async def work(runtime: Runtime) -> Any:
        releases = Releases(registry=runtime.registry)
        await run_one(runtime)
        await releases.retire(at(1), ME)
        await run_one(runtime, TEXT + b".")
        (review,) = await runtime.reviews()
        await runtime.registry.add(second(), author="ada")
        await releases.promote(at(2), ME)
        decision = Decision(accept=True, reviewer="ada", reason="seen", output=GOOD.encode())
        return await runtime.decide(review.id, decision, pack=tiny_pack(), original=TEXT + b".")

    replies = [GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL]
    assert "accepted" == within(tmp_path, work, *replies).review.status
