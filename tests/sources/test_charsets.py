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


LETTERS = {
    "お世話になっております。保険の契約を解約したいのでよろしくお願いいたします。": (
        "cp932",
        "euc_jp",
        "iso2022_jp",
        "utf-16-le",
        "utf-16-be",
        "utf-8",
    ),
    "您好，我想取消我的保险合同，请尽快给我回复，谢谢。": ("gb18030", "gb2312"),
    "您好，我想取消我的保險合約，請盡快給我回覆，謝謝。": ("big5",),
    "안녕하세요. 보험 계약을 해지하고 싶습니다. 빨리 답변해 주세요.": ("cp949", "iso2022_kr"),
    "Здравствуйте, прошу вас расторгнуть мой договор страхования до 31 мая.": (
        "cp1251",
        "koi8-r",
        "cp866",
        "iso8859-5",
    ),
    "Καλημέρα σας, θέλω να ακυρώσω το συμβόλαιό μου.": ("cp1253",),
    "שלום, אני רוצה לבטל את הפוליסה שלי": ("cp1255",),
    "مرحبا، أريد إلغاء وثيقة التأمين الخاصة بي": ("cp1256",),
    "สวัสดีครับ ผมต้องการยกเลิกกรมธรรม์": ("cp874",),
    "Ich möchte kündigen, für die Prüfung wäre ich dankbar.": ("cp1252", "utf-16-le", "utf-8"),
}
"""Running text, and the charsets in which mail has it."""

CASES = [(text, real) for text, charsets in LETTERS.items() for real in charsets]


@pytest.mark.clause("005-M8")
@pytest.mark.parametrize("claimed", [None, "us-ascii", "utf-8", "iso-2022-jp", "bogus"])
@pytest.mark.parametrize(("text", "real"), CASES)
def test_bytes_under_a_false_claim_are_read_as_what_they_are(text, real, claimed):
    """The claim, UTF-8, then what the letters that come out say; and always a note."""
    decoded = decode(text.encode(real), claimed)

    assert text == decoded.text
    assert bool(decoded.guess) is (real.replace("2022_", "-2022-") != claimed)


@pytest.mark.clause("005-M8")
@pytest.mark.parametrize(("text", "real"), CASES)
def test_a_true_claim_needs_no_guess(text, real):
    """Also where another charset would give letters too."""
    assert (text, "") == (
        decode(text.encode(real), real).text,
        decode(text.encode(real), real).guess,
    )


@pytest.mark.clause("005-M8")
@pytest.mark.parametrize(
    ("real", "claimed"),
    [
        ("cp1251", "iso-8859-1"),
        ("cp1251", "koi8-r"),
        ("koi8-r", "windows-1251"),
        ("cp1253", "iso-8859-1"),
        ("gb18030", "iso-8859-1"),
        ("cp932", "gb2312"),
        ("euc_jp", "shift_jis"),
        ("cp949", "gb2312"),
        ("utf-8", "iso-8859-1"),
        ("utf-8", "windows-1252"),
        ("utf-8", "koi8-r"),
        ("cp1252", "utf-16"),
        ("iso2022_jp", "shift_jis"),
    ],
)
def test_a_claim_under_which_any_bytes_are_text_is_tested(real, claimed):
    """It is strictly right, and yet nobody writes such letters: never taken silently."""
    text = next(text for text, charsets in LETTERS.items() if real in charsets)

    assert (text, "charset.wrong") == (
        decode(text.encode(real), claimed).text,
        decode(text.encode(real), claimed).guess,
    )


@pytest.mark.clause("005-M8")
@pytest.mark.parametrize("claimed", ["iso-2022-jp", "utf-8", "us-ascii", None])
def test_bytes_of_no_charset_are_said_to_be_none(claimed):
    """What stands in the text then is a stopgap that nobody may judge."""
    noise = bytes((place * 7919 + 13) % 119 + 137 for place in range(300))

    assert "charset.undecodable" == decode(noise, claimed).guess


@pytest.mark.clause("005-M8")
@pytest.mark.parametrize("other", ["utf-8", "cp932", "iso2022_jp"])
def test_lines_in_several_charsets_are_each_read(other):
    """Escapes switch letters within a line; a line that holds none is in another charset."""
    first, second = "解約します", "お願いします"
    data = first.encode("iso2022_jp") + b"\n" + second.encode(other)
    decoded = decode(data + b"\n\x1b$B$", "iso-2022-jp")

    assert [first, second] == decoded.text.split("\n")[:2]
    assert "charset.damaged" == decoded.guess


@pytest.mark.clause("005-M8")
def test_a_broken_place_does_not_spoil_a_text_in_another_charset():
    """A byte lost on the way: the rest is still what it claims."""
    text = "保険の契約を解約したいのでよろしくお願いいたします。" * 3
    decoded = decode(text.encode("cp932") + b"\x81\x20", "shift_jis")

    assert (text, "charset.damaged") == (decoded.text.rstrip("\ufffd "), decoded.guess)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (False, "ok\x07\x1b please cancel"),
        (False, "\x02okay\x03"),
        (False, "Yes\x07\x08"),
        (True, "GIF89a\x01\ufffd\x01\ufffd\x80\ufffd\ufffd"),
        (True, "\ufffdPNG\n\x1a\n\ufffd\ufffd\ufffd\nIHDR\ufffd\ufffd\ufffd\x01"),
        (True, "\x01\x02\x03a"),
        (True, ("ab" + "\x01") * 200),
    ],
)
def test_a_short_text_may_hold_more_control_characters(answer, text):
    """Somebody typed it; the head of a picture holds hardly a letter between them."""
    assert answer is is_binary(text)
