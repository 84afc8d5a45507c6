"""A record that the first release wrote still holds, replays, and can be gone on with.

Everything goes through the command line, on a copy: `tests/fixtures/first_release` is evidence
and is never written (see its README).
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import command
from tests.parts import require_part
from tests.processes import ROOT, run_python

KEPT = ROOT / "tests" / "fixtures" / "first_release"
PACKS = ROOT / "tests" / "fixtures" / "first_release_packs"
"""Bundled packs of that release whose contracts say more today."""

READ_ANEW = "mails/intake-07-b81451c0.eml"
"""Its language could not be guessed then and is today: that is another material."""

SAY_MORE = {
    "intake/classify",
    "intake/identify",
    "services/agency_detect_v1",
    "services/category_select_v1",
    "services/semantic_analysis_v1",
    "services/service_select_v1",
    "services/multi_agency_service_answer_v1",
}
"""Contracts of these packs that ask for more today."""

VERIFIER = ROOT / "tools" / "verify_receipt.py"
MANIFEST: dict[str, Any] = json.loads((KEPT / "manifest.json").read_text("utf-8"))
CALLS: dict[str, dict[str, Any]] = {each["id"]: each for each in MANIFEST["calls"]}
WAITING: list[dict[str, Any]] = MANIFEST["open_reviews"]
LIBRARY: str = MANIFEST["copied_pack"]["folder"]
FROZEN = "grounded/prompt_template_v1@1"
TRIAL = "classifier/intake.classify@3"
TRUST = ("--key", MANIFEST["anchor"]["key"])
ANCHOR = ("--anchor", MANIFEST["anchor"]["file"], *TRUST)

Assay = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A copy of the folder to work in, with the packs of that release under `bundled`."""
    shutil.copytree(PACKS, tmp_path / "first_release" / "bundled")
    return Path(shutil.copytree(KEPT, tmp_path / "first_release", dirs_exist_ok=True))


def on_record(word: str) -> str:
    """*word*, or the folder of the pack on record where it names a pack that says more today."""
    return f"bundled/{word}" if word.split("/", maxsplit=1)[0] in ("intake", "services") else word


@pytest.fixture
def assay(place: Path) -> Assay:
    """Runs a command with --json under the settings of that record; the documents it printed."""
    settings = json.loads((place / "settings.json").read_text("utf-8"))
    settings["ASSAY_INDEX"] = str(place.parent / "index")

    def run(*words: str, code: int = 0, **extra: str) -> list[dict[str, Any]]:
        done = command.assay(place, *words, "--json", **settings | extra)
        assert code == done.code, (words, done.out[-500:], done.err)
        return done.documents

    return run


@pytest.fixture
def one(assay: Assay) -> Callable[..., dict[str, Any]]:
    """Runs a command with --json that prints one document."""

    def run(*words: str, code: int = 0) -> dict[str, Any]:
        (document,) = assay(*words, code=code)
        return document

    return run


@pytest.fixture
def holds(one: Any) -> Iterator[None]:
    """Whatever the test did: the record verifies afterwards, up to the anchor and beyond."""
    yield
    verified = one("audit", "verify", *ANCHOR)
    assert ("ok", None) == (verified["status"], verified["first_bad"])
    assert MANIFEST["record"]["anchored"] == verified["anchored_events"]


def script(place: Path, replies: list[str]) -> tuple[str, ...]:
    """Options for a model that says *replies*, and writes down what it was asked."""
    lines = (json.dumps({"text": reply}) + "\n" for reply in replies)
    (place / "new.jsonl").write_text("".join(lines), encoding="utf-8")
    return ("--model", "scripted:new.jsonl", "--script-log", "asked.jsonl")


def told_of(then: Any, now: Any) -> Any:
    """*now* without the fields that the release did not print yet."""
    if isinstance(then, dict):
        return {name: told_of(value, now[name]) for name, value in then.items()}
    if isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        return [told_of(*pair) for pair in zip(then, now, strict=True)]
    return now


def asked(place: Path) -> int:
    """How often the model was asked."""
    log = place / "asked.jsonl"
    return len(log.read_text("utf-8").splitlines()) if log.exists() else 0


