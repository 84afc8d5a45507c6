"""What a receipt says in short follows from its events, and from nothing else."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from assay.record.receipt import Entry, Opened, Placed, receipt, says

KINDS = [
    "call.opened",
    "prompt.built",
    "model.answered",
    "output.judged",
    "call.settled",
    "review.decided",
    "review.withdrawn",
]
FACTS = st.dictionaries(
    st.sampled_from(["attempt", "verdict", "outcome", "reviewer", "raw_sha256", "mine"]),
    st.integers(0, 9),
    max_size=3,
)


def event(kind, facts):
    body = {"kind": kind, "call": "c-1", "at": "2026-01-17T08:00:00Z", "facts": facts}
    return body, {"findings": "[]", "result": "{}", "prompt_redacted": "prompt"}


EVENTS = st.lists(st.builds(event, st.sampled_from(KINDS), FACTS), max_size=8)


@given(EVENTS)
def test_each_prompt_is_an_attempt_and_what_follows_belongs_to_it(told):
    """Answers and verdicts stand with the prompt before them; without one they say nothing."""
    said = says(told)
    kinds = [body["kind"] for body, _ in told]

    assert kinds.count("prompt.built") == len(said["attempts"])
    assert ("call.settled" in kinds) is (said["settled"] is not None)
    looked_at = any(kind in kinds for kind in ("review.decided", "review.withdrawn"))
    assert looked_at is (said["review"] is not None)
    first = kinds.index("prompt.built") if "prompt.built" in kinds else len(kinds)
    assert ("model.answered" in kinds[first:]) is any("answer" in a for a in said["attempts"])


@given(EVENTS, st.data())
def test_events_that_it_does_not_know_change_nothing(told, data):
    """A call that was taken up or could not reach its model is still the same decision."""
    at = data.draw(st.integers(0, len(told)))
    other = event(data.draw(st.sampled_from(["call.resumed", "model.unavailable", "new"])), {})

    assert says(told) == says([*told[:at], other, *told[at:]])


@given(EVENTS)
def test_the_document_says_what_its_own_events_say(told):
    """Whoever reads it can derive the short form again; facts of other names are not in it."""
    run = event("run.started", {"pack": "tiny"})[0]
    entries = [
        Entry(
            placed=Placed(body=json.dumps(body), index=at, proof=()),
            payloads={name: Opened(salt="00", content=text) for name, text in contents.items()},
        )
        for at, (body, contents) in enumerate(told)
    ]
    document = receipt(Placed(body=json.dumps(run), index=9, proof=()), entries, [], "note")
    again = [
        (json.loads(each["body"]), {n: p["content"] for n, p in each["payloads"].items()})
        for each in document["events"]
    ]

    assert document["says"] == says([(json.loads(document["run"]["body"]), {}), *again])
    assert "mine" not in json.dumps(document["says"])
    assert "tiny" == document["says"]["run"]["pack"]


def test_what_was_erased_is_null_and_names_its_erasure():
    """An opened payload has a salt and a content, an erased one the place of its erasure."""
    assert {"erased_by": 0} == Opened(salt=None, content=None, erased_by=0).to_dict()
    assert {"salt": "00", "content": "x"} == Opened(salt="00", content="x").to_dict()
    body, _ = event("call.settled", {"outcome": "accepted"})
    assert None is says([(body, {"result": None})])["settled"]["result"]


RUN = Placed(
    body=json.dumps({"kind": "run.started", "facts": {"kind": "pack", "pack": "p", "more": 1}}),
    index=0,
    proof=(),
)


def test_answers_belong_to_their_attempt_and_erased_contents_are_unknown() -> None:
    """Two attempts, each with its own answer and judgement; what an erasure took is null in the
    summary, and so is what was never there."""

    def entry(kind: str, payloads: dict[str, str | None], **facts: object) -> Entry:
        body = {"kind": kind, "facts": facts, "call": "c-1", "at": "t"}
        opened = {
            name: Opened(salt=None, content=None, erased_by=0)
            if content is None
            else Opened(salt="00", content=content)
            for name, content in payloads.items()
        }
        return Entry(placed=Placed(body=json.dumps(body), index=0, proof=()), payloads=opened)

    found = [
        entry("prompt.built", {"prompt_redacted": "one"}, attempt=1),
        entry("model.answered", {}, finish_reason="length"),
        entry("output.judged", {"findings": "[1]", "spans": "[]"}, verdict="rejected"),
        entry("prompt.built", {"prompt_redacted": None}, attempt=2),
        entry("model.answered", {}, finish_reason="stop"),
        entry("output.judged", {"findings": None, "spans": None}, verdict="accepted"),
        entry("call.settled", {"result": None}, outcome="accepted"),
    ]
    document = receipt(RUN, found, (), "note")["says"]
    first, second = document["attempts"]

    assert (1, "one", "length") == (
        first["attempt"],
        first["prompt_redacted"],
        first["answer"]["finish_reason"],
    )
    assert (2, None, "stop") == (
        second["attempt"],
        second["prompt_redacted"],
        second["answer"]["finish_reason"],
    )
    assert {"verdict": "rejected", "codes": None, "findings": [1], "spans": []} == first["judged"]
    assert {"verdict": "accepted", "codes": None, "findings": None, "spans": None} == (
        second["judged"]
    )
    assert None is document["settled"]["result"]
    assert None is document["review"]
