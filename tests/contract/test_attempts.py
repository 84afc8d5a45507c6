"""A shortened attempt shows the sender's words first, verbatim, and keeps its budget."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.contract.attempts import MIN_SHOWN_CHARS, omitted_parts, shorten
from assay.core.text.spans import Shown

SENTENCE = "The storm tore the tiles off my roof on 3 May. "
REPLY = "Yes, please.\n\nOn 3 May 2026 at 10:15, Ann <a@b.org> wrote:\n> Shall we call?\n"
FORWARD = (
    "---------- Forwarded message ---------\nFrom: Ann <a@b.org>\nDate: Monday\n\nRoof leaks.\n"
)


def within(limit: int) -> Callable[[tuple[Shown, ...]], bool]:
    """Fits while all that is shown has at most *limit* code points."""
    return lambda shown: sum(len(view.text) for view in shown) <= limit


def texts_of(shown: tuple[Shown, ...] | None) -> list[str]:
    assert shown is not None
    return [view.text for view in shown]


@pytest.mark.clause("000-R2")
def test_what_others_said_goes_first():
    """Quotations, signatures and disclaimers, from every text, even when all would fit."""
    shown = shorten(
        {
            "subject": "Re: roof",
            "body": REPLY,
            "attachment:note.txt": "Call me.\n\n-- \nBob\nExample Ltd\n",
        },
        within(10_000),
    )

    assert ["Re: roof", "Yes, please.", "Call me."] == texts_of(shown)


def test_what_was_left_out_is_told_with_its_kind():
    """The record says which parts an attempt did not show, and why."""
    shown = shorten({"body": REPLY}, within(100))
    assert shown is not None

    assert [("quoted", REPLY.index("On 3"), len(REPLY.rstrip()))] == [
        (block.kind, block.start, block.stop) for block in omitted_parts(shown[0])
    ]


def test_a_mail_that_is_nothing_but_a_forward_keeps_it():
    """An empty mail would be answered by guessing; the signature still goes."""
    text = f"-- \nBob\n\n{FORWARD}"
    shown = shorten({"subject": "Fwd: roof", "body": text}, within(1_000))

    assert "Roof leaks." in texts_of(shown)[1]


def test_a_long_forward_is_cut_like_any_text():
    """Its first part is kept as far as the budget goes."""
    shown = shorten({"subject": "x", "body": FORWARD + SENTENCE * 100}, within(500))

    assert texts_of(shown)[1].startswith("---------- Forwarded")
    assert 400 < len(texts_of(shown)[1]) <= 500
    assert texts_of(shown)[1].endswith(".")


@pytest.mark.clause("000-R2", "000-B1")
def test_the_longest_text_is_cut_at_a_sentence_end():
    """Short texts stay whole, and the budget is used."""
    shown = shorten(
        {"subject": "roof", "body": SENTENCE * 100, "attachment:a": SENTENCE * 3}, within(1_000)
    )

    subject, body, attachment = texts_of(shown)
    assert ("roof", (SENTENCE * 3).strip()) == (subject, attachment)
    assert body.endswith("3 May.")
    assert 1_000 - 2 * len(SENTENCE) < len(subject + body + attachment) <= 1_000


@pytest.mark.parametrize(("text", "ending"), [("word " * 500, "word"), ("x" * 2_500, "x")])
def test_an_endless_sentence_is_cut_at_white_space_or_anywhere(text, ending):
    """Cutting at the sentence before it would waste what is allowed."""
    (shown,) = texts_of(shorten({"body": "Hello. " + text}, within(600)))

    assert 550 < len(shown) <= 600
    assert shown.endswith(ending)


def test_texts_are_left_out_from_the_last_one_on():
    """Fifty attachments at their shortest may still be too much: the first ones stay."""
    texts = {"subject": "s", "body": SENTENCE * 9}
    texts |= {f"attachment:{n}": SENTENCE * 9 for n in range(50)}
    shown = shorten(texts, within(500))

    lengths = [len(text) for text in texts_of(shown)]
    assert lengths[1] > 0
    assert lengths[4] > 0
    assert [0] * 40 == lengths[-40:]


def test_nothing_fits():
    """A few words of a mail are no basis for a decision: then nothing is sent."""
    assert shorten({"subject": "s", "body": SENTENCE * 9}, within(20)) is None
    assert shorten({"body": "abc"}, lambda _: False) is None


def test_no_text_at_all():
    """Nothing to shorten is no reason to fail."""
    assert shorten({}, within(0)) == ()
    assert texts_of(shorten({"body": "", "subject": " \n"}, within(0))) == ["", ""]


_PIECES = st.sampled_from(
    (SENTENCE, REPLY, FORWARD, "\n", "\n\n", "-- \nBob\n", "> quoted\n", "x" * 150, "  ", "\u2028")
) | st.sampled_from(("Regards,\nBob\n", "Überall \U0001f600 nass. ", "Sent from my iPhone\n"))
_TEXTS = st.dictionaries(
    st.sampled_from(["subject", "body", "attachment:a", "attachment:b"]),
    st.lists(_PIECES, max_size=12).map("".join),
)


@settings(deadline=None)
@given(_TEXTS, st.integers(0, 2_000))
def test_what_is_shown_is_verbatim_in_order_and_fits(texts, limit):
    """Each segment is a slice without white space at its ends; the same texts give the same."""
    asked = []

    def fits(shown: tuple[Shown, ...]) -> bool:
        asked.append(shown)
        return within(limit)(shown)

    shown = shorten(texts, fits)

    assert shown == shorten(texts, within(limit))
    assert len(asked) <= 50
    if shown is None:
        assert not within(limit)(asked[-1]) or not any(within(limit)(s) for s in asked)
        return
    assert shown in asked
    assert within(limit)(shown)
    assert list(texts) == [view.name for view in shown]
    for view in shown:
        assert view.original == texts[view.name]
        for start, stop in view.segments:
            piece = view.original[start:stop]
            assert piece == piece.strip() != ""


@settings(deadline=None)
@given(_TEXTS, st.integers(0, 2_000))
def test_shown_and_omitted_hold_the_whole_text(texts, limit):
    """Nothing gets lost between what is shown and what is told to be left out."""
    for view in shorten(texts, within(limit)) or ():
        covered = sorted([*view.segments, *((b.start, b.stop) for b in omitted_parts(view))])
        position = 0
        for start, stop in covered:
            assert not view.original[position:start].strip()
            assert start >= position
            position = stop
        assert not view.original[position:].strip()


@settings(deadline=None)
@given(st.lists(_PIECES, min_size=1, max_size=12).map("".join))
def test_words_are_never_all_dropped(text):
    """A text that says anything is shown in part at least."""
    (shown,) = shorten({"body": text}, within(1_000_000)) or ()

    assert bool(text.strip()) == bool(shown.segments)
    assert len(shown.text) <= max(len(text), MIN_SHOWN_CHARS)


@pytest.mark.parametrize(("limit", "at_sentence"), [(1.8, True), (2.5, False)])
def test_a_sentence_end_counts_only_in_the_latter_half(limit, at_sentence):
    """Cut where a sentence ends if that keeps half of what fits; else at a word."""
    first = "The storm tore the tiles off my roof " * 4 + "on 3 May."
    text = f"{first} And then " + "more and more water came in " * 40
    allowed = int(limit * len(first))
    (shown,) = texts_of(shorten({"body": text}, within(allowed)))

    assert at_sentence is (shown == first)
    assert at_sentence or allowed - 15 < len(shown) <= allowed


@pytest.mark.clause("000-R2")
@pytest.mark.parametrize(("length", "shown"), [(100, 100), (99, 200)])
def test_a_sentence_end_is_taken_unless_it_wastes_more_than_half(length: int, shown: int) -> None:
    """Of two hundred code points a sentence of a hundred is enough; one of ninety-nine would waste
    more than half, so the cut is made in the endless word behind it."""
    first = "A" + "b" * (length - 2) + "."
    found = shorten({"body": f"{first} {'D' * 400}"}, within(200))

    assert [f"{first} {'D' * 400}"[:shown]] == texts_of(found)


def test_a_text_may_be_shown_at_its_very_shortest() -> None:
    """What fits with exactly MIN_SHOWN_CHARS of each text fits, whether there is one text or so
    many that the last could have been left out."""
    endless = "x" * 500
    for number in (1, 2, 3):
        texts = {str(place): endless for place in range(number)}
        found = shorten(texts, within(MIN_SHOWN_CHARS * number))
        assert ["x" * MIN_SHOWN_CHARS] * number == texts_of(found)
