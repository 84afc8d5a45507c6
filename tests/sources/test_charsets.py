"""Bytes become text whatever they claim to be, and a guess says that it is one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.charsets import clean, decode, is_binary


@pytest.mark.parametrize(
    ("text", "charset", "data", "claimed"),
    [
        ("grün", "utf-8", "grün".encode(), "utf-8"),
        ("grün", "cp1252", "grün".encode("latin-1"), "iso-8859-1"),
        ("„so“", "cp1252", "„so“".encode("cp1252"), "iso-8859-1"),
        ("日本", "shift_jis", "日本".encode("shift_jis"), "Shift_JIS"),
        ("日本", "iso2022_jp", "日本".encode("iso2022_jp"), "iso-2022-jp"),
        ("한글", "euc_kr", "한글".encode("euc_kr"), "ks_c_5601-1987"),
        ("Test", "utf-16-be", "Test".encode("utf-16-be"), "utf-16be"),
        ("שלום", "iso8859-8", "שלום".encode("iso8859-8"), "iso-8859-8-i"),
        ("plain", "utf-8", b"plain", None),
        ("\ufeff-free", "utf-8", b"\xef\xbb\xbf" + "\ufeff-free".encode()[3:], "us-ascii"),
    ],
)
def test_a_true_claim_is_taken(text, charset, data, claimed):
    """Bytes that are in the charset claimed come out as that text, without a note."""
    decoded = decode(data, claimed)

    assert text.removeprefix("\ufeff") == decoded.text
    assert decoded.guess == ""
    assert charset == decoded.charset or charset == "cp1252"


@pytest.mark.parametrize(
    ("text", "guess", "data", "claimed"),
    [
        ("café", "charset.unknown", "café".encode(), "bogus"),
        ("café", "charset.unknown", "café".encode("cp1252"), "bogus"),
        ("café", "charset.wrong", "café".encode("cp1252"), "utf-8"),
        ("café", "charset.wrong", "café".encode(), "us-ascii"),
        ("café", "charset.missing", "café".encode(), None),
        ("café", "charset.missing", "café".encode("cp1252"), ""),
        ("cafe", "charset.unknown", b"cafe", "rot13"),
        ("6162", "charset.unknown", b"6162", "hex"),
        (r"a\u0041", "charset.unknown", rb"a\u0041", "unicode_escape"),
        ("x", "charset.unknown", b"x", "utf-8\x00"),
        ("x", "charset.unknown", b"x", "a" * 5000),
    ],
)
def test_a_false_claim_is_guessed_and_said(text, guess, data, claimed):
    """UTF-8 where it fits, else windows-1252; the guess is named, whatever the claim was."""
    decoded = decode(data, claimed)

    assert (text, guess) == (decoded.text, decoded.guess)


def test_one_broken_byte_does_not_spoil_a_long_utf8_text():
    """Read as windows-1252, every other letter of the text would be wrong."""
    decoded = decode("für ".encode() * 20 + b"\xff", "utf-8")

    assert "für " * 20 + "\ufffd" == decoded.text
    assert decoded.guess == "charset.damaged"


def test_the_claim_is_repeated_only_in_printable_ascii():
    """A note is shown to people and stored: it must not carry control characters on."""
    assert "b?gus?" == decode(b"\xff", "b\x1bgus\n").claimed


@settings(deadline=None)
@given(st.binary(max_size=200), st.one_of(st.none(), st.text(max_size=20)))
def test_any_bytes_become_clean_text(data, claimed):
    """Neither NUL nor a lone surrogate nor CR survives, and equal bytes give equal text."""
    decoded = decode(data, claimed)

    assert not set("\x00\r") & set(decoded.text)
    decoded.text.encode("utf-8")
    assert decoded == decode(data, claimed)


def test_clean_keeps_the_place_of_what_it_replaces():
    """Spans would move if a character were dropped."""
    assert "a\ufffdb\ufffdc\nd\ne" == clean("a\x00b\ud800c\r\nd\re")


@pytest.mark.parametrize(
    ("answer", "text"),
    [(False, "a letter\n"), (True, "\x00\x01\x02abc"), (True, "\ufffd" * 9), (False, "")],
)
def test_binary_is_told_from_text(answer, text):
    """A few strange characters are damage; many mean that it never was text."""
    assert answer is is_binary(text)
