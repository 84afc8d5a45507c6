"""Header values come out as people see them, however broken their encoding is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.mail.headers import MAX_HEADER_CHARS, read_addresses, read_date, read_header


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Grüße", "=?utf-8?Q?Gr=C3=BC=C3=9Fe?="),
        ("Grüße an alle", "=?iso-8859-1?q?Gr=FC=DFe?= an alle"),
        ("日本語", "=?ISO-2022-JP?B?GyRCRnxLXDhsGyhC?="),
        ("TEST", "=?us-ascii?B?VEVTVA=?="),
        ("a b", "=?utf-8?q?a_?=\n =?utf-8?q?b?="),
        ("ab", "=?utf-8?q?a?=  =?utf-8?q?b?="),
        ("é", "=?utf-8?q?=C3?= =?utf-8?q?=A9?="),
        ("é", "=?utf-8*fr?q?=C3=A9?="),
        ("AutoRespons :Nyaan?", "=?UTF-8?Q?AutoRespons?= :Nyaan?"),
        ("folded over lines", "folded\r\n over\r\n\tlines"),
        ("=?broken", "=?broken"),
        ("no \ufffd here", "no \x00 here"),
        ("naïve", b"na\xc3\xafve".decode("ascii", "surrogateescape")),
        ("naïve", b"na\xefve".decode("ascii", "surrogateescape")),
        ("grün", "grün"),
    ],
)
def test_a_header_is_read_as_its_reader_sees_it(text, value):
    """Encoded words are joined as bytes, raw bytes are guessed, folds become blanks."""
    assert text == read_header(value).text


def test_a_guess_in_a_header_is_told():
    """The charset claimed by an encoded word may not exist."""
    assert (("charset.unknown", "bogus"),) == read_header("=?bogus?q?caf=E9?=").guesses


@settings(deadline=None)
@given(st.one_of(st.text(max_size=300), st.binary(max_size=300)))
def test_any_header_value_is_one_clean_line(value):
    """Whatever stands in a header, its text is one line that can be stored."""
    raw = value.decode("ascii", "surrogateescape") if isinstance(value, bytes) else value
    text = read_header(raw).text

    text.encode("utf-8")
    assert not set("\x00\r\n") & set(text)
    read_addresses(raw)
    read_date(raw)


@pytest.mark.parametrize(
    ("addresses", "value"),
    [
        (("a@example.org",), "Ann <a@example.org>"),
        (("a@example.org", "b@example.org"), "a@example.org, Bob <b@example.org>"),
        (("a@example.org",), '"Doe, Ann" <a@example.org>'),
        (("a@example.org",), "=?utf-8?q?J=C3=B6rg?= <a@example.org>"),
        (("a@example.org",), "Ann <a@example.org\n >"),
        ((), "undisclosed-recipients:;"),
        ((), "(" * 4000),
        ((), ""),
    ],
)
def test_addresses_are_found(addresses, value):
    """In order, as written; a value without any gives none and raises nothing."""
    assert addresses == read_addresses(value)


def test_long_headers_are_cut():
    """Some ways of reading headers take time quadratic in their length."""
    assert MAX_HEADER_CHARS == len(read_header("x" * (MAX_HEADER_CHARS + 1)).text)


@pytest.mark.parametrize(
    ("date", "value"),
    [
        ("2026-01-17T08:55:11+01:00", "Fri, 17 Jan 2026 08:55:11 +0100"),
        (None, "Thursday"),
        (None, "Fri, 99 Jan 2026 99:99:99 +9999"),
        (None, ""),
    ],
)
def test_a_date_is_read_or_not(date, value):
    """A date that is none is no reason to stop."""
    assert date == read_date(value)
