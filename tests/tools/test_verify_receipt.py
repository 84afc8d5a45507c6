"""The verifier of receipts: one file, offline, and nothing false gets past it."""

from __future__ import annotations

import ast
import asyncio
import copy
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.record.checkpoint import Checkpoint, Signer
from assay.record.keys import key_files
from assay.runtime.audit.checkpoints import AuditKeys
from assay.runtime.audit.receipts import make_receipt
from assay.runtime.reviews.decision import Decision
from tests.loading import load_tool
from tests.processes import run_python
from tests.runtime.tiny import FILES, GOOD, TEXT, UNKNOWN_LABEL, opened, tiny_pack

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "verify_receipt.py"
SECRET, PUBLIC = key_files(b"k" * 32)
KEYS = AuditKeys(signing=SECRET)
NAMES = ("accepted", "reviewed", "erased", "withdrawn")
MASTER = {"ASSAY_MASTER_KEY": "6b" * 32}


TOOL = load_tool("verify_receipt")


async def written(folder: Path, *replies: str, review=False, erase=False, again=False) -> dict:
    """A receipt of one call: answered, perhaps reviewed, erased, or asked again."""
    async with opened(folder, *replies, environ=MASTER) as runtime:
        pack = tiny_pack()
        (outcome,) = [each async for each in runtime.run(pack, [TEXT])]
        if review:
            (waiting,) = await runtime.reviews()
            decision = Decision(accept=True, reviewer="r.", reason="seen", output=GOOD.encode())
            assert (await runtime.decide(waiting.id, decision, pack=pack)).taken
        row = await runtime.store.call(outcome.calls[0].call)
        if again:
            assert [each async for each in runtime.run(pack, [TEXT], again=True)]
        if erase:
            await runtime.store.erase(row.subject, reason="asked", actor="a")
        context = runtime.context
        return await make_receipt(context.store, context.record, KEYS, row.id, clock=context.clock)


@pytest.fixture(scope="module")
def receipts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict]:
    """Of calls: plain, corrected by a person after two failures, erased, asked again later."""
    made = {}
    for name, replies, how in (
        ("accepted", [GOOD], {}),
        ("reviewed", [UNKNOWN_LABEL, UNKNOWN_LABEL], {"review": True}),
        ("erased", [GOOD], {"erase": True}),
        ("withdrawn", [UNKNOWN_LABEL, UNKNOWN_LABEL, GOOD], {"again": True}),
    ):
        made[name] = asyncio.run(written(tmp_path_factory.mktemp(name), *replies, **how))
    return made


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: pytest.TempPathFactory) -> list:
    file = tmp_path_factory.mktemp("key") / "k.pub"
    file.write_bytes(PUBLIC)
    return TOOL.read_keys([str(file)])


def fault(document: Any, keys: list, sources: dict[str, str] | None = None) -> str | None:
    """What the verifier finds; None when all holds."""
    text = document if isinstance(document, str) else json.dumps(document)
    try:
        TOOL.check(text, keys, sources or {})
    except TOOL.Fault as found:
        return str(found)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return "the receipt is malformed"
    return None


@pytest.mark.parametrize("name", NAMES)
def test_a_true_receipt_holds(receipts, trusted, name) -> None:
    """What assay wrote, the stranger's script accepts; the source's spans too."""
    sources = {"text": TEXT.decode()}

    assert None is fault(receipts[name], trusted)
    assert None is fault(receipts[name], trusted, sources)


