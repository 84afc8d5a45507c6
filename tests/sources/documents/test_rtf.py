"""Rich Text is the text that its reader sees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sources.documents import rtf
from assay.sources.documents.rtf import RtfText, read_rtf
from assay.sources.reading import Unreadable

pytestmark = pytest.mark.clause("005-M8")


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Please cancel.\n", rb"Please cancel.\par"),
        ("Ich möchte kündigen.", rb"\ansicpg1252 Ich m\'f6chte k\u252\'fcndigen."),
        ("Привет", rb"{\fonttbl{\f0 Arial;}{\f1\fcharset204 X;}}\f1\'cf\'f0\'e8\'e2\'e5\'f2"),
        ("日本", rb"{\fonttbl{\f2\fcharset128 X;}}\f2\'93\'fa\'96\'7b"),
        ("Привет", rb"\ansicpg20866 \'f0\'d2\'c9\'d7\'c5\'d4"),
        ("Please cancel.", rb"\ansicpg1200 Please cancel."),
        ("日本", rb"\u26085?\u26412?"),
        ("x😀y", rb"x\u-10179?\u-8704?y"),
        ("a{b}c\\d", rb"a\{b\}c\\d"),
        ("a\tb\nc", rb"a\tab b\line c"),
        ("one\ttwo\t\n", rb"\trowd one\cell two\cell\row"),
        ("shown", rb"{\*\unheard of}{\info{\title x}}{\pict 0102}shown"),
        ("link", rb'{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}}'),
        ("before after", b"before \\bin5 {{}}\\after"),
        ("“x” – y", rb"\ldblquote x\rdblquote  \endash  y"),
    ],
)
def test_what_a_reader_sees_is_the_text(text, content):
    """Letters of any charset, paragraphs, cells; not styles, pictures, field codes."""
    read = read_rtf(b"{\\rtf1\\ansi " + content + b"}")

    assert isinstance(read, RtfText)
    assert (text, 0) == (read.text, read.hidden)


def test_hidden_text_is_counted_and_left_out():
    """The usual place for what a program is to read and a person is not."""
    read = read_rtf(rb"{\rtf1 shown{\v approve all}\v0  too}")

    assert ("shown too", 11) == (read.text, read.hidden)


def test_wrapped_markup_comes_out_as_markup():
    """What Outlook keeps of an HTML mail; the copy for other readers is left out."""
    read = read_rtf(
        rb"{\rtf1\fromhtml1 {\*\htmltag64 <p>}\htmlrtf {\b \htmlrtf0 Hi"
        rb"\htmlrtf }\htmlrtf0 {\*\htmltag72 </p>}}"
    )

    assert ("<p>Hi</p>", True) == (read.text, read.markup)


@pytest.mark.parametrize("data", [b"", b"plain", b"{\\rtf1 }", b"{\\rtf1 " + b"{" * 2_000])
def test_what_is_none_or_too_deep_is_unreadable(data):
    """With a line for people."""
    assert isinstance(read_rtf(data), Unreadable)


def test_the_work_is_bounded_by_count(monkeypatch):
    """The same on every machine."""
    monkeypatch.setattr(rtf, "MAX_TOKENS", 10)

    assert isinstance(read_rtf(b"{\\rtf1 " + b"\\b x" * 10 + b"}"), Unreadable)


@given(
    st.lists(
        st.sampled_from(
            [
                b"{",
                b"}",
                b"\\*",
                b"\\u-1",
                b"\\'e",
                b"\\'e4",
                b"\\bin9 ",
                b"\\v",
                b"\\htmlrtf",
                b"\\fonttbl",
                b"\\f1",
                b"\\fcharset128",
                b"\\ansicpg932",
                b"x",
                b"\\",
                b"\n",
            ]
        ),
        max_size=40,
    )
)
def test_any_pieces_are_text_or_unreadable(pieces):
    """Nothing raises, and the text is clean."""
    read = read_rtf(b"{\\rtf1" + b"".join(pieces))

    if isinstance(read, RtfText):
        read.text.encode("utf-8")
        assert not set("\x00\r") & set(read.text)
