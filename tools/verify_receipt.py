#!/usr/bin/env python3
"""Check a receipt offline: does everything it says follow from a log that a known key signed?

    verify_receipt.py RECEIPT --key FILE|NAME+ID+KEY [--source NAME=FILE]... [--json]

Needs Python 3.11 and the package `cryptography`; nothing else, no store, no network. `--key`
(repeatable) names whose signature on the checkpoint you trust: a PEM file with an Ed25519 public
key, a file of lines NAME+ID+KEY, or such a line itself. `--source body=body.txt` gives
the original text of a source; every quoted span in it is then checked.

What is checked, in this order:

1  the receipt is one JSON object with exactly the fields of its format
2  the checkpoint is well formed and signed by a trusted key (C2SP tlog-checkpoint, Ed25519)
3  every event has its place under the checkpoint's root (RFC 9162 inclusion proofs)
4  the events are those of one call, in order, from its opening to its settling
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

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

FORMAT = "assay-receipt/1"
SHOWN = {
    "prompt.built": ("prompt_redacted",),
    "output.judged": ("findings", "spans"),
    "call.settled": ("result",),
    "review.decided": ("result",),
}
PICKED = {
    "call.opened": "contract contract_digest pack_version input_digest model model_digest"
    " model_identity",
    "prompt.built": "attempt template prompt_sha256 model model_params shown redaction",
    "model.answered": "raw_sha256 finish_reason generation_status provider_model identity",
    "call.settled": "outcome reason attempts decision_digest result_digest",
    "review.decided": "review decision reviewer output_sha256",
}


class Fault(Exception):
    """What does not hold."""


def need(holds: bool, otherwise: str) -> None:
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


def same(one, other) -> bool:
    """Equal as JSON: 1, 1.0 and true differ."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def exactly(value, names: str, what: str):
    need(isinstance(value, dict) and set(value) == set(names.split()), f"{what} has other fields")
    return value


def unhex(text, count: int, what: str) -> bytes:
    need(isinstance(text, str) and re.fullmatch(f"[0-9a-f]{{{2 * count}}}", text), what)
    return bytes.fromhex(text)


def digest(content: bytes) -> str:
    return "sha256:" + sha256(content).hexdigest()


# --- 2: keys and checkpoint


def read_keys(given: list[str]) -> list[tuple[str | None, bytes]]:
    """(name or None for any, 32 bytes) of each trusted key."""
    keys = []
    for word in given:
        text = word if re.fullmatch(r"[^\s+]+\+[0-9a-f]{8}\+\S+", word) else Path(word).read_text()
        blocks = re.findall(r"-----BEGIN PUBLIC KEY-----.*?-----END PUBLIC KEY-----", text, re.S)
        for block in blocks:
            key = load_pem_public_key(block.encode() + b"\n")
            if not isinstance(key, Ed25519PublicKey):
                raise ValueError("no Ed25519 key")  # noqa: TRY004 - told as what was given
            keys.append((None, key.public_bytes_raw()))
        for line in [] if blocks else text.split():
            name, key_id, encoded = line.split("+", 2)
            data = b64decode(encoded, validate=True)
            if len(data) != 33 or data[0] != 1 or id_of(name, data[1:]).hex() != key_id:
                raise ValueError("no verifier key")
            keys.append((name, data[1:]))
    return keys


def id_of(name: str, key: bytes) -> bytes:
    return sha256(name.encode() + b"\n\x01" + key).digest()[:4]


def plain(encoded: str, what: str) -> bytes:
    try:
        data = b64decode(encoded, validate=True)
    except ValueError as error:
        raise Fault(what) from error
    need(b64encode(data).decode() == encoded, what)
    return data


def read_checkpoint(note, keys) -> dict:
    what = "the checkpoint is malformed"
    need(isinstance(note, str), what)
    body, gap, tail = note.rpartition("\n\n")
    lines = body.split("\n")
    need(bool(gap) and len(lines) == 3 and all(lines), what)
    need(re.fullmatch("0|[1-9][0-9]{0,18}", lines[1]) is not None, what)
    root = plain(lines[2], what)
    need(len(root) == 32, what)
    need(tail == "" or tail.endswith("\n"), what)
    signed_by = []
    for line in tail[:-1].split("\n") if tail else []:
        found = re.fullmatch(r"\u2014 ([^\s+]+) (\S+)", line)
        need(found is not None, what)
        name, data = found[1], plain(found[2], what)
        for owner, key in keys:
            if owner in (None, name) and data[:4] == id_of(name, key):
                try:
                    Ed25519PublicKey.from_public_bytes(key).verify(data[4:], (body + "\n").encode())
                except InvalidSignature as error:
                    raise Fault("a trusted key's signature on the checkpoint is wrong") from error
                signed_by.append(name)
    need(bool(tail), "nobody signed the checkpoint")
    need(bool(signed_by), "no trusted key signed the checkpoint: another log, or another key")
    return {"origin": lines[0], "size": int(lines[1]), "root": root, "signed_by": signed_by}


