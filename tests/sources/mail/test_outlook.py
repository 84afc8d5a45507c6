"""What Outlook and Exchange wrap a mail in is opened, and is the mail that its sender wrote."""

from __future__ import annotations

import base64

import pytest
import tnefparse
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.mail.compressed_rtf import unpack_rtf
from assay.sources.mail.message import Message, read_message
from assay.sources.mail.outlook import read_outlook
from assay.sources.mail.tnef import read_tnef
from assay.sources.reading import Unreadable
from tests.sources.making_outlook import compound, msg, pack_rtf, prop, props, tnef, utf16

HEAD = "From: Ann <ann@example.org>\nSubject: Case 1\nMIME-Version: 1.0\n"
ASKED = "I cancel policy 4711 as of 31 May."
RTF = rb"{\rtf1\ansi\ansicpg1252 I cancel policy 4711 as of 31 May.\par}"
WRAPPED = (
    rb"{\rtf1\ansi\fromhtml1 {\*\htmltag <p>}\htmlrtf x\htmlrtf0 "
    + ASKED.encode()
    + rb"{\*\htmltag </p>}}"
)


def winmail(data: bytes, *, beside: str = "") -> bytes:
    """A mail with *data* as winmail.dat, and text beside it."""
    packed = base64.encodebytes(data).decode()
    part = (
        "Content-Type: application/ms-tnef; name=winmail.dat\n"
        f"Content-Transfer-Encoding: base64\n\n{packed}"
    )
    if not beside:
        return (HEAD + part).encode()
    return (
        f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\n"
        f"{beside}\n--b\n{part}\n--b--\n"
    ).encode()


def texts(data: bytes) -> dict[str, str]:
    """The texts of a mail that must be readable."""
    read = read_message(data)
    assert isinstance(read, Message), read
    return {name: text.strip() for name, text in read.texts.items()}


@pytest.mark.clause("005-M8")
@pytest.mark.parametrize(
    "attributes",
    [
        [(0x800C, ASKED.encode() + b"\x00")],
        [(0x9003, props(prop(0x1000, 0x1F, utf16(ASKED))))],
        [
            (0x9007, (1252).to_bytes(8, "little")),
            (0x9003, props(prop(0x1000, 0x1E, ASKED.encode()))),
        ],
        [(0x9003, props(prop(0x1013, 0x102, b"<p>" + ASKED.encode() + b"</p>")))],
        [(0x9003, props(prop(0x1009, 0x102, pack_rtf(RTF))))],
        [(0x9003, props(prop(0x1009, 0x102, pack_rtf(WRAPPED))))],
        [(0x9003, props(prop(0x0E08, 3, bytes(4)), prop(0x1000, 0x1F, utf16(ASKED))))],
    ],
)
def test_the_body_in_a_winmail_dat_is_the_body(attributes):
    """As text, as HTML and as compressed Rich Text, which may wrap HTML itself."""
    assert {"subject": "Case 1", "body": ASKED} == texts(winmail(tnef(*attributes)))


@pytest.mark.clause("005-M8")
def test_files_in_a_winmail_dat_are_attachments():
    """Under their long names, and mails among them with their own bodies."""
    inner = tnef(
        (0x9003, props(prop(0x0037, 0x1F, utf16("Inner")), prop(0x1000, 0x1F, utf16("Deep."))))
    )
    data = tnef(
        (0x800C, ASKED.encode()),
        (0x9002, bytes(14)),
        (0x8010, b"A~1.TXT\x00"),
        (0x800F, b"alpha"),
        (0x9005, props(prop(0x3707, 0x1F, utf16("alpha.txt")))),
        (0x9002, bytes(14)),
        (0x9005, props(prop(0x3701, 0x0D, bytes(16) + inner))),
    )

    assert {
        "subject": "Case 1",
        "body": ASKED,
        "attachment:alpha.txt": "alpha",
        "attachment:message.eml": "Subject: Inner\n\nDeep.",
    } == texts(winmail(data))


@pytest.mark.clause("005-M8")
def test_a_winmail_dat_beside_a_text_is_another_form_of_it():
    """The same words are read once; other words are a text of their own."""
    same = winmail(tnef((0x9003, props(prop(0x1009, 0x102, pack_rtf(RTF))))), beside=ASKED)
    other = winmail(tnef((0x800C, b"I cancel policy 4711 as of 30 June.")), beside=ASKED)

    assert {"subject": "Case 1", "body": ASKED} == texts(same)
    assert "I cancel policy 4711 as of 30 June." == texts(other)["body:html"]


@pytest.mark.clause("005-M8")
@pytest.mark.parametrize(
    "data",
    [
        b"x",
        b"\x78\x9f\x3e\x22\x01\x00\x01junk",
        tnef((0x9003, props(prop(0x1009, 0x102, b"x" * 20)))),
    ],
)
def test_a_winmail_dat_that_cannot_be_read_leaves_the_mail_to_a_person(data):
    """The subject is never judged in its place; beside a text it is named as unread."""
    alone, beside = read_message(winmail(data)), read_message(winmail(data, beside=ASKED))

    assert isinstance(alone, Unreadable)
    assert "body" in alone.reason
    assert isinstance(beside, Message)
    assert beside.unread


