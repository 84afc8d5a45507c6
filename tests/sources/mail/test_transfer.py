"""A transfer encoding is what the bytes show, whatever the part claims."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sources.mail.armour import strip_armour, take_uuencoded
from assay.sources.mail.message import read_message
from assay.sources.mail.transfer import decode_base64, guess_encoding

pytestmark = pytest.mark.clause("005-M8")

LETTER = "Bitte kündigen Sie meinen Vertrag Nummer 4711 zum Ende des Monats. Danke sehr."
LINES = base64.encodebytes(LETTER.encode()).decode()


def body(fields: str, content: str) -> tuple[str, list[str]]:
    """The body of a mail with *content*, and the codes of its notes."""
    read = read_message(f"From: a@example.org\nSubject: s\n{fields}\n{content}".encode())
    return read.texts["body"].strip(), [note.code for note in read.notes]


BASE64 = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n"
NONE = "Content-Type: text/plain; charset=utf-8\n"
QUOTED = NONE + "Content-Transfer-Encoding: quoted-printable\n"
DAMAGED = "transfer.damaged"


@pytest.mark.parametrize(
    ("text", "notes", "fields", "content"),
    [
        (LETTER, [], BASE64, LINES),
        (LETTER, [], BASE64, LINES.replace("\n", "")),
        (LETTER, [DAMAGED], BASE64, LINES.rstrip().rstrip("=")),
        (
            "Please cancel my policy 4711 now.",
            [DAMAGED],
            BASE64,
            "Please cancel my policy 4711 now.",
        ),
        ("Nyaan", [DAMAGED], BASE64, "Nyaan"),
        (f"{LETTER}\n\n-- \nscanned by X", [DAMAGED], BASE64, f"{LINES}-- \nscanned by X\n"),
        (LETTER, [], BASE64, "  ".join(LINES.split())),
        ("cancel it please", [DAMAGED], BASE64, "cancel it please"),
        (LETTER, [DAMAGED], NONE, LINES),
        (LETTER, [DAMAGED], QUOTED, LINES),
        (LETTER, [DAMAGED], BASE64, base64.encodebytes(LINES.encode()).decode()),
        (
            "Vertrag kündigen, für immer, bitte schön.",
            [DAMAGED],
            BASE64,
            "Vertrag k=C3=BCndigen, f=C3=BCr immer,=\n bitte sch=C3=B6n.\n",
        ),
        (
            "Vertrag kündigen, für immer, bitte schön.",
            [DAMAGED],
            NONE,
            "Vertrag k=C3=BCndigen, f=C3=BCr immer,=\n bitte sch=C3=B6n.\n",
        ),
        ("see =20 and =3D there", [], NONE, "see =20 and =3D there"),
        ("a = b = c", [], NONE, "a = b = c"),
        (
            "Kündigung",
            [],
            NONE + "Content-Transfer-Encoding: quoted-printable; x\n",
            "K=C3=BCndigung",
        ),
    ],
)
def test_what_is_claimed_and_what_is_there_may_differ(text, notes, fields, content):
    """Text under the name of base64, base64 without it, footers behind it; a note says so."""
    assert (text, notes) == body(fields, content)


@given(st.binary(max_size=300))
def test_base64_comes_out_as_it_went_in(data):
    """For texts and for files."""
    encoded = base64.encodebytes(data)

    assert (data, False) == decode_base64(encoded, text=False)
    if data:
        assert data == decode_base64(encoded, text=True)[0] or len(data) < 12


@given(st.binary(max_size=300))
def test_a_guess_is_made_only_of_what_is_plain(data):
    """What is not touched is the same; what is, is shorter."""
    guessed, encoding = guess_encoding(data, text=True)

    assert (guessed == data) or (encoding and len(guessed) < len(data))
    assert (data, "") == guess_encoding(data, text=False)


def test_uuencoded_files_in_a_text_are_attachments():
    """The text keeps what stands around them."""
    read = read_message(b"Subject: s\nFrom: a@b\n\nSee:\nbegin 644 a.txt\n#86)C\n`\nend\nBye\n")

    assert ("See:\nBye\n", "abc") == (read.texts["body"], read.texts["attachment:a.txt"])


@pytest.mark.parametrize(
    "text", [b"begin 644 words\nhello there\nend\n", b"begin 644 x\n#86)C\n", b"begin\nend\n"]
)
def test_words_that_look_like_a_file_stay_words(text):
    """A block that does not end, or holds something else, is none."""
    assert (text, []) == take_uuencoded(text)


@given(st.text(alphabet="-BEGIN PGPMSAGUR\nx ", max_size=200))
def test_text_without_whole_armour_stays(text):
    """Nothing is taken that is not between the lines of an armour."""
    bared = strip_armour(text)

    if "-----BEGIN PGP " not in text:
        assert text == bared.text
    assert len(bared.text) <= len(text)
