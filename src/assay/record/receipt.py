"""One decision with everything that is needed to check it far from the store.

In      the events of a call with proofs and opened payloads, a checkpoint
Out     the receipt as a document; what its events say, in short
Pure    yes
Spec    RFC 9162; docs/explanation/record.md, "Receipts"

What a receipt says in short (`says`) follows from its events and payloads, and from nothing
else: whoever checks it derives that again and compares. `tools/verify_receipt.py` does so in
one file that imports nothing of this package; a test holds the two against each other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FORMAT = "assay-receipt/1"

SHOWN: Mapping[str, tuple[str, ...]] = {
    "prompt.built": ("prompt_redacted",),
    "output.judged": ("findings", "spans"),
    "call.settled": ("result",),
    "review.decided": ("result",),
}
"""The payloads that a receipt opens, by kind of event: nothing that is not redacted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """An event with the proof of its place in the log."""

    body: str
    """The canonical JSON that is hashed."""

    index: int
    proof: tuple[str, ...]
    """RFC 9162 audit path, from the leaf up; 64 hex digits each."""

    def to_dict(self) -> dict[str, Any]:
        return {"body": self.body, "index": self.index, "proof": list(self.proof)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A payload: its content with the salt, or which erasure took it."""

    salt: str | None
    """Hex; None when erased."""

    content: str | None
    erased_by: int | None = None
    """Position in the receipt's list of erasures."""

    def to_dict(self) -> dict[str, Any]:
        if self.erased_by is not None:
            return {"erased_by": self.erased_by}
        return {"salt": self.salt, "content": self.content}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An event of the call with its opened payloads."""

    placed: Placed
    payloads: Mapping[str, Opened] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        opened = {name: payload.to_dict() for name, payload in self.payloads.items()}
        return {**self.placed.to_dict(), "payloads": opened}


def receipt(
    run: Placed, entries: Sequence[Entry], erasures: Sequence[Placed], checkpoint: str
) -> dict[str, Any]:
    """The document.

    Args:
        run: The first event of the run that the call belongs to: it names the pack.
        entries: The events of one settled call, in order.
        erasures: The events that vouch for payloads which are gone.
        checkpoint: The note under which all proofs stand; without signature lines when unsigned.
    """
    told: list[tuple[Mapping[str, Any], Mapping[str, str | None]]] = [(json.loads(run.body), {})]
    told += [
        (json.loads(entry.placed.body), {n: p.content for n, p in entry.payloads.items()})
        for entry in entries
    ]
    return {
        "format": FORMAT,
        "says": says(told),
        "run": run.to_dict(),
        "events": [entry.to_dict() for entry in entries],
        "erasures": [erasure.to_dict() for erasure in erasures],
        "checkpoint": checkpoint,
    }


def says(told: Sequence[tuple[Mapping[str, Any], Mapping[str, str | None]]]) -> dict[str, Any]:
    """What the events of a call come to.

    Args:
        told: The first event of the run, then those of the call: for each its body and the
            contents that a receipt opens; None when erased.
    """
    document: dict[str, Any] = {"run": None, "attempts": [], "settled": None, "review": None}
    attempts: list[dict[str, Any]] = document["attempts"]
    for body, contents in told:
        kind, facts = body["kind"], body["facts"]
        if kind == "run.started":
            document["run"] = {name: facts.get(name) for name in _RUN}
        elif kind == "call.opened":
            document |= {name: facts.get(name) for name in _OPENED}
            document |= {"call": body["call"], "opened_at": body["at"]}
        elif kind == "prompt.built":
            built = {name: facts.get(name) for name in _BUILT}
            attempts.append({**built, "prompt_redacted": contents.get("prompt_redacted")})
        elif kind == "model.answered" and attempts:
            attempts[-1]["answer"] = {name: facts.get(name) for name in _ANSWERED}
        elif kind == "output.judged" and attempts:
            attempts[-1]["judged"] = {
                "verdict": facts.get("verdict"),
                "codes": facts.get("findings"),
                "findings": _json(contents.get("findings")),
                "spans": _json(contents.get("spans")),
            }
        elif kind == "call.settled":
            settled = {name: facts.get(name) for name in _SETTLED}
            result = _json(contents.get("result"))
            document["settled"] = {**settled, "result": result, "at": body["at"]}
        elif kind == "review.decided":
            decided = {name: facts.get(name) for name in _DECIDED}
            result = _json(contents.get("result"))
            document["review"] = {**decided, "result": result, "at": body["at"]}
        elif kind == "review.reopened":
            reopened = {name: facts.get(name) for name in _REOPENED}
            document["review"] = {**reopened, "result": None, "at": body["at"]}
        elif kind == "review.withdrawn":
            withdrawn = {name: facts.get(name) for name in _WITHDRAWN}
            document["review"] = {**withdrawn, "result": None, "at": body["at"]}
    return document


def _json(content: str | None) -> Any:
    return None if content is None else json.loads(content)


_RUN = ("kind", "pack", "pack_version", "pack_digest")
_OPENED = (
    "contract",
    "contract_digest",
    "pack_version",
    "input_digest",
    "model",
    "model_digest",
)
_BUILT = ("attempt", "template", "prompt_sha256", "model", "model_params", "shown", "redaction")
_ANSWERED = ("raw_sha256", "finish_reason", "generation_status", "provider_model", "identity")
_SETTLED = ("outcome", "reason", "attempts", "decision_digest", "result_digest")
_DECIDED = ("review", "decision", "reviewer", "output_sha256")
_REOPENED = ("review", "reviewer")
_WITHDRAWN = ("review", "by")