def decide(place: Path, one: Any, review: dict[str, Any], output: str | None, code: int = 0) -> Any:
    """A person accepts *output*, or rejects the case where there is none."""
    words = ["review", "decide", review["review"], "--reason", "seen", "--reviewer", "B. Later"]
    if output is None:
        return one(*words, "--reject", code=code)
    (place / "output").write_text(output, encoding="utf-8")
    pack = review.get("pack") or on_record(str(review["what"]).split("/")[0])
    more = ("--pack", pack) if "/" in str(review["what"]) else ()
    return one(*words, "--accept", "--output", "output", *more, code=code)


def named(review: dict[str, Any]) -> str:
    return str(review["what"])


def test_the_record_verifies_against_the_anchor_that_was_kept(one):
    """Unbroken, as many events as were written, the same root; the anchor's signature counts."""
    told = MANIFEST["record"]
    verified = one("audit", "verify", *ANCHOR)

    assert ("ok", None) == (verified["status"], verified["first_bad"])
    assert (told["events"], told["root"]) == (verified["events"], verified["head"])
    assert (told["anchored"], True) == (verified["anchored_events"], verified["anchor"]["signed"])
    assert told["erased_payloads"] == verified["erased"]


def test_the_time_stamp_of_the_checkpoint_verifies(one):
    """The token in the store is one of the authority whose certificate was kept."""
    require_part("timestamps", "rfc3161_client")
    roots = ("--tsa-roots", MANIFEST["anchor"]["tsa_roots"])

    assert 1 == one("audit", "verify", *ANCHOR, *roots)["checkpoints"]["timestamps_verified"]


def test_the_log_reads_as_it_was_written(assay):
    """Every event is listed, none is of another kind, the last one has its digest."""
    events = assay("audit", "log")
    kinds: dict[str, int] = {}
    for event in events:
        kinds[event["kind"]] = kinds.get(event["kind"], 0) + 1

    assert MANIFEST["record"]["kinds"] == kinds
    assert MANIFEST["record"]["head"] == events[-1]["digest"]


def test_the_export_of_the_release_is_complete(one):
    """An export that was made then is checked now."""
    exported = MANIFEST["export"]

    assert ("ok", exported["events"]) == tuple(
        one("audit", "check-export", exported["folder"])[name] for name in ("status", "events")
    )


def test_calls_are_listed_as_they_ended(one):
    """Contract and its digest, model, input, outcome, reason, attempts: as they were recorded."""
    listed = {each["id"]: each for each in one("calls", "list", "--limit", "1000")["calls"]}

    assert set(CALLS) == set(listed)
    for call, told in CALLS.items():
        facts = {name: told[name] for name in told.keys() - {"copied_pack", "replay"}}
        assert facts == {name: listed[call][name] for name in facts}


def test_every_call_replays(assay):
    """Each prompt is rebuilt byte for byte, each verdict is the same; and what was gone stays so.

    Calls of the copied pack are among them: this release recorded them under the bundled one's
    name, and they replay without their folder.
    """
    replays = {each["call"]: each for each in assay("replay", *CALLS)}
    facts = ("prompt", "redacted", "first_difference", "verdict", "result", "attempts")

    assert set(CALLS) == set(replays)
    for call, now in replays.items():
        then = CALLS[call]["replay"]
        assert {n: then[n] for n in facts} == {n: now[n] for n in facts}, CALLS[call]["contract"]
        assert then["without_sources"] == now["without_sources"]
        assert [f["code"] for f in then["findings"]] == [f["code"] for f in now["findings"]]
        # A call that was sent nothing names no template version: then, it read as changed.
        if CALLS[call]["contract"] in SAY_MORE:
            assert "changed" == now["contract"]
        else:
            assert now["contract"] == "same" or then["contract"] == "changed"
    kept = [e["replay"] for e in CALLS.values() if e["attempts"] and e["outcome"] == "accepted"]
    identical = [each for each in kept if each["prompt"] == "identical"]
    assert len(identical) == len(kept) - len(MANIFEST["erased_calls"])


@pytest.mark.parametrize("pack", sorted(each.name for each in PACKS.iterdir() if each.is_dir()))
def test_calls_replay_under_the_pack_on_record(assay, pack):
    """Given the pack that they were made with, their contracts are what they were."""
    calls = [
        call
        for call, each in CALLS.items()
        if each["contract"].startswith(f"{pack}/") and each["replay"]["contract"] == "same"
    ]
    replays = assay("replay", *calls, "--pack", f"bundled/{pack}")

    assert calls
    assert {"same"} == {now["contract"] for now in replays}
    assert [CALLS[call]["replay"]["verdict"] for call in calls] == [
        now["verdict"] for now in replays
    ]


