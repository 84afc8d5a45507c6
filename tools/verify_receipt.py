#!/usr/bin/env python3
"""Check a receipt offline: does everything it says follow from a log that a known key signed?

    verify_receipt.py RECEIPT --key FILE|NAME+ID+KEY [--source NAME=FILE]... [--json]

Needs Python 3.11 and the package `cryptography`; nothing else, no store, no network. `--key`
(repeatable) names whose signature on the checkpoint you trust: a PEM file with an Ed25519 public
key, a file of lines NAME+ID+KEY, or such a line itself. `--source body=body.txt` gives the
original text of a source; every quoted span in it is then checked. The numbers below:

1  the receipt is one JSON object with exactly the fields of its format
2  the checkpoint is well formed and signed by a trusted key (C2SP tlog-checkpoint, Ed25519)
3  every event has its place under the checkpoint's root (RFC 9162 inclusion proofs)
4  the events are those of one call, in order; all from its opening to its settling, in one run
5  every opened payload is what its event committed to; for those erased, an erasure vouches
6  what the receipt says in short is exactly what these events and payloads say
7  the spans, where the original text is given

Exit: 0 all holds; 50 something does not, or nobody vouches for it; 2 wrong usage.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

SHOWN = {
    "prompt.built": {"prompt_redacted"},
    "output.judged": {"findings", "spans"},
    **{kind: {"result"} for kind in ("call.settled", "review.decided")},
}
PICKED = {
    "run.started": "kind pack pack_version pack_digest",
    "call.opened": "contract contract_digest pack_version input_digest model model_digest",
    "prompt.built": "attempt template prompt_sha256 model model_params shown redaction",
    "model.answered": "raw_sha256 finish_reason generation_status provider_model identity",
    "call.settled": "outcome reason attempts decision_digest result_digest",
    "review.decided": "review decision reviewer output_sha256",
    "review.reopened": "review reviewer",
    "review.withdrawn": "review by",
}


class Fault(Exception):
    """What does not hold."""


def need(holds: object, otherwise: str) -> None:
    if not holds:
        raise Fault(otherwise)


def parse(text: str, what: str):
    """JSON without repeated names, NaN or nesting without end."""

    def once(pairs):
        need(len(dict(pairs)) == len(pairs), f"{what} repeats a name")
        return dict(pairs)

    def never(word):
        raise Fault(f"{what} holds {word}")

    try:
        return json.loads(text, object_pairs_hook=once, parse_constant=never)
    except (ValueError, RecursionError) as error:
        raise Fault(f"{what} is no JSON") from error


def exactly(value, names: str, what: str):
    need(isinstance(value, dict) and set(value) == set(names.split()), f"{what} has other fields")
    return value


def unhex(text, what: str) -> bytes:
    """32 bytes."""
    need(isinstance(text, str) and re.fullmatch("[0-9a-f]{64}", text), what)
    return bytes.fromhex(text)


def unbase(text: str, what: str) -> bytes:
    """Base64 in its one canonical spelling."""
    try:
        data = b64decode(text, validate=True)
    except ValueError as error:
        raise Fault(what) from error
    need(b64encode(data).decode() == text, what)
    return data


def digest(content: bytes) -> str:
    return "sha256:" + sha256(content).hexdigest()


def id_of(name: str, key: bytes) -> bytes:
    return sha256(name.encode() + b"\n\x01" + key).digest()[:4]


def read_keys(given: list[str]) -> list[tuple[str | None, bytes]]:
    """The trusted keys: name (None for any), 32 bytes. Raises ValueError."""
    keys = []
    for word in given:
        text = word if re.fullmatch(r"[^\s+]+\+[0-9a-f]{8}\+\S+", word) else Path(word).read_text()
        blocks = re.findall("-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----", text, re.S)
        for block in blocks:
            key = load_pem_public_key(block.encode() + b"\n")
            keys.append((None, key.public_bytes_raw()))
        for line in [] if blocks else text.split():
            name, key_id, encoded = line.split("+", 2)
            data = b64decode(encoded, validate=True)
            if len(data) != 33 or data[0] != 1 or id_of(name, data[1:]).hex() != key_id:
                raise ValueError("no verifier key")
            keys.append((name, data[1:]))
    return keys


def read_checkpoint(note, keys: list) -> dict:
    """2: origin, size and root of the head, and who vouches for it."""
    what = "the checkpoint is malformed"
    need(isinstance(note, str), what)
    body, gap, tail = note.rpartition("\n\n")
    lines = body.split("\n")
    need(gap and len(lines) == 3 and all(lines), what)
    need(re.fullmatch("0|[1-9][0-9]{0,18}", lines[1]), what)
    root, message, signed_by = unbase(lines[2], what), (body + "\n").encode(), []
    need(tail, "nobody signed the checkpoint")
    need(len(root) == 32 and tail.endswith("\n"), what)
    for line in tail[:-1].split("\n"):
        found = re.fullmatch(r"\u2014 ([^\s+]+) (\S+)", line)
        need(found, what)
        name, data = found[1], unbase(found[2], what)
        for owner, key in keys:
            if owner in (None, name) and data[:4] == id_of(name, key):
                try:
                    Ed25519PublicKey.from_public_bytes(key).verify(data[4:], message)
                except InvalidSignature as error:
                    raise Fault("a trusted key's signature on the checkpoint is wrong") from error
                signed_by.append(name)
    need(signed_by, "no trusted key signed the checkpoint: another log, or another key")
    return {"origin": lines[0], "size": int(lines[1]), "root": root, "signed_by": signed_by}


def check_place(entry: dict, head: dict, what: str) -> dict:
    """3: the body of an event that stands in the log where it says."""
    body, index, proof = entry["body"], entry["index"], entry["proof"]
    need(isinstance(body, str) and type(index) is int and isinstance(proof, list), what)
    need(0 <= index < head["size"], f"{what} lies outside of the log")
    at, last = index, head["size"] - 1
    value = sha256(b"\x00" + body.encode()).digest()
    for part in proof:
        sibling = unhex(part, f"{what} has a malformed proof")
        need(last != 0, f"{what} has too long a proof")
        if at & 1 or at == last:
            value = sha256(b"\x01" + sibling + value).digest()
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            value = sha256(b"\x01" + value + sibling).digest()
        at, last = at >> 1, last >> 1
    need(last == 0 and value == head["root"], f"{what} is not in the log at its place")
    return parse(body, what)


def check_payload(name: str, opened, said: dict, index: int, erasures: list, what: str):
    """5: the content of a payload, and None; or None and the erasure that vouches."""
    if isinstance(opened, dict) and "erased_by" in opened:
        at = exactly(opened, "erased_by", what)["erased_by"]
        need(type(at) is int and 0 <= at < len(erasures), f"{what} names no erasure")
        told, place = erasures[at]
        facts, vouched = told["facts"], False
        if told["kind"] == "subject.erased":
            vouched = told["subject"] is not None and told["subject"] == said["subject"]
        elif told["kind"] == "payloads.expired":
            vouched = said["kind"] in facts["kinds"] and said["at"] < facts["before"]
        need(vouched and place > index, f"{what} is gone, and no erasure vouches for it")
        return None, at
    exactly(opened, "salt content", what)
    salt = unhex(opened["salt"], f"{what} has a malformed salt")
    committed = digest(b"\x00\x20" + salt + opened["content"].encode())
    need(committed == said["payloads"][name], f"{what} is not what was committed to")
    return opened["content"], None


def derive(told: list) -> dict:
    """6: what bodies and contents come to."""
    says: dict = {"run": None, "attempts": [], "settled": None, "review": None}
    attempts = says["attempts"]
    for body, held in told:
        kind, facts = body["kind"], body["facts"]
        picked = {name: facts.get(name) for name in PICKED.get(kind, "").split()}
        texts = {name: held.get(name) for name in ("findings", "spans", "result")}
        loaded = {n: None if t is None else parse(t, "a payload") for n, t in texts.items()}
        if kind == "run.started":
            says["run"] = picked
        elif kind == "call.opened":
            says |= {**picked, "call": body["call"], "opened_at": body["at"]}
        elif kind == "prompt.built":
            attempts.append({**picked, "prompt_redacted": held.get("prompt_redacted")})
        elif kind == "model.answered" and attempts:
            attempts[-1]["answer"] = picked
        elif kind == "output.judged" and attempts:
            judged = {"verdict": facts.get("verdict"), "codes": facts.get("findings")}
            attempts[-1]["judged"] = judged | {n: loaded[n] for n in ("findings", "spans")}
        elif kind in ("call.settled", "review.decided", "review.reopened", "review.withdrawn"):
            part = "settled" if kind == "call.settled" else "review"
            says[part] = {**picked, "result": loaded["result"], "at": body["at"]}
    return says


def check_spans(says: dict, sources: dict[str, str]) -> dict:
    """7: how many spans were checked, and how many are of sources whose text is not given."""
    shown = {(v["source"], v["digest"]) for a in says["attempts"] for v in a["shown"] or ()}
    for name, text in sources.items():
        of_file = name.startswith("attachment:")  # facts hold a surrogate of such a name
        names = {s for s, d in shown if d == digest(text.encode())}
        known = name in names or (of_file and any(s.startswith("attachment:") for s in names))
        need(known, f"source {name!r} is not the text shown")
    counts = {"checked": 0, "unchecked": 0}
    waiting = [(a.get("judged") or {}).get("spans") for a in says["attempts"]]
    waiting += [(says[part] or {}).get("result") for part in ("settled", "review")]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict) and {"source", "start", "stop", "digest"} <= set(value):
            text, start, stop = sources.get(value["source"]), value["start"], value["stop"]
            counts["unchecked" if text is None else "checked"] += 1
            if text is not None:
                fits = 0 <= start < stop <= len(text)
                fits = fits and digest(text[start:stop].encode()) == value["digest"]
                need(fits, f"a span of source {value['source']!r} is not what stands there")
        more = value.values() if isinstance(value, dict) else value
        waiting.extend(more if isinstance(value, dict | list) else ())
    return counts


def check(text: str, keys: list, sources: dict[str, str]) -> dict:
    """All of it. Raises Fault with the first thing that does not hold."""
    receipt = parse(text, "the receipt")
    exactly(receipt, "format says run events erasures checkpoint", "the receipt")
    need(receipt["format"] == "assay-receipt/1", "the receipt has another format")
    head = read_checkpoint(receipt["checkpoint"], keys)
    place = "body index proof"
    erasures = [
        (check_place(exactly(entry, place, "an erasure"), head, "an erasure"), entry["index"])
        for entry in receipt["erasures"]
    ]
    run = check_place(exactly(receipt["run"], place, "its run"), head, "its run")
    need((run["kind"], run["n"]) == ("run.started", 0), "its run does not begin there")
    told, last, used, ns = [(run, {})], receipt["run"]["index"], set(), {}
    for number, entry in enumerate(receipt["events"]):
        what = f"event {number}"
        said = check_place(exactly(entry, place + " payloads", what), head, what)
        need(entry["index"] > last and said["n"] > ns.get(said["run"], 0), f"{what} is misplaced")
        last, ns[said["run"]], held = entry["index"], said["n"], {}
        wanted = SHOWN.get(said["kind"], set()) & set(said["payloads"])
        need(set(entry["payloads"]) == wanted, f"{what} shows other payloads than it must")
        for name, opened in entry["payloads"].items():
            label = f"payload {name!r} of {what}"
            held[name], by = check_payload(name, opened, said, last, erasures, label)
            used |= {by} - {None}
        told.append((said, held))
    kinds = [said["kind"] for said, _ in told[1:]]
    need(kinds[:1] == ["call.opened"] and kinds.count("call.opened") == 1, "its opening is missing")
    need(kinds.count("call.settled") == 1, "its settling is missing")
    settled = kinds.index("call.settled")
    need(len({said["run"] for said, _ in told[: settled + 2]}) == 1, "it is of another run")
    need(settled >= told[1 + settled][0]["facts"]["events_before"] >= 1, "it leaves events out")
    need(used == set(range(len(erasures))), "it lists erasures that nothing needs")
    says = derive(told)
    need({e["call"] for e, _ in told[1:]} == {says["call"]} != {None}, "it mixes calls")
    doubtful = says["settled"]["outcome"] == "needs_review"
    need(not doubtful or "review.opened" in kinds, "the opening of its review is missing")
    plain = [json.dumps(each, sort_keys=True) for each in (says, receipt["says"])]
    need(plain[0] == plain[1], "what it says is not what its events say")
    spans = check_spans(says, sources)
    outcome = (says["review"] or {}).get("decision") or says["settled"]["outcome"]
    del head["root"]
    return head | {"call": says["call"], "outcome": outcome, "spans": spans}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("receipt", help="file; - for standard input")
    parser.add_argument("--key", action="append", default=[], help="whose signature you trust")
    parser.add_argument("--source", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    try:
        keys = read_keys(options.key)
        pairs = [pair.partition("=")[::2] for pair in options.source]
        sources = {name: Path(file).read_bytes().decode() for name, file in pairs}
        stdin = options.receipt == "-"
        raw = sys.stdin.buffer.read() if stdin else Path(options.receipt).read_bytes()
    except (OSError, ValueError, AttributeError, UnsupportedAlgorithm) as error:
        parser.error(f"cannot read what was given: {error}")
    try:
        verdict = {"status": "ok", "fault": None} | check(raw.decode(), keys, sources)
    except Fault as fault:
        verdict = {"status": "bad", "fault": str(fault)}
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        verdict = {"status": "bad", "fault": "the receipt is malformed"}
    if options.json:
        print(json.dumps(verdict))
    elif verdict["fault"] is not None:
        print(f"bad: {verdict['fault']}")
    else:
        print("ok: call {call}: {outcome}; log {origin}, {size} events".format(**verdict))
        print("spans: {checked} checked, {unchecked} without a text".format(**verdict["spans"]))
    return 0 if verdict["status"] == "ok" else 50


if __name__ == "__main__":
    sys.exit(main())