# --- 3: places in the log


def check_place(entry: dict, head: dict, what: str) -> dict:
    """The body of an event whose place holds."""
    body, index, proof = entry["body"], entry["index"], entry["proof"]
    need(isinstance(body, str) and type(index) is int and isinstance(proof, list), what)
    need(0 <= index < head["size"], f"{what} lies outside of the log")
    path = [unhex(part, 32, f"{what} has a malformed proof") for part in proof]
    at, last = index, head["size"] - 1
    value = sha256(b"\x00" + body.encode("utf-8", "surrogatepass")).digest()
    for sibling in path:
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


# --- 5: payloads


def check_payload(name, opened, said: dict, index: int, erasures: list, what: str):
    """The content of a payload as text; None when an erasure vouches for its absence."""
    need(isinstance(opened, dict), what)
    if "erased_by" in opened:
        at = exactly(opened, "erased_by", what)["erased_by"]
        need(type(at) is int and 0 <= at < len(erasures), f"{what} names no erasure")
        told, place = erasures[at]
        facts = told["facts"]
        of_subject = told["kind"] == "subject.erased" and told["subject"] is not None
        by_age = told["kind"] == "payloads.expired" and said["kind"] in facts.get("kinds", ())
        vouched = (of_subject and told["subject"] == said["subject"]) or (
            by_age and said["at"] < facts.get("before", "")
        )
        need(vouched and place > index, f"{what} is gone, and no erasure vouches for it")
        return None, at
    exactly(opened, "salt content", what)
    salt = unhex(opened["salt"], 32, f"{what} has a malformed salt")
    need(isinstance(opened["content"], str), what)
    content = opened["content"].encode("utf-8", "surrogatepass")
    committed = digest(len(salt).to_bytes(2, "big") + salt + content)
    need(committed == said["payloads"][name], f"{what} is not what was committed to")
    return opened["content"], None


# --- 6: what it says


def derive(told: list) -> dict:
    says = {"attempts": [], "settled": None, "review": None}
    attempts = says["attempts"]
    for body, held in told:
        kind, facts = body["kind"], body["facts"]
        picked = {name: facts.get(name) for name in PICKED.get(kind, "").split()}
        loaded = {
            name: parse(text, "a payload") if text is not None else None
            for name, text in ((n, held.get(n)) for n in ("findings", "spans", "result"))
        }
        if kind == "call.opened":
            says |= {**picked, "call": body["call"], "opened_at": body["at"]}
        elif kind == "prompt.built":
            attempts.append({**picked, "prompt_redacted": held.get("prompt_redacted")})
        elif kind == "model.answered" and attempts:
            attempts[-1]["answer"] = picked
        elif kind == "output.judged" and attempts:
            codes = {"verdict": facts.get("verdict"), "codes": facts.get("findings")}
            attempts[-1]["judged"] = codes | {n: loaded[n] for n in ("findings", "spans")}
        elif kind in ("call.settled", "review.decided"):
            part = "settled" if kind == "call.settled" else "review"
            says[part] = {**picked, "result": loaded["result"], "at": body["at"]}
    return says


# --- 7: spans


def check_spans(says: dict, sources: dict[str, str]) -> dict:
    """How many spans were checked, and how many are of sources whose text is not given."""
    shown = {(v["source"], v["digest"]) for a in says["attempts"] for v in a["shown"] or ()}
    for name, text in sources.items():
        found = (name, digest(text.encode())) in shown
        need(found, f"source {name!r} is not the text that the model was shown")
    counts = {"checked": 0, "unchecked": 0}

    def walk(value):
        if isinstance(value, dict):
            if {"source", "start", "stop", "digest"} <= set(value):
                check(value)
            value = list(value.values())
        for each in value if isinstance(value, list) else ():
            walk(each)

    def check(span):
        text = sources.get(span["source"])
        counts["unchecked" if text is None else "checked"] += 1
        if text is not None:
            piece = text[span["start"] : span["stop"]].encode()
            fits = (
                0 <= span["start"] < span["stop"] <= len(text) and digest(piece) == span["digest"]
            )
            need(fits, f"a span of source {span['source']!r} is not what stands there")

    for attempt in says["attempts"]:
        walk((attempt.get("judged") or {}).get("spans"))
    walk([(says[part] or {}).get("result") for part in ("settled", "review")])
    return counts


