"""Answers as recorded calls: sent once, judged, refused, reviewed, replayed."""

from __future__ import annotations

import asyncio
import json

import pytest

from assay import wiring
from assay.answers.assemble import REFUSAL, assemble, refuse
from assay.answers.evidence.policy import R2_POLICY_V1
from assay.answers.job import AnswerJob, answer_job, answer_material
from assay.contract.job import Stop
from assay.contract.kept import KeptCall
from assay.errors import InputError, PackError, UsageError
from assay.protocols import CallFilter
from assay.redaction.redactor import Redactor
from assay.runtime.answers.ask import DEFAULT_PACK
from assay.runtime.calls.context import no_pack
from assay.runtime.reviews.decision import Decision
from assay.wiring import load_pack
from tests import postgres
from tests.runtime.tiny import opened, script, sent

QUESTION = "What is the fee for a new card?"
GOOD = "The fee for a new card is 25 EUR [C0]."
WRONG = "The fee for a new card is 30 EUR [C0]."
KEY = {"ASSAY_MASTER_KEY": "ab" * 32}


def chunk(rank: int, text: str, score: float = 0.9) -> dict:
    return {
        "chunk_id": f"ch-{rank}",
        "knowledge_id": f"kn-{rank}",
        "chunk_text": text,
        "rank": rank,
        "similarity_score": score,
        "source_reference": f"file-{rank}.md",
    }


def bundle(*chunks: dict, **changes: object) -> dict:
    return {
        "request_id": "r-1",
        "index_version": "i-1",
        "embedding_model": "m",
        "retrieval_top_k": 5,
        "results": list(chunks)
        or [
            chunk(0, "The fee for a new card is 25 EUR. It is due within 14 days."),
            chunk(1, "Cards are sent by post.", 0.6),
        ],
        **changes,
    }


async def ask(runtime, **how):
    return await runtime.ask(QUESTION, **{"bundle": bundle(), **how})


async def _accepted(tmp_path):
    async with opened(tmp_path, GOOD) as runtime:
        return await ask(runtime)


@pytest.fixture
def run():
    return asyncio.run


@pytest.mark.clause("004-V1", "004-X1", "004-X5")
def test_an_answer_that_passes_is_told_with_all_artefacts(tmp_path, run):
    """The prompt of the assembly is sent as it is; the answer comes with its citations."""
    told = run(_accepted(tmp_path))
    document = told.to_dict()

    assert ("accepted", None, GOOD) == (document["outcome"], document["reason"], told.answer)
    assert [document["prompt_build"]["prompt_text"]] == [each["prompt"] for each in sent(tmp_path)]
    assert assemble(bundle(), QUESTION).to_dict() == {
        name: document[name] for name in ("answer_bundle", "prompt_build")
    }
    (citation,) = document["citations"]
    assert ("C0", "ch-0", "file-0.md", None) == tuple(
        citation[name] for name in ("anchor", "chunk_id", "source_reference", "start")
    )
    assert "[C0]" == GOOD[citation["markers"][0]["start"] : citation["markers"][0]["stop"]]
    assert {
        "request_id",
        "model_name",
        "prompt_sha256",
        "generation_status",
        "raw_model_text",
        "finish_reason",
        "attempts",
        "llm_latency_ms",
        "prompt_tokens_actual",
        "completion_tokens_actual",
        "total_tokens_actual",
    } <= set(document["execution"])
    assert "PASSED" == document["validation"]["validation_status"]


@pytest.mark.clause("004-S8", "004-V7", "004-E3")
@pytest.mark.parametrize(
    "given",
    [
        bundle(chunk(0, "Something else.", 0.2)),
        bundle(results=[], no_evidence=True),
        bundle(chunk(0, "\x00\x01 ")),
    ],
    ids=["under the gate", "nothing found", "empty after sanitising"],
)
def test_without_evidence_no_model_is_asked(tmp_path, run, given):
    """NO_EVIDENCE is recorded, gives the refusal string, and sends nothing."""

    async def work():
        async with opened(tmp_path, GOOD) as runtime:
            told = await ask(runtime, bundle=given)
            calls = await runtime.calls()
            kinds = [event.kind async for event in runtime.store.events(call=told.call)]
            return told, calls, kinds

    told, calls, kinds = run(work())

    assert ("no_evidence", REFUSAL) == (told.outcome.status, told.answer)
    assert None is told.execution
    assert None is told.validation
    assert [] == sent(tmp_path)
    assert ["call.opened", "call.settled"] == kinds
    assert [("settled", "no_evidence")] == [(row.status, row.outcome) for row in calls]