def test_calls_of_a_copied_pack_replay_with_its_folder(assay):
    """Given the folder, they are rebuilt under it: identical, same verdict, same contract."""
    for now in assay("replay", *MANIFEST["copied_pack"]["calls"], "--pack", LIBRARY):
        assert ("identical", "same", "same") == (now["prompt"], now["verdict"], now["contract"])


@pytest.mark.parametrize("contract", sorted(MANIFEST["backtests"]))
def test_a_backtest_finds_what_it_found(one, contract):
    """As many calls tested, skipped and turned; the candidate has the same digest."""
    then = MANIFEST["backtests"][contract]
    more = ("--pack", on_record("intake")) if "@" in contract else ()
    now = one("backtest", contract if more else on_record(contract), *more)
    facts = ("contract", "candidate", "calls", "tested", "skipped", "would_turn", "prompts")

    assert {name: then[name] for name in facts} == {name: now[name] for name in facts}


def test_the_open_reviews_wait_and_the_decided_one_is_decided(one):
    """The queue is what it was, and each case can be looked at."""
    listed = {e["id"]: e for e in one("review", "list", "--status", "all")["reviews"]}

    assert {each["id"] for each in MANIFEST["reviews"]} == set(listed)
    for then in MANIFEST["reviews"]:
        now = listed[then["id"]]
        facts = ("input", "reason", "status", "call", "reviewer")
        assert {name: then[name] for name in facts} == {name: now[name] for name in facts}
        shown = one("review", "show", then["id"])
        assert then["call"] == (shown["call"] and shown["call"]["call"]["id"])
    assert "accepted" == listed[MANIFEST["decided_review"]]["status"]


@pytest.mark.usefixtures("holds")
@pytest.mark.parametrize("review", [r for r in WAITING if r["accept"] is not None], ids=named)
def test_an_open_review_is_decided_by_a_person(place, one, review):
    """What does not fit is not taken (20); a right output is accepted, and its call with it.

    A decided stage moves its session to where the graph leads.
    """
    refused = decide(place, one, review, "{}", code=20)
    assert "open" == refused["review"]["status"]
    decided = decide(place, one, review, review["accept"])
    call = one("calls", "show", review["call"])["call"]

    assert ("accepted", "B. Later") == tuple(
        decided["review"][name] for name in ("status", "reviewer")
    )
    assert "accepted" == call["outcome"]
    if "session" in review:
        assert review["session"] == decided["session"]["id"]
        assert review["next_stage"] == decided["session"]["next_stage"]
    else:
        assert None is decided["session"]
    (again,) = [one("replay", review["call"])]
    assert ("identical", "same") == (again["prompt"], again["verdict"])


@pytest.mark.usefixtures("holds")
def test_every_open_review_can_be_rejected(place, one):
    """Also those without a call or a reply: unreadable, out of budget, refused, no bundle."""
    for review in [each for each in MANIFEST["reviews"] if each["status"] == "open"]:
        decided = decide(place, one, {"review": review["id"]}, None)
        assert "rejected" == decided["review"]["status"], review["reason"]

    assert [] == one("review", "list")["reviews"]


@pytest.mark.usefixtures("holds")
def test_a_turn_goes_on_after_the_decision(place, one):
    """The same message takes the turn up behind the decided stage: only the rest is asked."""
    (review,) = [each for each in WAITING if "replies" in each]
    decide(place, one, review, review["accept"])
    words = (
        "chat",
        on_record("services"),
        "--session",
        review["session"],
        "--message",
        review["message"],
    )
    turn = one(*words, *script(place, review["replies"]))

    assert ("accepted", 1, review["reply"]) == (turn["outcome"], turn["turn"], turn["reply"])
    assert len(review["replies"]) == asked(place)
    assert review["call"] in {stage["call"] for stage in turn["stages"]}


@pytest.mark.usefixtures("holds")
def test_a_turn_that_was_cut_off_is_taken_up(place, one):
    """What its stages settled then is not asked again."""
    cut = MANIFEST["cut_turn"]
    words = (
        "chat",
        on_record("services"),
        "--session",
        cut["session"],
        "--message",
        cut["message"],
    )
    turn = one(*words, *script(place, cut["replies"]))

    assert ("accepted", 1, cut["reply"]) == (turn["outcome"], turn["turn"], turn["reply"])
    assert len(cut["replies"]) == asked(place)


