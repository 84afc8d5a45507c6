"""Where a snippet lies."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.json.canonical import digest
from assay.core.text import spans as text_module
from assay.core.text.folding import fold_text
from assay.core.text.spans import Located, Locator, Shown, Span, is_evidence, locate
from assay.errors import InputError

SUBJECT = Shown.of_text("subject", "Wasserschaden")
BODY = Shown.of_text(
    "body", "Guten Tag,\nein „Wasserschaden“ im Bad.\nein\u00a0Wasserschaden im Flur."
)


@pytest.mark.clause("000-C3")
def test_an_exact_quotation_is_given_with_span_and_digest():
    """Code points, stop exclusive, digest over the UTF-8 of the slice."""
    expected = Located(
        source="body",
        start=31,
        stop=37,
        match="exact",
        occurrences=1,
        digest="sha256:" + sha256(b"im Bad").hexdigest(),
    )

    assert expected == locate("im Bad", [SUBJECT, BODY])
    assert "im Bad" == BODY.original[31:37]


def test_sources_are_searched_in_order_and_the_first_occurrence_is_given():
    """Where the same words stand in the subject, the span is there."""
    found = locate("Wasserschaden", [SUBJECT, BODY])

    assert ("subject", 0, 13, 3) == (found.source, found.start, found.stop, found.occurrences)


@pytest.mark.clause("005-G13")
def test_occurrences_are_those_of_all_sources():
    """Two in the body and one in the subject; in one kind of match; overlapping ones count each."""
    assert 3 == locate("Wasserschaden", [BODY, SUBJECT]).occurrences
    shown = [Shown.of_text("a", "x y"), Shown.of_text("b", "x  y. x\ty"), Shown.of_text("c", "x y")]
    assert ("a", "exact", 2) == _named(locate("x y", shown))
    assert ("b", "folded", 3) == _named(locate("x  y.\u00a0x", [*shown[1:], shown[1], shown[1]]))
    assert 2 == locate("Wasserschaden", [BODY]).occurrences
    assert 3 == locate("aa", [Shown.of_text("body", "aaaa")]).occurrences
    assert 4 == locate("a", [Shown.of_text("body", "aaaa")]).occurrences


def test_all_sources_are_searched_exactly_before_any_is_folded():
    """An exact place in a later source beats a folded one in an earlier source."""
    first = Shown.of_text("first", "ein  Rohr")
    second = Shown.of_text("second", "ein Rohr")

    assert "second" == locate("ein Rohr", [first, second]).source
    assert ("first", "folded") == (
        locate("ein Rohr", [first]).source,
        locate("ein Rohr", [first]).match,
    )


def test_a_folded_quotation_leads_back_to_the_original():
    """The span and the digest are those of the text as it stands in the record."""
    found = locate('ein "Wasserschaden" im Bad', [BODY])
    original = BODY.original[found.start : found.stop]

    assert "folded" == found.match
    assert "ein „Wasserschaden“ im Bad" == original
    assert digest(original) == found.digest


@pytest.mark.parametrize("snippet", ["", " ", "\n\t", "\u200b", "\u00ad \u200b", "\u00a0"])
def test_a_snippet_without_a_visible_character_is_nowhere(snippet):
    """White space stands in every text and is evidence of nothing."""
    assert locate(snippet, [Shown.of_text("body", f"a{snippet}b c")]) is None


@pytest.mark.parametrize("snippet", ["wasserschaden", "Rohrbruch", "Bad.\n\nein", "Wasserschäden"])
def test_what_is_not_there_is_not_found(snippet):
    """Case and letters count."""
    found = locate(snippet, [SUBJECT, BODY])

    assert (found is None) == (snippet != "Bad.\n\nein")


def test_a_snippet_counts_only_within_one_shown_segment():
    """Neither what was cut out nor what two segments make together was shown."""
    original = "Neu: Rohr. > Alt: Dach. Neu: Bad."
    shown = Shown(name="body", original=original, segments=((0, 11), (24, 33)))

    assert "Neu: Rohr. \nNeu: Bad." == shown.text
    assert locate("Dach", [shown]) is None
    assert locate("Rohr. Neu", [shown]) is None
    assert locate("Rohr. \nNeu", [shown]) is None
    assert locate("Rohr.  Neu", [shown]) is None
    assert (24, 28, 2) == _numbers(
        locate(
            "Neu:",
            [
                Shown(
                    name="body", original="Alt: x. Neu: y. Alt: z. Neu: Neu:", segments=((24, 33),)
                )
            ],
        )
    )
    assert (29, 33, 1) == _numbers(locate("Bad.", [shown]))


def _named(found):
    return found.source, found.match, found.occurrences


def _numbers(found):
    return found.start, found.stop, found.occurrences


@pytest.mark.parametrize(
    "segments", [((0, 0),), ((2, 1),), ((0, 3), (2, 4)), ((3, 4), (0, 1)), ((0, 99),), ((-1, 2),)]
)
def test_segments_must_be_slices_in_order(segments):
    """What is said to be shown has to be part of the source."""
    with pytest.raises(InputError):
        Shown(name="body", original="abcdef", segments=segments)


def test_an_empty_source_shows_nothing():
    """No segment, no text."""
    assert ((), "") == (Shown.of_text("body", "").segments, Shown.of_text("body", "").text)


def test_spans_refuse_impossible_states():
    """Empty, reversed and outside."""
    assert (1, 3, digest("bc")) == (
        Span.of("abc", 1, 3).start,
        Span.of("abc", 1, 3).stop,
        Span.of("abc", 1, 3).digest,
    )
    for start, stop in [(1, 1), (2, 1), (-1, 1), (0, 4)]:
        with pytest.raises(InputError):
            Span.of("abc", start, stop)


def _brute_force(snippet, shown):
    """The exact place by comparing at every position."""
    first, times = None, 0
    for source in shown:
        places = [
            at
            for start, stop in source.segments
            for at in range(start, stop - len(snippet) + 1)
            if source.original[at : at + len(snippet)] == snippet
        ]
        if places and first is None:
            first = source.name, places[0], places[0] + len(snippet)
        times += len(places)
    return None if first is None else (*first, times)


letters = st.text('ab \n\u201c"é', max_size=25)


@st.composite
def shown_sources(draw):
    """One to three sources, each with some slices shown."""
    sources = []
    for number in range(draw(st.integers(1, 3))):
        original = draw(letters)
        edges = draw(st.sets(st.integers(0, len(original)), max_size=6))
        ordered = sorted(edges)
        pairs = tuple(zip(ordered[::2], ordered[1::2], strict=False))
        sources.append(Shown(name=f"s{number}", original=original, segments=pairs))
    return sources


@given(shown_sources(), st.text('ab \n\u201c"é', max_size=4))
def test_exact_places_are_those_of_brute_force(shown, snippet):
    """Against comparing at every position of every segment."""
    expected = _brute_force(snippet, shown) if snippet.strip() else None
    found = locate(snippet, shown)

    if expected is not None:
        assert "exact" == found.match
        assert expected == (found.source, found.start, found.stop, found.occurrences)
    elif found is not None:
        assert "folded" == found.match


@given(shown_sources(), st.text('ab \n\u201c"é', max_size=4))
def test_what_is_found_was_shown_and_says_the_same(shown, snippet):
    """Whatever the match, the slice lies in one shown segment and folds to the snippet."""
    found = locate(snippet, shown)
    if found is None:
        return
    source = next(source for source in shown if source.name == found.source)
    original = source.original[found.start : found.stop]

    assert any(a <= found.start and found.stop <= b for a, b in source.segments)
    assert fold_text(snippet) in fold_text(original)
    assert digest(original) == found.digest


@given(shown_sources(), st.data())
def test_every_visible_part_of_what_was_shown_is_found(shown, data):
    """No true quotation is refused, and neither is one with other typography."""
    segments = [(source, start, stop) for source in shown for start, stop in source.segments]
    if not segments:
        return
    source, start, stop = data.draw(st.sampled_from(segments))
    begin = data.draw(st.integers(start, stop - 1))
    end = data.draw(st.integers(begin + 1, stop))
    snippet = source.original[begin:end]

    if snippet.strip():
        assert "exact" == locate(snippet, shown).match
        assert locate(fold_text(snippet), shown) is not None


@given(st.text("ab", min_size=1, max_size=4), st.text("ab ", max_size=40))
def test_both_directions_of_search_agree(snippet, original):
    """Small sources are searched from the end and large ones from the beginning; padding that
    changes nothing but the size changes no place."""
    small = locate(snippet, [Shown.of_text("body", original)])
    large = locate(snippet, [Shown.of_text("body", original + "\n" * (text_module._SMALL + 1))])

    assert small == large


@given(
    st.lists(st.tuples(st.text("ab", min_size=1, max_size=4), st.integers(1, 60)), max_size=5),
    st.text("ab", min_size=1, max_size=3),
    st.integers(1, 40),
    st.sampled_from([0, text_module._SMALL]),
)
def test_each_place_in_a_text_that_repeats_itself_is_counted(parts, unit, times, padding):
    """Overlapping places are counted in whole runs; brute force counts them one by one."""
    original = "".join(part * number for part, number in parts)
    snippet = unit * times
    places = [at for at in range(len(original)) if original.startswith(snippet, at)]

    found = locate(snippet, [Shown.of_text("body", original + "\n" * padding)])

    assert (found is None) == (not places)
    if found is not None:
        assert (places[0], len(places)) == (found.start, found.occurrences)


def test_many_snippets_are_found_as_few_are():
    """From the two hundredth on they are searched in the other direction."""
    snippets = [f"{number} {number + 1}" for number in range(300)]
    body = Shown.of_text("body", " ".join(str(number) for number in range(400)))

    locator = Locator([body])

    assert [locate(snippet, [body]) for snippet in snippets] == [
        locator.locate(snippet) for snippet in snippets
    ]


def test_a_locator_answers_as_often_as_asked():
    """The same answers, whether it is the first question or not."""
    locator = Locator([SUBJECT, BODY])
    snippets = ['"Wasserschaden" im Bad', "im Bad", "nie", '"Wasserschaden" im Bad']

    assert [locate(snippet, [SUBJECT, BODY]) for snippet in snippets] == [
        locator.locate(snippet) for snippet in snippets
    ]


@pytest.mark.clause("005-G13")
@pytest.mark.parametrize(
    "mark", ["\ufe0f", "\ufe0e", "\ufe00", "\U000e0100", "\u034f", "\u180b", "\u180f", "\u2060"]
)
@pytest.mark.parametrize("base", ["\u260e", "\u8fbb", "e\u0301", "\u1820"])
def test_which_picture_a_character_has_is_forgiven(mark, base):
    """A model writes a telephone with or without the selector of its picture; the span leads back
    to what stands in the text."""
    text = f"Ruf {base}{mark} 12 an."
    (with_mark,) = [locate(f"{base}{mark} 12", [Shown.of_text("body", text)])]
    without = locate(f"{base} 12", [Shown.of_text("body", text)])
    added = locate(f"{base}{mark} 12", [Shown.of_text("body", f"Ruf {base} 12 an.")])

    assert ("exact", "folded", "folded") == (with_mark.match, without.match, added.match)
    assert (4, text.index(" an")) == (without.start, without.stop)
    assert f"{base} 12" == f"Ruf {base} 12 an."[added.start : added.stop]


@pytest.mark.clause("005-G13")
@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("ja", True),
        ("5 €", True),
        ("$9", True),
        ("a-b", True),
        ("12", True),
        ("\u6c34\u5bb3", True),
        ("\u0663\u0664", True),
        ("\u00e9t", True),
        ("a", False),
        ("5", False),
        ("e\u0301", False),
        (" x.", False),
        ("\u6c34", False),
        ("\uc9d1", False),
        ("...", False),
        ("\U0001f621\U0001f621", False),
        ("\u0301\u0301\u0301", False),
        ("\u200b\ufe0f", False),
        ("\u2014\u2014 !", False),
        ("", False),
    ],
)
def test_one_letter_is_no_evidence_and_signs_are_none(text, enough):
    """It stands in almost every text; one ideograph does so as well."""
    assert enough == is_evidence(text)
