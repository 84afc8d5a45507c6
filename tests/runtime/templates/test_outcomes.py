"""Calls counted by the version that made their prompt, over a record that grows."""

from __future__ import annotations

import asyncio

import pytest

from assay.runtime.templates.outcomes import OutcomeCounts
from assay.runtime.templates.releases import Move, Releases
from assay.templates.template import parse_template
from assay.templates.version import Reference
from tests.runtime.tiny import FILES, GOOD, UNKNOWN_LABEL, opened, tiny_pack

SECOND = FILES["templates/triage.md"].replace(b"version: 1", b"version: 2")


async def run(runtime, text):
    """One input through the pack."""
    return [outcome async for outcome in runtime.run(tiny_pack(), [text])]


@pytest.mark.clause("009-R3")
def test_each_call_counts_for_the_version_of_its_last_prompt(tmp_path):
    """Counted once however often it is asked; new calls are read on."""

    async def look():
        async with opened(tmp_path, GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD) as runtime:
            counts = OutcomeCounts(runtime.registry.templates)
            empty = await counts.count("triage", "triage")
            await run(runtime, b"There is water in the cellar.")
            await run(runtime, b"There is water in the cellar, again.")
            first = await counts.count("triage", "triage")
            move = Move(by="Bo", reason="tests")
            await runtime.registry.add(parse_template(SECOND, file="text"), author="Ann")
            await Releases(registry=runtime.registry).promote(
                Reference(role="triage", name="triage", which="2"), move
            )
            await run(runtime, b"There is water in the cellar, and more.")
            second = await counts.count("triage", "triage")
            fresh = await OutcomeCounts(runtime.registry.templates).count("triage", "triage")
            other = await counts.count("triage", "other")

        assert ({}, 0, 0) == (empty.versions, empty.prompts, empty.fallbacks)
        assert {1: {"accepted": 1, "needs_review": 1}} == first.versions
        assert {1: {"accepted": 1, "needs_review": 1}, 2: {"accepted": 1}} == second.versions
        assert 4 == second.prompts
        assert second == fresh
        assert {} == other.versions

    asyncio.run(look())


@pytest.mark.clause("009-R3")
def test_prompts_without_the_template_are_counted(tmp_path):
    """A retired version leaves none active: the fallback is told."""

    async def look():
        async with opened(tmp_path, GOOD, GOOD) as runtime:
            await run(runtime, b"There is water in the cellar.")
            await Releases(registry=runtime.registry).retire(
                Reference(role="triage", name="triage", which="1"), Move(by="Bo", reason="tests")
            )
            await run(runtime, b"There is water in the cellar, again.")
            found = await OutcomeCounts(runtime.registry.templates).count("triage", "triage")

        assert (1, 1) == (found.prompts, found.fallbacks)
        assert {1: {"accepted": 1}} == found.versions

    asyncio.run(look())