@pytest.mark.clause("004-P11", "004-V5")
def test_the_exact_refusal_of_a_model_is_no_evidence(tmp_path, run):
    """A model that refuses by the letter ends the call as no_evidence, not as an answer."""

    async def work():
        async with opened(tmp_path, REFUSAL) as runtime:
            return await ask(runtime)

    told = run(work())

    assert ("no_evidence", REFUSAL, ()) == (told.outcome.status, told.answer, told.citations)
    assert "NO_EVIDENCE" == told.validation.generation_status


@pytest.mark.clause("004-V6", "004-X2")
def test_a_rejected_answer_is_no_answer_and_waits_for_a_person(tmp_path, run):
    """Both attempts send the same bytes, the second at 0.0; then there is a review, no text."""

    async def work():
        async with opened(tmp_path, WRONG, WRONG) as runtime:
            return await ask(runtime), await runtime.reviews()

    told, reviews = run(work())
    first, second = sent(tmp_path)

    assert ("needs_review", "gate.rejected") == (told.outcome.status, told.outcome.reason)
    assert None is told.answer
    assert () == told.citations
    assert None is told.validation.validated_answer_text
    assert "grounding.number" in [finding.code for finding in told.validation.findings]
    assert first["prompt"] == second["prompt"]
    assert [0.2, 0.0] == [each["params"]["temperature"] for each in (first, second)]
    assert [told.call] == [review.call for review in reviews]


def test_a_second_attempt_that_passes_is_the_answer(tmp_path, run):
    """A reply that is rejected first and right at 0.0 is accepted at attempt two."""

    async def work():
        async with opened(tmp_path, WRONG, GOOD) as runtime:
            told = await ask(runtime)
            return told, (await runtime.calls())[0]

    told, row = run(work())

    assert (GOOD, 2) == (told.answer, row.attempts)


@pytest.mark.parametrize("reason", ["length", "content_filter", "who knows"])
def test_a_reply_that_was_cut_is_never_accepted(tmp_path, run, reason):
    """A finish reason that is not a whole reply rejects it, though its text would pass."""
    cut = {"text": GOOD, "finish_reason": reason}

    async def work():
        async with opened(tmp_path, cut, cut) as runtime:
            return await ask(runtime)

    told = run(work())

    assert ("needs_review", None) == (told.outcome.status, told.answer)
    assert told.validation.failure_reason.startswith("output.")


@pytest.mark.clause("004-A2", "004-S10")
@pytest.mark.parametrize(
    "given",
    [
        {},
        [],
        bundle(results=[]),
        bundle(chunk(0, "Text."), chunk(0, "Text.")),
        bundle(chunk(0, "Text.", float("nan"))),
        bundle(chunk(0, "lone \ud800 surrogate")),
        refuse("bundle: is no strict JSON (json.invalid)"),
    ],
    ids=["empty", "list", "no results", "same rank", "nan", "surrogate", "no json"],
)
def test_a_broken_bundle_fails_and_is_on_record(tmp_path, run, given):
    """FAILED is an outcome for a person, with its reason; nothing is sent, nothing raised."""

    async def work():
        async with opened(tmp_path, GOOD, environ=KEY) as runtime:
            told = await ask(runtime, bundle=given)
            verified = await runtime.verify()
            return told, verified, await runtime.replay(told.call, load_pack("grounded"))

    told, verified, replayed = run(work())

    assert ("needs_review", "assembly.failed") == (told.outcome.status, told.outcome.reason)
    assert told.assembly.failure_reason
    assert None is told.answer
    assert [] == sent(tmp_path)
    assert "broken" != verified.status
    assert ("identical", "same") == (replayed.prompt, replayed.verdict)


def test_the_same_question_is_not_sent_twice(tmp_path, run):
    """A settled answer is told again from the record, equal in every field."""

    async def work():
        async with opened(tmp_path, GOOD, GOOD) as runtime:
            one, two = await ask(runtime), await ask(runtime)
            three = await ask(runtime, again=True)
            return one, two, three

    one, two, three = run(work())

    assert one.to_dict() == two.to_dict()
    assert (False, True, False) == (one.reused, two.reused, three.reused)
    assert 2 == len(sent(tmp_path))