def changes(value: Any, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """Every single change to a document: each leaf, each list, each object."""
    if isinstance(value, dict):
        for key in value:
            yield from changes(value[key], (*path, key))
            yield (*path, key), "DELETE"
        yield (*path, "added"), 1
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from changes(item, (*path, index))
            yield (*path, index), "DELETE"
        yield path, [*value, value[-1] if value else 0]
        if len(value) > 1 and value[0] != value[1]:
            yield path, [value[1], value[0], *value[2:]]
    elif isinstance(value, bool):
        yield path, not value
        yield path, int(value)
    elif isinstance(value, int | float):
        yield path, value + 1
        yield path, value - 1
        yield path, str(value)
    elif isinstance(value, str):
        yield path, value + "x"
        yield path, value[:-1] if value else "y"
        yield path, value.swapcase() if value.swapcase() != value else "z"
        yield path, None
    else:
        yield path, 0
        yield path, ""


def changed(document: dict, path: tuple, new: Any) -> dict:
    document = copy.deepcopy(document)
    at: Any = document
    for step in path[:-1]:
        at = at[step]
    if new == "DELETE":
        del at[path[-1]]
    else:
        at[path[-1]] = new
    return document


@pytest.mark.parametrize("name", NAMES)
def test_each_tampering_with_each_field_is_found(receipts, trusted, name) -> None:
    """Every field changed, deleted, doubled, swapped or added, one at a time."""
    document = receipts[name]
    missed = []
    count = 0
    for path, new in changes(document):
        if not path:
            continue
        count += 1
        if fault(changed(document, path, new), trusted) is None:
            missed.append((path, new))

    assert [] == missed
    assert count > 300


@pytest.mark.parametrize("name", NAMES)
def test_no_event_can_be_left_out(receipts, trusted, name) -> None:
    """Whoever drops events and tells the shorter story to match is found all the same."""
    document = receipts[name]
    kinds = [json.loads(entry["body"])["kind"] for entry in document["events"]]
    settled = kinds.index("call.settled")
    tried = 0
    for count in (1, 2, 3):
        for left_out in itertools.combinations(range(settled + 1), count):
            shorter = copy.deepcopy(document)
            shorter["events"] = [
                entry for at, entry in enumerate(shorter["events"]) if at not in left_out
            ]
            told = [(json.loads(shorter["run"]["body"]), {})]
            for entry in shorter["events"]:
                opened = {n: each.get("content") for n, each in entry["payloads"].items()}
                told.append((json.loads(entry["body"]), opened))
            shorter["says"] = TOOL.derive(told)
            tried += 1
            assert fault(shorter, trusted) is not None, [kinds[at] for at in left_out]

    assert tried >= 25


def test_a_key_of_an_unknown_kind_is_told(receipts, tmp_path) -> None:
    """A PEM file whose key the library does not know is wrong usage, never a traceback."""
    unknown = "MBAwBwYFKgMEBQYDBQABAgME"
    (tmp_path / "odd.pub").write_text(
        f"-----BEGIN PUBLIC KEY-----\n{unknown}\n-----END PUBLIC KEY-----\n"
    )
    (tmp_path / "good.json").write_text(json.dumps(receipts["accepted"]))

    done = run(tmp_path, "good.json", "--key", "odd.pub")

    assert 2 == done.returncode
    assert "Traceback" not in done.stderr


def test_a_repeated_name_is_found(receipts, trusted) -> None:
    """A reader that takes the first of two equal names would see another receipt."""
    text = json.dumps(receipts["accepted"])

    assert fault('{"format": "other", ' + text[1:], trusted) is not None


def test_every_truncation_is_found(receipts, trusted) -> None:
    """A receipt that was cut is none."""
    text = json.dumps(receipts["accepted"])

    assert all(fault(text[:stop], trusted) for stop in range(0, len(text) - 1, 97))


def test_a_span_that_is_not_in_the_source_is_found(receipts, trusted) -> None:
    """Given another text than the model was shown, nothing of it counts."""
    assert None is fault(receipts["accepted"], trusted, {"text": TEXT.decode()})
    for sources in ({"text": TEXT.decode() + " "}, {"body": TEXT.decode()}, {"text": ""}):
        assert "is not the text shown" in str(fault(receipts["accepted"], trusted, sources))


def test_spans_are_held_against_the_text() -> None:
    """Out of range, reversed, or with another digest."""
    shown = [{"source": "text", "digest": TOOL.digest(b"abc"), "segments": [[0, 3]]}]
    for start, stop, digest, holds in (
        (0, 1, TOOL.digest(b"a"), True),
        (1, 3, TOOL.digest(b"bc"), True),
        (0, 1, TOOL.digest(b"b"), False),
        (0, 4, TOOL.digest(b"abc"), False),
        (-1, 3, TOOL.digest(b"c"), False),
        (2, 1, TOOL.digest(b""), False),
    ):
        span = {"source": "text", "start": start, "stop": stop, "digest": digest}
        says = {
            "attempts": [{"shown": shown, "judged": {"spans": [span]}}],
            "settled": {"result": None},
            "review": None,
        }
        try:
            counts = TOOL.check_spans(says, {"text": "abc"})
        except TOOL.Fault:
            counts = None
        assert ({"checked": 1, "unchecked": 0} if holds else None) == counts


def test_only_a_trusted_key_counts(receipts, trusted, tmp_path) -> None:
    """No key, another key, another name for the key, a wrong signature, no signature at all."""
    document = receipts["accepted"]
    _, other = key_files(b"o" * 32)
    (tmp_path / "o.pub").write_bytes(other)
    strangers = TOOL.read_keys([str(tmp_path / "o.pub")])
    named = Signer(name="another.log", seed=b"k" * 32).verifier
    body, _, line = document["checkpoint"].rpartition("\n\n")

    assert "no trusted key" in str(fault(document, []))
    assert "no trusted key" in str(fault(document, strangers))
    assert "no trusted key" in str(fault(document, TOOL.read_keys([str(named)])))
    assert None is fault(document, [*strangers, *trusted])
    unsigned = document | {"checkpoint": body + "\n\n"}
    assert "nobody signed" in str(fault(unsigned, trusted))
    forged = line[:-8] + ("AAAA" if line[-8:-4] != "AAAA" else "BBBB") + line[-4:]
    wrong = document | {"checkpoint": f"{body}\n\n{forged}"}
    assert "is wrong" in str(fault(wrong, trusted))
    for lines in (line + forged, forged + line):  # as the library refuses it
        assert "is wrong" in str(fault(document | {"checkpoint": f"{body}\n\n{lines}"}, trusted))


def test_a_receipt_under_the_head_of_another_log_is_found(receipts, trusted) -> None:
    """Signed by the same key, over other events or more events than these proofs are for."""
    document = receipts["accepted"]
    origin, size, root = document["checkpoint"].split("\n")[:3]
    signer = Signer(name=origin, seed=b"k" * 32)
    for wrong in (
        Checkpoint(origin=origin, size=int(size), root=bytes(32)),
        Checkpoint(origin=origin, size=int(size) * 2 + 1, root=TOOL.unbase(root, "")),
        Checkpoint(origin=origin, size=1, root=TOOL.unbase(root, "")),
    ):
        swapped = document | {"checkpoint": wrong.sign([signer])}
        assert fault(swapped, trusted) is not None


def test_a_receipt_says_what_the_issue_asks_for(receipts) -> None:
    """Template, pack, prompt, model, reply, verdict, findings, spans, outcome, reviewer."""
    says = receipts["reviewed"]["says"]
    first = says["attempts"][0]

    assert "tiny" == says["run"]["pack"]
    assert says["run"]["pack_digest"].startswith("sha256:")
    assert 2 == len(says["attempts"])
    assert {"name", "role", "version", "sha256"} <= set(first["template"])
    assert first["prompt_sha256"].startswith("sha256:")
    assert first["prompt_redacted"].startswith("Answer with one JSON object.")
    assert {"temperature", "max_output_tokens", "seed"} == set(first["model_params"])
    assert first["answer"]["raw_sha256"].startswith("sha256:")
    assert "scripted" == first["answer"]["identity"]["kind"]
    assert "rejected" == first["judged"]["verdict"]
    assert ["label.unknown"] == [each["code"] for each in first["judged"]["findings"]]
    assert {"start", "stop", "digest"} <= set(first["judged"]["spans"][0])
    assert ("needs_review", "gate.rejected") == (
        says["settled"]["outcome"],
        says["settled"]["reason"],
    )
    assert ("accepted", "r.") == (says["review"]["decision"], says["review"]["reviewer"])
    assert "water" == says["review"]["result"]["label"]


def test_a_receipt_says_which_call_took_the_place_of_this_one(receipts, trusted) -> None:
    """The outcome is what it was; nobody decided, and nobody is asked to any more."""
    document = receipts["withdrawn"]
    runs = [json.loads(entry["body"])["run"] for entry in document["events"]]

    assert [1] * (len(runs) - 1) + [2] == runs
    assert {"review", "by", "result", "at"} == set(document["says"]["review"])
    assert "needs_review" == TOOL.check(json.dumps(document), trusted, {})["outcome"]


@pytest.mark.parametrize("later", [False, True])
def test_the_receipt_of_a_held_call_holds(tmp_path, trusted, later) -> None:
    """Its review is about an accepted call; it is opened by the run that found it was cut."""
    holding = tiny_pack(pack__yaml=FILES["pack.yaml"] + b"shortened: review\n")
    text = TEXT + b" It rains and rains here." * 120

    async def go() -> dict:
        async with opened(tmp_path, GOOD, environ=MASTER) as runtime:
            for pack in (tiny_pack(), holding) if later else (holding,):
                (outcome,) = [each async for each in runtime.run(pack, [text])]
            assert "input.shortened" == outcome.outcome.reason
            call, made = outcome.calls[0].call, runtime.context
            return await make_receipt(made.store, made.record, KEYS, call, clock=made.clock)

    assert None is fault(asyncio.run(go()), trusted)


def test_what_was_erased_is_gone_and_vouched_for(receipts, trusted) -> None:
    """The receipt of an erased call holds, shows nothing, and names the erasure."""
    document = receipts["erased"]

    assert "water in the cellar" not in json.dumps(document)
    assert 1 == len(document["erasures"])
    assert None is document["says"]["attempts"][0]["prompt_redacted"]
    hidden = copy.deepcopy(receipts["accepted"])
    for entry in hidden["events"]:
        entry["payloads"] = {name: {"erased_by": 0} for name in entry["payloads"]}
    assert fault(hidden, trusted) is not None
    hidden["erasures"] = document["erasures"]
    assert fault(hidden, trusted) is not None


def test_the_script_stands_alone() -> None:
    """Standard library and `cryptography` only; one file of about 300 lines."""
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    named = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            named.add(str(node.module).partition(".")[0])

    assert named <= set(sys.stdlib_module_names) | {"cryptography"}
    assert len(SCRIPT.read_text(encoding="utf-8").splitlines()) <= 320


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = run_python("-I", str(SCRIPT), *words, cwd=folder)
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def test_exit_codes_and_words(receipts, tmp_path) -> None:
    """0 when all holds, 50 when not, 2 for what cannot be meant; never a traceback."""
    (tmp_path / "k.pub").write_bytes(PUBLIC)
    (tmp_path / "good.json").write_text(json.dumps(receipts["accepted"]))
    (tmp_path / "bad.json").write_text(json.dumps(receipts["accepted"] | {"says": {}}))
    (tmp_path / "cut.json").write_bytes(b'{"format": "assay-rec')
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "text.txt").write_bytes(TEXT)

    done = run(tmp_path, "good.json", "--key", "k.pub", "--source", "text=text.txt", "--json")
    assert 0 == done.returncode
    verdict = json.loads(done.stdout)
    assert ("ok", None, "accepted") == (verdict["status"], verdict["fault"], verdict["outcome"])
    assert 0 == verdict["spans"]["unchecked"]
    assert verdict["spans"]["checked"] > 0
    for name in ("bad.json", "cut.json", "bytes.json", "deep.json"):
        done = run(tmp_path, name, "--key", "k.pub")
        assert (50, "bad:") == (done.returncode, done.stdout[:4]), name
        assert "Traceback" not in done.stderr
    assert 50 == run(tmp_path, "good.json").returncode
    for words in (["no.json"], ["good.json", "--key", "text.txt"], ["good.json", "--key", "none"]):
        done = run(tmp_path, *words)
        assert 2 == done.returncode, words
        assert "Traceback" not in done.stderr
