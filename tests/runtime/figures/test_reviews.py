"""What people decided, as figures: counted again here from events and texts, in a plainer way."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.adapters.keys import MasterKeys
from assay.adapters.stores.open import open_store
from assay.errors import IntegrityError
from assay.runtime.figures.count import count_figures
from assay.runtime.figures.filter import FiguresFilter
from assay.runtime.reviews.decision import Decision
from assay.runtime.reviews.moves import reopen
from assay.testing import FrozenClock
from tests.runtime.figures.recorded_calls import Call, Exchange, Move, put_calls
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL, opened, tiny_pack

START = datetime(2026, 1, 17, 8, tzinfo=UTC)
WAYS = ("kept", "label", "elsewhere", "rejected", "unread")


def output(*labels, note="", indent=None):
    """An output that states *labels*: pairs of a label and a confidence."""
    found = [{"label": label, "confidence": sure} for label, sure in labels]
    return json.dumps({"topics": found, "note": note}, indent=indent).encode()


def one(raw, *moves, **more):
    return Call(id="a", outcome="needs_review", exchanges=(Exchange(raw=raw),), moves=moves, **more)


async def counted(url, *calls, which=None, keyring=None, erase=(), reading=None):
    """The figures of a new record of *calls*."""
    clock = FrozenClock()
    async with await open_store(url, clock=clock, keyring=keyring) as store:
        await put_calls(store, clock, *calls)
        for subject in erase:
            await store.erase(subject, reason="asked for", actor="officer")
    async with await open_store(url, clock=clock, keyring=reading or keyring) as store:
        return await count_figures(store, which)


def figures_of(place, *calls, **more):
    return asyncio.run(counted(f"sqlite:///{place / 'a.db'}", *calls, **more))


def ways_of(figures):
    return {way: sum(getattr(figures.agreement, way)) for way in WAYS}


def a_way(way):
    return dict.fromkeys(WAYS, 0) | {way: 1}


# --- the same again, in the plainest way -------------------------------------------------------


def read(raw):
    try:
        found = json.loads(raw)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def labels_in(value):
    return [(each["label"], each["confidence"]) for each in (value or {}).get("topics", [])]


def check(figures, calls, erased):
    """Compare what was counted with what was put on record."""
    ways, bins, hits = Counter(), Counter(), Counter()
    pairs, agreed = 0, 0
    for call in calls:
        if not call.moves or call.reopened:
            continue
        last = call.moves[-1]
        raw = None if call.id in erased or not call.exchanges else call.exchanges[-1].raw
        gone = call.id in erased
        if len(call.moves) > 1 and call.moves[-2].person != last.person:
            before = call.moves[-2]
            if last.accept and before.accept:
                if not gone:
                    pairs += 1
                    agreed += read(before.output) == read(last.output)
            else:
                pairs += 1
                agreed += before.accept == last.accept
        if not last.accept:
            ways["rejected"] += 1
            continue
        if raw is None or gone:
            ways["unread"] += 1
            continue
        said, stands = read(raw), read(last.output)
        same = Counter(label for label, _ in labels_in(said)) == Counter(
            label for label, _ in labels_in(stands)
        )
        ways["kept" if said == stands else "elsewhere" if same else "label"] += 1
        left = Counter(label for label, _ in labels_in(stands))
        for label, sure in labels_in(said):
            at = min(int(round(sure * 100) // 10), 9)
            bins[at] += 1
            hits[at] += left[label] > 0
            left[label] -= 1
    assert ways_of(figures) == {way: ways[way] for way in WAYS}
    assert (pairs, agreed) == (figures.agreement.pairs, figures.agreement.agreed)
    told = figures.calibration.bins
    assert len(told) == (10 if calls else 0)
    assert [bins[at] for at in range(len(told))] == [each.statements for each in told]
    assert [hits[at] for at in range(len(told))] == [each.confirmed for each in told]


labels = st.lists(
    st.tuples(st.sampled_from("ABC"), st.integers(0, 100).map(lambda sure: sure / 100)), max_size=3
)
outputs = st.builds(
    lambda found, note, indent: output(*found, note=note, indent=indent),
    labels,
    st.sampled_from(["", "x"]),
    st.sampled_from([None, 1]),
)
moves = st.builds(
    Move, accept=st.booleans(), person=st.sampled_from(["ann", "bob"]), output=outputs
)
cases = st.lists(
    st.builds(
        Call,
        id=st.just(""),
        at=st.integers(0, 10**6).map(lambda s: START + timedelta(seconds=s)),
        outcome=st.just("needs_review"),
        exchanges=st.lists(
            st.builds(Exchange, raw=st.none() | outputs | st.just(b"no JSON")), max_size=2
        ).map(tuple),
        moves=st.lists(moves, max_size=3).map(tuple),
        reopened=st.booleans(),
    ),
    max_size=8,
).map(lambda found: [replace(call, id=f"c{number}") for number, call in enumerate(found)])


@pytest.mark.clause("007-F9", "007-F10")
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(found=cases, gone=st.sets(st.integers(0, 7), max_size=2))
def test_decisions_and_confidences_are_what_the_record_holds(found, gone):
    """Whatever people made of whatever was said, and whatever of it was erased since."""
    erased = {call.id for number, call in enumerate(found) if number in gone}
    with TemporaryDirectory() as place:
        url = f"sqlite:///{place}/a.db"
        figures = asyncio.run(counted(url, *found, erase=sorted(erased)))

    check(figures, found, erased)


# --- one by one --------------------------------------------------------------------------------

SAID = output(("A", 0.9), ("B", 0.2))


@pytest.mark.clause("007-F9")
@pytest.mark.parametrize(
    ("move", "way"),
    [
        (Move(output=output(("A", 0.9), ("B", 0.2), indent=2)), "kept"),
        (Move(output=output(("A", 0.9), ("C", 0.2))), "label"),
        (Move(output=output(("A", 0.9))), "label"),
        (Move(output=output(("B", 0.5), ("A", 0.9))), "elsewhere"),
        (Move(accept=False), "rejected"),
    ],
)
def test_a_decision_stands_to_what_was_said_in_one_of_four_ways(tmp_path, move, way):
    """Another spelling of the same JSON is the same; the order of a list says nothing of labels."""
    assert a_way(way) == ways_of(figures_of(tmp_path, one(SAID, move)))


@pytest.mark.clause("007-F9")
def test_results_that_stand_are_kept_and_belong_to_the_hour_of_their_call(tmp_path):
    """A shortened input is looked at after its call was settled; other calls need no look."""
    made = [
        Call(id="a", at=START, exchanges=(Exchange(raw=SAID),), held=True, moves=(Move(),)),
        Call(id="b", at=START + timedelta(hours=2), exchanges=(Exchange(raw=SAID),)),
    ]
    figures = figures_of(tmp_path, *made)
    none = asyncio.run(
        counted(f"sqlite:///{tmp_path}/b.db", *made, which=FiguresFilter(contract="tiny/other"))
    )

    assert (1, 0, 0) == figures.agreement.kept
    assert [(0.2, 1), (0.9, 1)] == [
        (each.stated, each.confirmed) for each in figures.calibration.bins if each.statements
    ]
    assert 0 == none.agreement.decided


@pytest.mark.clause("007-F9")
def test_a_decision_that_was_taken_back_counts_no_more(tmp_path):
    """Its case waits again."""
    figures = figures_of(tmp_path, one(SAID, Move(output=SAID), reopened=True))

    assert (0, 1) == (figures.agreement.decided, figures.agreement.waiting)


@pytest.mark.clause("007-F9")
@pytest.mark.parametrize(
    ("second", "agreed"),
    [
        (Move(person="bob", output=output(("A", 0.9), ("B", 0.2), indent=2)), 1),
        (Move(person="bob", output=output(("C", 0.9))), 0),
        (Move(person="bob", accept=False), 0),
        (Move(person="ann", output=SAID), None),
    ],
)
def test_two_people_who_decide_one_case_are_compared(tmp_path, second, agreed):
    """One who decides again is not two people."""
    found = figures_of(tmp_path, one(SAID, Move(person="ann", output=SAID), second)).agreement

    assert (0 if agreed is None else 1, agreed or 0) == (found.pairs, found.agreed)


@pytest.mark.clause("007-F9", "007-F10")
@pytest.mark.parametrize("why", ["erased", "encrypted", "hidden", "never kept"])
def test_what_cannot_be_read_is_counted_apart(tmp_path, why):
    """It is neither agreement nor its contrary, and nothing is said of its confidences."""
    exchange = Exchange(raw=None if why == "never kept" else SAID, hidden=why == "hidden")
    call = replace(one(SAID, Move(output=SAID)), exchanges=(exchange,))
    keyring = MasterKeys([b"k" * 32]) if why == "encrypted" else None
    url = f"sqlite:///{tmp_path / 'a.db'}"
    erase = ["a"] if why == "erased" else []
    if keyring is None:
        figures = asyncio.run(counted(url, call, erase=erase))
    else:
        asyncio.run(counted(url, call, keyring=keyring))
        figures = asyncio.run(count_again(url))

    assert a_way("unread") == ways_of(figures)
    assert (0, 1) == (figures.calibration.statements, figures.calibration.unread)
    assert not figures.agreement.whole.known


async def count_again(url):
    async with await open_store(url, clock=FrozenClock()) as store:
        return await count_figures(store)


@pytest.mark.clause("007-F10")
def test_confidences_lie_in_ten_bins(tmp_path):
    """Each with its mean, what was confirmed, and the interval; the last holds certainty."""
    said = output(("A", 0.91), ("A", 0.99), ("B", 1.0), ("C", 0.3))
    stands = output(("A", 0.91), ("B", 1.0), ("C", 0.3))
    figures = figures_of(tmp_path, one(said, Move(output=stands)))
    found = figures.calibration

    assert [(0.3, 1, 1), (round(2.9 / 3, 6), 3, 2)] == [
        (round(each.stated, 6), each.statements, each.confirmed)
        for each in found.bins
        if each.statements
    ]
    assert (0.3, 0.4) == (found.bins[3].low, found.bins[3].high)
    assert (1, 0, 0) == (found.cases, found.silent, found.unread)


@pytest.mark.clause("007-F10")
@pytest.mark.parametrize("said", [b"no JSON", b'{"label": "A"}', b'{"confidence": 1}',
                                  b'{"label": "A", "confidence": 7}', b"[]", b""])  # fmt: skip
def test_an_output_without_a_labelled_confidence_states_none(tmp_path, said):
    """A case of it is counted as such."""
    found = figures_of(tmp_path, one(said, Move(output=b'{"label": "A"}'))).calibration

    assert (0, 0, 1) == (found.statements, found.cases, found.silent)


@pytest.mark.clause("007-F9")
def test_real_decisions_are_counted(tmp_path):
    """Through the gate: a corrected label, and the same case rejected by somebody else."""

    async def work():
        async with opened(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL) as runtime:
            pack = tiny_pack()
            assert [each async for each in runtime.run(pack, [TEXT])]
            (row,) = await runtime.reviews()
            accept = Decision(accept=True, reviewer="ann", reason="water", output=GOOD.encode())
            taken = await runtime.decide(row.id, accept, pack=pack, original=TEXT)
            first = await runtime.figures()
            await reopen(runtime.context, row.id, reviewer="bob", reason="no")
            reject = Decision(accept=False, reviewer="bob", reason="no")
            await runtime.decide(row.id, reject, pack=pack)
            return taken.taken, first, await runtime.figures()

    taken, first, second = asyncio.run(work())

    assert taken
    assert (a_way("label"), a_way("rejected")) == (ways_of(first), ways_of(second))
    assert (1, 0) == (second.agreement.pairs, second.agreement.agreed)


@pytest.mark.clause("007-F2")
def test_an_edited_output_makes_no_figures(tmp_path):
    """As an edited event makes none."""
    figures_of(tmp_path, one(SAID, Move(output=SAID)))
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute(
            "UPDATE payloads SET content = CAST(content || x'20' AS BLOB) WHERE name = 'raw'"
        )
    with pytest.raises(IntegrityError):
        asyncio.run(count_again(f"sqlite:///{tmp_path / 'a.db'}"))