def own_pack(folder, models: str = '["gpt-*"]', **files: bytes):
    """A copy of the pack in *folder*, frozen for *models*."""
    copied = dict(load_pack("grounded").files)
    lines = copied["pack.yaml"].decode().replace('models: ["*"]', f"models: {models}")
    for name, data in {**copied, "pack.yaml": lines.encode(), **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return load_pack(str(folder))


@pytest.mark.clause("004-X2")
def test_a_pack_freezes_the_family_of_models(tmp_path, run):
    """What a copied pack names is asked, and nothing else; the pack's policy holds."""
    other = own_pack(tmp_path / "other")
    mine = own_pack(tmp_path / "mine", '["scripted:*"]')

    async def work():
        async with opened(tmp_path, GOOD) as runtime:
            refused = await ask(runtime, pack=other)
            assert [] == sent(tmp_path)
            return refused, await ask(runtime, pack=mine)

    refused, asked = run(work())

    assert ("needs_review", "model.refused") == (refused.outcome.status, refused.outcome.reason)
    assert refused.answer is None
    assert GOOD == asked.answer
    assert ("*",) == load_pack("grounded").models


@pytest.mark.clause("004-X2")
def test_only_a_pack_of_answers_gives_rules(tmp_path, run):
    """Another pack, another template, several policies, and two who say the models are refused."""
    template = b"=== SYSTEM ===\n"
    edited = own_pack(tmp_path / "edited", **{"templates/prompt_template_v1.txt": template})
    policy = b"policy_version: X\n"
    two = own_pack(tmp_path / "two", **{"policies/second.yaml": policy})

    async def work(**how):
        async with opened(tmp_path, GOOD) as runtime:
            return await ask(runtime, **how)

    for refused, error in [
        ({"pack": load_pack("intake")}, InputError),
        ({"pack": edited}, PackError),
        ({"pack": two}, InputError),
        ({"pack": own_pack(tmp_path / "both"), "models": ("*",)}, UsageError),
    ]:
        with pytest.raises(error):
            run(work(**refused))
    assert [] == sent(tmp_path)


@pytest.mark.clause("004-X2")
def test_a_model_outside_the_family_is_not_asked(tmp_path, run):
    """A prompt frozen for one family of models goes to no other."""

    async def work():
        async with opened(tmp_path, GOOD) as runtime:
            refused = await ask(runtime, models=("gpt-*",))
            return refused, await ask(runtime, models=("scripted:*",))

    refused, asked = run(work())

    assert "model.refused" == refused.outcome.reason
    assert GOOD == asked.answer
    assert 1 == len(sent(tmp_path))


@pytest.mark.clause("004-B5")
def test_an_answer_replays(tmp_path, run):
    """With the sources kept, the prompt is rebuilt to the byte and the verdict is the same."""

    async def work():
        async with opened(tmp_path, WRONG, GOOD, environ=KEY) as runtime:
            told = await ask(runtime)
            return await runtime.replay(told.call, load_pack("grounded"))

    replayed = run(work()).to_dict()

    assert ("identical", "same", "same", "same", 2) == tuple(
        replayed[name] for name in ("prompt", "verdict", "result", "contract", "attempts")
    )
    assert "identical" == replayed["redacted"]


def test_without_the_sources_an_answer_is_unavailable_not_equal(tmp_path, run):
    """What was not kept cannot be said to be the same."""

    async def work():
        async with opened(tmp_path, GOOD) as runtime:
            told = await ask(runtime)
            return await runtime.replay(told.call, load_pack("grounded"))

    replayed = run(work())

    assert ("unavailable", "unavailable") == (replayed.prompt, replayed.verdict)


def test_a_person_corrects_an_answer(tmp_path, run):
    """A corrected answer passes the same checks, and from then on is the answer."""

    async def work():
        async with opened(tmp_path, WRONG, WRONG, environ=KEY) as runtime:
            told = await ask(runtime)
            (review,) = await runtime.reviews()
            bad = Decision(accept=True, reviewer="r", reason="x", output=WRONG.encode())
            good = Decision(accept=True, reviewer="r", reason="x", output=f"{GOOD}\n".encode())
            refused = await runtime.decide(review.id, bad)
            taken = await runtime.decide(review.id, good)
            return told, refused, taken, await ask(runtime)

    told, refused, taken, later = run(work())

    assert None is told.answer
    assert (False, True) == (refused.taken, taken.taken)
    assert "grounding.number" in [finding.code for finding in refused.weighed.findings]
    assert ("accepted", GOOD) == (later.outcome.status, later.answer)
    assert ["C0"] == [citation["anchor"] for citation in later.citations]
    assert 2 == len(sent(tmp_path))


def test_the_record_holds_neither_question_nor_evidence_in_the_clear(tmp_path, run):
    """Without a master key, rows and facts hold digests; payloads hold no chunk."""
    secret = "Anna Musterfrau owes 25 EUR."

    async def work():
        async with opened(tmp_path, REFUSAL) as runtime:
            told = await runtime.ask("Does Zacharias pay?", bundle=bundle(chunk(0, secret)))
            whole = await runtime.call(told.call)
            for event in whole["events"]:
                event["payloads"].pop("prompt_redacted", None)
            return json.dumps(whole), await runtime.calls(CallFilter(contract="grounded/answer"))

    whole, rows = run(work())

    assert "Musterfrau" not in whole
    assert "Zacharias" not in whole
    assert "Zacharias" not in rows[0].input


@pytest.mark.clause("004-X6")
def test_plain_logs_hold_no_text(tmp_path, run, caplog):
    """Question, evidence and answer stay out of the logs."""
    caplog.set_level("DEBUG", "assay")
    run(_accepted(tmp_path))

    assert caplog.text
    assert "card" not in caplog.text


def test_documents_or_a_bundle(tmp_path, run):
    """Neither or both is a wrong use; a refused policy is said at once."""

    async def work():
        async with opened(tmp_path, GOOD) as runtime:
            with pytest.raises(UsageError):
                await runtime.ask(QUESTION)
            with pytest.raises(UsageError):
                await runtime.ask(QUESTION, docs=["x"], bundle=bundle())
            with pytest.raises(InputError):
                await ask(runtime, policy={"policy_version": "R2_POLICY_V1"})
            return await runtime.calls()

    assert [] == list(run(work()))


def test_a_job_is_found_again_in_its_material():
    """What is kept of an answer gives the same job, to the digest and to the byte."""
    material = answer_material(bundle(), QUESTION, R2_POLICY_V1, models=("a*",))
    kept = type(material).from_dict(json.loads(json.dumps(material.to_dict())))
    under = {"pack": "library", "pack_version": "3", "models": ("a*",)}
    job = answer_job(bundle(), QUESTION, R2_POLICY_V1, Redactor(), **under)
    call = KeptCall(
        id="c",
        run=1,
        kind="answer",
        reference="library/answer",
        contract_digest=job.digest,
        input="",
        input_digest="",
        opened={"pack_version": "3"},
        material=kept,
        attempts=(),
        settled=None,
        result=None,
    )
    again = AnswerJob.restore(call, no_pack, Redactor())

    one, two = job.build(1, ()), again.build(2, ())
    assert not isinstance(one, Stop)
    assert not isinstance(two, Stop)
    assert (job.digest, one.prompt.sha256) == (again.digest, two.prompt.sha256)


def test_the_pack_on_record_is_the_bundled_one():
    """The version that answers are recorded under is that of the pack `grounded`."""
    assert DEFAULT_PACK == ("grounded", load_pack("grounded").version)


def test_the_plain_runtime_answers_from_documents(tmp_path):
    """`assay.open(…).ask(question, docs=[…])`, without an event loop of one's own."""
    (tmp_path / "fees.md").write_text("The fee for a new card is 25 EUR.\n")
    environ = {"ASSAY_INDEX": str(tmp_path / "index")}
    with wiring.open(
        f"sqlite:///{tmp_path / 'a.db'}", script(tmp_path, GOOD), environ=environ
    ) as runtime:
        told = runtime.ask(QUESTION, docs=[str(tmp_path / "fees.md")])

    assert (GOOD, 0, 33) == (told.answer, told.citations[0]["start"], told.citations[0]["stop"])


def test_answers_live_in_postgresql_too(tmp_path, run):
    """The same call on the other store: recorded, told again, replayed."""

    async def work(url):
        environ = {"ASSAY_RETRY_ATTEMPTS": "1", **KEY}
        model = script(tmp_path, WRONG, GOOD)
        async with wiring.aopen(url, model, environ=environ) as runtime:
            told, again = await ask(runtime), await ask(runtime)
            return told, again, await runtime.replay(told.call, load_pack("grounded"))

    try:
        with postgres.running() as server, server.database() as url:
            told, again, replayed = run(work(url))
    except postgres.NoServer as reason:
        reason.end_test()

    assert (GOOD, True) == (told.answer, again.reused)
    assert told.to_dict() == again.to_dict()
    assert ("identical", "same") == (replayed.prompt, replayed.verdict)


@pytest.mark.clause("008-A4", "008-A5")
def test_a_citation_says_which_part_of_its_passage_carries_the_answer(tmp_path, run):
    """In the passage, and in the file where retrieval said that the passage is a part of it."""
    notes = tmp_path / "cards.txt"
    notes.write_bytes(
        "Opening hours are from nine to five.\r\n\r\nThe  fee for a new\u00ad card is 25 EUR. "
        "It is due within 14 days.\r\n".encode()
    )

    async def asked():
        async with opened(tmp_path, GOOD) as runtime:
            return await runtime.ask(QUESTION, docs=[str(notes)])

    told = run(asked())
    (citation,) = told.citations
    (marker,) = citation["markers"]
    span, text = citation["span"], citation["text"]
    whole = notes.read_bytes().decode().replace("\r\n", "\n")

    assert "The fee for a new card is 25 EUR." == text[span["start"] : span["stop"]]
    assert (
        "The  fee for a new\u00ad card is 25 EUR."
        == (whole[citation["source_start"] : citation["source_stop"]])
    )
    assert citation["start"] <= citation["source_start"] < citation["source_stop"]
    assert {name: marker[name] for name in ("span", "source_start", "source_stop")} == {
        name: citation[name] for name in ("span", "source_start", "source_stop")
    }
    assert "The fee for a new card is 25 EUR." in told._repr_html_()


@pytest.mark.clause("008-A5")
def test_a_ready_bundle_says_nothing_of_a_file(tmp_path, run):
    """The span of the passage is told all the same."""
    (citation,) = run(_accepted(tmp_path)).citations

    assert {"start": 0, "stop": 33} == citation["span"]
    assert (None, None) == (citation["source_start"], citation["source_stop"])


@pytest.mark.clause("008-R7")
def test_a_citation_names_page_title_heading_and_metadata_of_a_bundle(tmp_path, run):
    """What the store says of a passage is told where the passage is cited, and filtered by."""
    told = {"page": 3, "title": "Rules", "heading": "Fees", "author": "A. Weber"}
    given = bundle(
        {**chunk(0, "Cards are sent by post."), "metadata": {"page": 1}},
        {**chunk(1, "The fee for a new card is 25 EUR.", 0.8), "metadata": told},
    )

    async def scenario():
        async with opened(tmp_path, GOOD) as runtime:
            return await ask(runtime, bundle=given, where={"page": 3})

    answered = run(scenario())
    (citation,) = answered.citations
    assert "accepted" == answered.outcome.status
    assert (3, "Rules", "Fees") == tuple(citation[name] for name in ("page", "title", "heading"))
    assert "A. Weber" == citation["metadata"]["author"]
    assert ("ch-1", None) == (citation["chunk_id"], citation["file"])
    assert answered.nearest is None


@pytest.mark.clause("008-R3")
def test_a_missed_gate_is_told_with_score_and_threshold(tmp_path, run):
    """Which passage came nearest and what it missed; nothing where there was nothing at all."""
    given = bundle(chunk(0, "Cards are sent by post.", 0.41), chunk(1, "Other.", 0.2))

    async def scenario():
        async with opened(tmp_path, GOOD) as runtime:
            missed = await ask(runtime, bundle=given)
            empty = await ask(runtime, bundle={**bundle(), "results": [], "no_evidence": True})
            return missed, empty

    missed, empty = run(scenario())
    assert "no_evidence" == missed.outcome.status
    nearest = missed.to_dict()["nearest"]
    assert ("ch-0", 0.41, 0.5) == tuple(
        nearest[name] for name in ("chunk_id", "similarity_score", "threshold")
    )
    assert empty.nearest is None