@given(st.dictionaries(st.sampled_from([0x0037, 0x0E04, 0x0C1A]), st.text(max_size=20), max_size=3))
@settings(max_examples=30, deadline=None)
def test_an_independent_reader_finds_the_same_properties(values):
    """What is taken out of a stream is what another library takes out of it."""
    values = {tag: text.replace("\x00", "") for tag, text in values.items()}
    values = {tag: text.encode("utf-16", "ignore").decode("utf-16") for tag, text in values.items()}
    data = tnef((0x9003, props(*[prop(tag, 0x1F, utf16(text)) for tag, text in values.items()])))
    theirs = {each.name: each.data for each in tnefparse.TNEF(data).mapiprops}
    node = read_tnef(data)

    assert set(values) == set(theirs)
    assert isinstance(node, str) is (not values)
    for tag, text in values.items():
        assert text == theirs[tag].rstrip("\x00")


@pytest.mark.clause("005-M8")
@pytest.mark.parametrize(
    "streams",
    [
        {0x1000: ASKED},
        {0x1013: b"<html><p>" + ASKED.encode() + b"</p></html>"},
        {0x1009: pack_rtf(RTF)},
        {0x1000: ASKED, 0x1013: ("<p>" + ASKED + "</p>").encode(), 0x1009: pack_rtf(RTF)},
        {0x1000: ASKED + "\r\n" + " " * 5000},
    ],
)
def test_a_saved_outlook_mail_is_a_mail(streams):
    """With its subject, its sender and its body in whatever form it is kept."""
    tree = msg({0x0037: "Kündigung", 0x0C1A: "Ann", 0x5D01: "ann@example.org", **streams})
    read = read_message(compound(tree))

    assert isinstance(read, Message)
    assert ("Kündigung", ASKED) == (read.texts["subject"], read.texts["body"].strip())
    assert "ann@example.org" == read.facts["from"]
    assert () == read.unread


@pytest.mark.clause("005-M8")
def test_what_a_saved_mail_carries_is_read():
    """Files under their names, and mails inside with what they carry."""
    deep = msg(
        {0x0037: "Inner", 0x1000: "Deep."},
        [{"__substg1.0_3707001F": utf16("b.txt"), "__substg1.0_37010102": b"beta"}],
        inner=True,
    )
    tree = msg(
        {0x0037: "Case", 0x1000: ASKED},
        [
            {"__substg1.0_3707001F": utf16("a.txt"), "__substg1.0_37010102": b"alpha"},
            {"__substg1.0_3701000D": deep},
        ],
    )

    assert {
        "subject": "Case",
        "body": ASKED,
        "attachment:a.txt": "alpha",
        "attachment:message.eml": "Subject: Inner\n\nDeep.",
        "attachment:b.txt": "beta",
    } == texts(compound(tree))


@pytest.mark.clause("005-M8")
def test_a_saved_mail_in_a_mail_is_carried_like_any_other():
    """Whatever its media type says."""
    packed = base64.encodebytes(compound(msg({0x0037: "Case", 0x1000: ASKED}))).decode()
    mail = (
        f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n\nSee below.\n--b\n"
        f"Content-Type: application/octet-stream; name=x.msg\nContent-Transfer-Encoding: base64\n\n"
        f"{packed}\n--b--\n"
    ).encode()

    assert f"Subject: Case\n\n{ASKED}" == texts(mail)["attachment:x.msg"]


@pytest.mark.clause("005-M8")
def test_a_saved_mail_without_a_body_is_unreadable():
    """Its subject is not judged alone either."""
    read = read_message(compound(msg({0x0037: "I will sue you"})))

    assert Unreadable(reason="holds no text but its subject") == read


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_damage_anywhere_never_raises(data):
    """A file cut or changed at any place gives a mail or a reason."""
    whole = data.draw(
        st.sampled_from(
            [
                compound(
                    msg({0x0037: "Case", 0x1000: ASKED}, [{"__substg1.0_37010102": b"alpha"}])
                ),
                tnef((0x800C, ASKED.encode()), (0x9002, bytes(14)), (0x800F, b"alpha")),
            ]
        )
    )
    place = data.draw(st.integers(0, len(whole) - 1))
    spoilt = bytearray(whole[: data.draw(st.sampled_from([len(whole), place]))])
    if place < len(spoilt):
        spoilt[place] ^= data.draw(st.integers(1, 255))
    for read in (read_outlook, read_tnef, read_message):
        assert read(bytes(spoilt)) is not None


@given(st.binary(max_size=300))
def test_rtf_comes_out_as_it_went_in(rtf):
    """Of any bytes; and any bytes are unpacked to something or to nothing, never an error."""
    assert rtf == (unpack_rtf(pack_rtf(rtf)) or b"")
    unpack_rtf(b"\x00" * 8 + b"LZFu" + rtf)


def test_the_example_of_the_specification_is_unpacked():
    """MS-OXRTFCP 3.1.1, with references into the dictionary and into itself."""
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )

    assert b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n" == unpack_rtf(packed)