def check(text: str, keys: list, sources: dict[str, str]) -> dict:
    """What holds. Raises Fault with the first thing that does not."""
    receipt = exactly(
        parse(text, "the receipt"), "format says events erasures checkpoint", "the receipt"
    )
    need(receipt["format"] == FORMAT, "the receipt has another format")
    need(bool(receipt["events"]) and isinstance(receipt["events"], list), "it has no events")
    need(isinstance(receipt["erasures"], list), "its erasures are no list")
    head = read_checkpoint(receipt["checkpoint"], keys)
    erasures, used = [], set()
    for entry in receipt["erasures"]:
        exactly(entry, "body index proof", "an erasure")
        erasures.append((check_place(entry, head, "an erasure"), entry["index"]))
    told, last, run = [], (-1, -1), None
    for number, entry in enumerate(receipt["events"]):
        what = f"event {number}"
        exactly(entry, "body index proof payloads", what)
        said = check_place(entry, head, what)
        place = (entry["index"], said["n"])
        need(place[0] > last[0] and place[1] > last[1], f"{what} is out of order")
        need(number == 0 or run == (said["run"], said["call"]), f"{what} is of another call")
        run, last = (said["run"], said["call"]), place
        wanted = set(SHOWN.get(said["kind"], ())) & set(said["payloads"])
        need(isinstance(entry["payloads"], dict), f"{what} has no payloads")
        need(set(entry["payloads"]) == wanted, f"{what} shows other payloads than it must")
        held = {}
        for name, opened in entry["payloads"].items():
            label = f"payload {name!r} of {what}"
            held[name], by = check_payload(name, opened, said, entry["index"], erasures, label)
            used |= {by} - {None}
        told.append((said, held))
    kinds = [said["kind"] for said, _ in told]
    need(run is not None and run[1] is not None, "the events are of no call")
    need(kinds[0] == "call.opened" and kinds.count("call.opened") == 1, "its opening is missing")
    need(kinds.count("call.settled") == 1, "its settling is missing")
    need(used == set(range(len(erasures))), "it lists erasures that nothing needs")
    says = derive(told)
    missing = says["settled"]["attempts"] - len({a["attempt"] for a in says["attempts"]})
    need(missing in (0, 1), "an attempt is missing")
    need(same(says, receipt["says"]), "what it says is not what its events say")
    spans = check_spans(says, sources)
    fields = {"origin": head["origin"], "size": head["size"], "signed_by": head["signed_by"]}
    settled = says["review"] or says["settled"]
    outcome = settled.get("decision") or settled.get("outcome")
    return fields | {"call": says["call"], "outcome": outcome, "spans": spans}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("receipt")
    parser.add_argument("--key", action="append", default=[], help="whose signature you trust")
    parser.add_argument("--source", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    try:
        keys = read_keys(options.key)
        pairs = [pair.partition("=")[::2] for pair in options.source]
        sources = {name: Path(file).read_bytes().decode("utf-8") for name, file in pairs}
        raw = sys.stdin.buffer.read() if options.receipt == "-" else None
        raw = Path(options.receipt).read_bytes() if raw is None else raw
    except (OSError, ValueError) as error:
        parser.error(f"cannot read what was given: {error}")
    try:
        verdict = {"status": "ok", "fault": None} | check(raw.decode(), keys, sources)
    except Fault as fault:
        verdict = {"status": "bad", "fault": str(fault)}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        verdict = {"status": "bad", "fault": "the receipt is malformed"}
    if options.json:
        print(json.dumps(verdict))
    else:
        print(f"{verdict['status']}: {verdict['fault'] or 'call ' + verdict['call']}")
        if verdict["fault"] is None:
            print(f"{verdict['outcome']}; log {verdict['origin']}, {verdict['size']} events")
            print("signed by " + ", ".join(verdict["signed_by"]))
            print("spans: {checked} checked, {unchecked} without a text".format(**verdict["spans"]))
    return 0 if verdict["status"] == "ok" else 50


if __name__ == "__main__":
    sys.exit(main())