@pytest.mark.usefixtures("holds")
def test_a_session_is_shown_and_talks_on(place, one):
    """State, summary and latest turn of every session are as they were; the next turn follows."""
    listed = {each["id"]: each for each in one("sessions", "list")["sessions"]}
    assert set(MANIFEST["sessions"]) == set(listed)
    for name, then in MANIFEST["sessions"].items():
        shown = one("sessions", "show", name)
        for fact in ("cached_state", "summary", "turn"):
            assert then[fact] == shown[fact]
        facts = ("pack", "status", "turn", "step", "next_stage", "state_digest")
        assert {n: then["session"][n] for n in facts} == {n: shown["session"][n] for n in facts}
        assert then["session"]["state_digest"] == listed[name]["state_digest"]

    following = MANIFEST["next_turn"]
    words = ("--session", following["session"], "--message", following["message"])
    turn = one("chat", on_record("services"), *words, *script(place, following["replies"]))
    assert ("accepted", following["turn"]) == (turn["outcome"], turn["turn"])
    assert len(following["replies"]) == asked(place)


@pytest.mark.usefixtures("holds")
def test_a_call_that_was_never_answered_is_begun_again(place, assay, one):
    """Under its old id and with the bytes that were to be sent; what was settled stays."""
    unfinished = MANIFEST["open_call"]
    # Its run drew the active version, and a later run may draw the one on trial.
    one("templates", "canary", TRIAL, "0", "--by", "cleo")
    done = assay(*map(on_record, unfinished["words"]), "--script-log", "asked.jsonl")
    events = one("calls", "show", unfinished["call"])["events"]
    built = [e["facts"]["prompt_sha256"] for e in events if e["kind"] == "prompt.built"]

    assert ["accepted", "accepted"] == [each["outcome"] for each in done]
    assert unfinished["call"] == done[1]["calls"][0]
    assert 3 == asked(place)
    first = json.loads((place / "asked.jsonl").read_text("utf-8").splitlines()[0])
    assert {first["prompt_sha256"]} == set(built)


def is_changed(words: list[str]) -> bool:
    """Whether it asks `extractive`, which has learnt since, or finds passages otherwise today."""
    return bool({"extractive", "--docs"} & set(words))


def settled_before(*, changed: bool) -> Any:
    """What was settled; calls of the copied pack, which is not on record, are left out."""
    return pytest.mark.parametrize(
        "settled",
        [
            each
            for each in MANIFEST["reuse"]
            if LIBRARY not in each["words"] and is_changed(each["words"]) is changed
        ],
        ids=lambda each: " ".join(w for w in each["words"] if not w.startswith("mails")),
    )


@pytest.mark.usefixtures("holds")
@settled_before(changed=False)
def test_what_was_settled_is_not_asked_again(place, assay, one, settled):
    """Under the same contract, model and bytes the answer comes from the record.

    So digests of contracts, models and inputs are what they were, byte for byte. A mail that is
    read otherwise today is left out.
    """
    # Both runs of the intake drew the version on trial, and a later run may draw the other.
    one("templates", "canary", TRIAL, "100", "--by", "cleo")
    before = one("calls", "list", "--limit", "1000")["calls"]
    words = [on_record(word) for word in settled["words"] if word != READ_ANEW]
    printed = assay(*words, "--script-log", "asked.jsonl")

    assert 0 == asked(place)
    assert [call["id"] for call in before] == [
        call["id"] for call in one("calls", "list", "--limit", "1000")["calls"]
    ]
    told = [each for each in settled["printed"] if each.get("input") != READ_ANEW]
    for then, now in zip(told, printed, strict=True):
        assert then == told_of(then, now)


@pytest.mark.usefixtures("holds")
@settled_before(changed=True)
def test_another_model_or_other_passages_are_asked_anew(assay, one, settled):
    """What was settled stands as it was beside the new call, which takes nothing from it."""
    before = {call["id"]: call for call in one("calls", "list", "--limit", "1000")["calls"]}
    assay(*map(on_record, settled["words"]))
    after = {call["id"]: call for call in one("calls", "list", "--limit", "1000")["calls"]}

    assert before == {name: after[name] for name in before}
    assert len(before) < len(after)


