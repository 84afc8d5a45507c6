"""HTML comes out as what a person sees; what a person does not see is counted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.documents.html import declared_charset, read_html


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("one\n\ntwo", "<p>one</p><p>two</p>"),
        ("a\nb", "a<br>b"),
        (
            "Policy\tAmount\n45-1\t30 EUR",
            "<table><tr><td>Policy<td>Amount<tr><td>45-1<td>30 EUR</table>",
        ),
        (
            "One. Two.\n\nThree.",
            "<table><tr><td><p>One. Two.</p></td><td><p>Three.</p></td></tr></table>",
        ),
        ("a b", "a&nbsp;b"),
        ("x", '<?xml version="1.0" encoding="utf-8"?><html><body>x</body></html>'),
        ("b", "<script>alert(1)</script><style>p {}</style>b"),
        ("plain text only", "plain text only"),
        ("1 < 2", "1 < 2"),
        ("", ""),
        ("", "<p></p>"),
    ],
)
def test_what_is_visible_is_read(text, markup):
    """Blocks become lines; cells of a row share one unless they hold blocks themselves."""
    assert text == read_html(markup).text


@pytest.mark.parametrize(
    "markup",
    [
        '<p>seen</p><p style="display:none">HIDDEN</p>',
        '<p>seen</p><p style="visibility: hidden">HIDDEN</p>',
        '<p>seen<span style="font-size:0px">HIDDEN</span></p>',
        '<p>seen<span style="font-size: 1px; color: #333">HIDDEN</span></p>',
        '<p>seen</p><p style="color:#ffffff">HIDDEN</p>',
        "<p>seen</p><font color=white>HIDDEN</font>",
        '<p>seen</p><div style="background:#000"><p style="color:black">HIDDEN</p></div>',
        '<p>seen</p><p style="color:rgb(255, 255, 254)">HIDDEN</p>',
        "<p>seen</p><p hidden>HIDDEN</p>",
        '<p>seen</p><div style="opacity:0">HIDDEN</div>',
        '<p>seen</p><div style="max-height:0;overflow:hidden">HIDDEN</div>',
        '<p>seen</p><div style="position:absolute;left:-9999px">HIDDEN</div>',
        '<p>seen</p><div style="text-indent:-9999px">HIDDEN</div>',
        "<style>.x { display: none }</style><p>seen</p><p class='y x'>HIDDEN</p>",
        "<style>#x { font-size: 0 }</style><p>seen</p><p id=x>HIDDEN</p>",
    ],
)
def test_invisible_text_is_left_out_and_counted(markup):
    """Text for programs only is the usual place for planted instructions."""
    read = read_html(markup)

    assert "seen" == read.text
    assert len("HIDDEN") == read.hidden


@pytest.mark.parametrize(
    "markup",
    [
        '<div style="background:#000"><p style="color:white">SEEN</p></div>',
        '<td background="x.png"><p style="color:white">SEEN</p></td>',
        "<style>@media (max-width: 9px) { .x { display: none } }</style><p class=x>SEEN</p>",
        '<p style="color:white"><span style="background:#111">SEEN</span></p>',
        '<p style="font-size:12px; height:0; opacity:0.9">SEEN</p>',
    ],
)
def test_a_doubtful_case_is_visible(markup):
    """What may be seen is read."""
    assert ("SEEN", 0) == (read_html(markup).text, read_html(markup).hidden)


def test_text_behind_a_hidden_element_stays():
    """Taking an element away must not take what follows it."""
    assert "ab" == read_html('<p>a<span style="display:none">HIDDEN</span>b</p>').text


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("new\n> old\n>\n> older", "new<blockquote><p>old</p><p>older</p></blockquote>"),
        ("> a\n>> b", "<blockquote>a<blockquote>b</blockquote></blockquote>"),
        ("mine", '<blockquote style="margin:0 0 0 40px; border: none;">mine</blockquote>'),
        ("a\ufffdb", "a\ufdd0b"),
    ],
)
def test_quotations_are_marked_as_in_mail(text, markup):
    """The frame that a reader sees around a quotation becomes `> `; an indent does not."""
    assert text == read_html(markup, mark_quotes=True).text


@pytest.mark.parametrize(
    ("least", "markup"),
    [
        (1, "<div>" * 5_000 + "x" + "</div>" * 5_000),
        (1, "<b>" * 20_000 + "x"),
        (1, "<table><tr><td>" * 150 + "x" + "</td></tr></table>" * 150),
        (300, "<" * 300),
        (0, "<p " * 30_000),
        (30_000, "&" * 30_000),
        (2_000, "<table><tr>" + "<td>x" * 2_000 + "</table>"),
        (2_000, "<table><tr><td>" + "y" * 2_000 + "<td>b</tr>" + "<tr><td>x<td>z</tr>" * 500),
    ],
)
def test_markup_made_to_hurt_is_read_in_proportion(least, markup):
    """Depth, width and nonsense neither raise nor blow the text up."""
    read = read_html(markup)

    assert least <= len(read.text) <= 2 * len(markup)


@settings(deadline=None)
@given(
    st.text(max_size=200)
    | st.lists(
        st.sampled_from(
            [
                "<p>",
                "</p>",
                "<td>",
                "<blockquote>",
                "</div>",
                "<div style='display:none'>",
                "x",
                "<!--",
                "-->",
                "&#0;",
                "<![CDATA[",
                "<?",
                "\x00",
                "\ud800",
                "<svg>",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_any_markup_becomes_clean_text(markup):
    """Nothing raises, and equal markup gives equal text."""
    read = read_html(markup, mark_quotes=True)

    read.text.encode("utf-8")
    assert not set("\x00\r\ufdd0\ufdd1") & set(read.text)
    assert read == read_html(markup, mark_quotes=True)


@pytest.mark.parametrize(
    ("charset", "data"),
    [
        ("big5", b'<meta charset="big5">'),
        ("koi8-r", b'<META http-equiv="Content-Type" content="text/html; charset=koi8-r">'),
        (None, b"<p>charset=utf-8"),
    ],
)
def test_the_charset_of_the_markup_itself(charset, data):
    """Only a meta element names it."""
    assert charset == declared_charset(data)
