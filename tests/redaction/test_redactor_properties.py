"""What holds for every text."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.text.folding import fold
from assay.redaction.redactor import CLASSES, Redaction, Redactor
from assay.redaction.view import BARRIER, PERSONAL_DATA

REDACTOR = Redactor()
SURROGATE = re.compile(rf"\[(?:{'|'.join(CLASSES)})_[0-9a-f]{{10}}\]")

WORDS = """Dear |Jane Roe|John Smith|Mr. |Frau |Name: |My name is |Kind regards,|-- |<|>|"|'|(|)|
/|-|+|jane@example.com|bob.smith@mail.co.uk|@|+49 30 1234567|030 1234567|(415) 555-0132| x12|123456|
12345|0|2026-01-22|01.02.2024|08:00|DE89 3704 0044 0532 0130 00|4111 1111 1111 1111|7f0c1d22-|
7f0c1d22-b41e-4c3a-8046-2297501ef113|55555555K|078-05-1120|passport number: |A1234567|Street |
12 Main Street|Hauptstraße 5|, 10115 Berlin|rue de la Paix|Calle Mayor, 5|P.O. Box 12|St|
Via Roma 12/A|, 2º B|, 1015 CJ |Amsterdam| bis| (MI)|s/n|BIC |COBADEFFXXX|SWIFT: |
, |. |
[EMAIL_0123456789]|[EMAIL_|0123456789]|_|\u200b|\u00a0|\u0301|ﬁ|１２３|½|…|\x00|\uffff|\ud800|€|
+49 30 / 123 45 67|Tel630-596-1111|Durchwahl -4471|%2B4930123456|jane.doe%40example.com|
jane (at) example.com|geb. |3. Mai 1971|192.168.10.7|2001:db8::1|AKIAIOSFODNN7EXAMPLE|password: |
ab12cd34ef56ab78|Hauptstr.5|10115 Berlin|> |1150 €|Max Mustermann|王小明|様|姓名：|السيد |aus |
call |tel |van |A|a|Roe|Jane|:|=|#|e\u0301|\u0661\u0662| |\t|\r\n|\n\n"""
PIECES = st.sampled_from(re.split(r"\|\n?", WORDS))
TEXTS = st.one_of(st.lists(PIECES, max_size=20).map("".join), st.text(max_size=80))


def put_back(text: str, view: Redaction) -> str:
    """The text with each span replaced by its surrogate."""
    parts, at = [], 0
    for span in view.spans:
        parts += [text[at : span.start], span.surrogate]
        at = span.stop
    return "".join([*parts, text[at:]])


@settings(max_examples=400)
@given(TEXTS)
def test_redacting_twice_changes_nothing(text):
    """Text, map and counts are the same, and the second pass finds nothing of its own."""
    once = REDACTOR.redact(text)
    twice = REDACTOR.redact(once.text)

    assert (once.text, once.map, once.counts, ()) == (
        twice.text,
        twice.map,
        twice.counts,
        twice.spans,
    )


@settings(max_examples=400)
@given(TEXTS)
def test_spans_lead_back_to_the_original(text):
    """They are in order, apart, not empty, and make the redacted text out of the original."""
    view = REDACTOR.redact(text)
    borders = [border for span in view.spans for border in (span.start, span.stop)]

    assert view.text == put_back(text, view)
    assert borders == sorted(borders)
    assert all(span.start < span.stop for span in view.spans)
    assert all(
        span.surrogate == REDACTOR.surrogate(span.cls, text[span.start : span.stop])
        for span in view.spans
    )


@settings(max_examples=400)
@given(TEXTS)
def test_no_detected_value_survives(text):
    """Surrogates aside, no hidden value of three characters or more stands anywhere."""
    view = REDACTOR.redact(text)
    left = SURROGATE.sub("\n", view.text)
    values = {text[span.start : span.stop] for span in view.spans}

    assert [] == [value for value in values if len(value) >= 3 and value in left]


@given(TEXTS)
def test_map_and_counts_say_what_the_text_shows(text):
    """Every surrogate of the redacted text is in the map, and is counted."""
    view = REDACTOR.redact(text)
    shown = SURROGATE.findall(view.text)

    assert set(shown) == set(view.map)
    assert len(shown) == sum(view.counts.values())


@given(TEXTS, st.text(min_size=1, max_size=20))
def test_a_key_changes_the_surrogates_and_nothing_else(text, key):
    """What is found does not depend on the key."""
    plain, keyed = REDACTOR.redact(text), Redactor(key).redact(text)

    assert [(s.start, s.stop, s.cls) for s in plain.spans] == [
        (s.start, s.stop, s.cls) for s in keyed.spans
    ]


@given(st.text(alphabet=st.characters(exclude_characters=BARRIER), max_size=60))
def test_the_folded_view_leads_back(text):
    """Each code point of the view stands for a range of the original; the ranges rise."""
    view = fold(text, PERSONAL_DATA)
    ranges = [view.span(i, i + 1) for i in range(len(view.text))]

    assert ranges == sorted(ranges)
    assert all(0 <= start < stop <= len(text) for start, stop in ranges)
    for i, (start, stop) in enumerate(ranges):
        begin, end = view.locate(start, stop)
        assert begin <= i < end