@pytest.mark.usefixtures("holds")
def test_the_registry_stands_as_it_was_released(place, one):
    """Each version in its state, none drifted; a version is shown with its text and signer.

    The frozen prompt of answers never was in the registry: the first release itself reports it
    as gone, and nothing else.
    """
    listed = {
        (e["role"], e["name"], e["version"]): e for e in one("templates", "list")["templates"]
    }
    facts = ("state", "percent", "sha256", "fields_sha256", "drifted")

    assert {(e["role"], e["name"], e["version"]) for e in MANIFEST["templates"]} == set(listed)
    for then in MANIFEST["templates"]:
        now = listed[then["role"], then["name"], then["version"]]
        assert {name: then[name] for name in facts} == {name: now[name] for name in facts}
    for label in ("2", "active", "careful"):
        shown = one("templates", "show", f"classifier/intake.classify@{label}")["template"]
        assert (2, MANIFEST["signer"]) == (shown["version"], shown["signer"])
        assert "You carefully sort the incoming mail" in shown["template"]
    drift = one("templates", "drift")["drift"]
    assert {(hit["kind"], hit["id"]) for hit in drift} <= {("gone", FROZEN)}


@pytest.mark.usefixtures("holds")
def test_releases_go_on(one):
    """What was on trial is promoted, rolled back, and the retired version stays retired."""
    at = "classifier/intake.classify"

    assert 3 == one("templates", "promote", f"{at}@canary", "--by", "cleo")["template"]["version"]
    assert 2 == one("templates", "rollback", at, "--by", "cleo")["template"]["version"]
    assert "not_allowed" == one("templates", "promote", f"{at}@4", code=50)["error"]["code"]


def vouched(place: Path, receipt: str, key: str) -> subprocess.CompletedProcess[bytes]:
    return run_python(str(VERIFIER), receipt, "--key", key, cwd=place)


@pytest.mark.parametrize("receipt", sorted(MANIFEST["receipts"]))
def test_a_receipt_that_was_kept_verifies(place, assay, receipt):
    """A stranger's script accepts it offline, and refuses it under another's key."""
    assay("audit", "keygen", "other")
    done = vouched(place, receipt, MANIFEST["anchor"]["key"])

    assert 0 == done.returncode, done.stdout + done.stderr
    assert 50 == vouched(place, receipt, "other.pub").returncode


@pytest.mark.usefixtures("holds")
def test_a_new_receipt_of_an_old_call_verifies(place, assay):
    """Of a call of each kind: accepted, decided, waiting, answered, a stage, erased, copied."""
    assay("audit", "keygen", "new")
    some = {(each["contract"], each["outcome"]): call for call, each in CALLS.items()}
    calls = [call for (_, outcome), call in some.items() if outcome is not None]
    calls += [*MANIFEST["receipts"].values(), *MANIFEST["erased_calls"]]
    calls += MANIFEST["copied_pack"]["calls"]
    for call in dict.fromkeys(calls):
        assay("audit", "receipt", call, "--output", "receipt", ASSAY_SIGNING_KEY="new")
        done = vouched(place, "receipt", "new.pub")
        assert 0 == done.returncode, (CALLS[call]["contract"], done.stdout, done.stderr)


@pytest.mark.usefixtures("holds")
def test_who_was_erased_stays_erased_and_others_can_be(one):
    """Nothing of the erased sender can be read; a sender of then is erased now."""
    for call in MANIFEST["erased_calls"]:
        events = one("calls", "show", call, "--prompt", "--raw")["events"]
        assert {None} == {value for event in events for value in event["payloads"].values()}
    words = ("--reason", "asked for it", "--actor", "keeper")
    again = one("audit", "erase", "paula.kern@example.org", *words)
    assert (0, True) == (again["erased_payloads"], again["already_erased"])
    other = one("audit", "erase", "hannah.reed@example.org", *words)
    assert other["erased_payloads"] > 0


@pytest.mark.usefixtures("holds")
def test_new_work_goes_into_the_old_record(place, assay, one):
    """A new mail is run and a new question asked; both replay."""
    (place / "mails" / "new.eml").write_text(
        "From: New <new@example.org>\nTo: s@example.insure\nSubject: Hail\n\nHail broke a pane.\n"
    )
    (ran,) = assay("run", "intake", "mails/new.eml", "--model", "extractive")
    answer = "Cards are sent by post. [C0]"
    words = ("ask", "How are cards sent?", "--bundle", "bundle.json")
    answered = one(*words, *script(place, [answer, answer]))

    for replayed in assay("replay", *ran["calls"], answered["call"]):
        assert ("identical", "same") == (replayed["prompt"], replayed["verdict"])
