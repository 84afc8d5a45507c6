"""A body that should have given text and gave none is for a person, with the reason."""

from __future__ import annotations

import base64
import zlib

import pytest
from asn1crypto import cms
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.mail.cms import kind_of_cms, open_cms
from assay.sources.mail.message import Message, read_message
from assay.sources.reading import Unreadable
from tests.sources import making

pytestmark = pytest.mark.clause("005-M8")

HEAD = "From: Ann <ann@example.org>\nSubject: I will sue you\nMIME-Version: 1.0\n"
ENTITY = b"Content-Type: text/plain; charset=utf-8\r\n\r\nI cancel policy 4711.\r\n"
LETTER = "I cancel policy 4711 as of 31 May. " * 15
"""More words than a banner or a footer has."""


def signed(content: bytes | None, kind: str = "data") -> bytes:
    """A CMS object with *content* and no signer: nobody looks at signatures here."""
    inner = {"content_type": kind}
    if content is not None:
        inner["content"] = content if kind == "data" else cms.ContentInfo.load(content)["content"]
    data = cms.SignedData(
        {"version": "v1", "digest_algorithms": [], "encap_content_info": inner, "signer_infos": []}
    )
    return cms.ContentInfo({"content_type": "signed_data", "content": data}).dump()


def compressed(content: bytes) -> bytes:
    """A CMS object with *content* packed."""
    data = cms.CompressedData(
        {
            "version": 0,
            "compression_algorithm": {"algorithm": "1.2.840.113549.1.9.16.3.8"},
            "encap_content_info": {"content_type": "data", "content": zlib.compress(content)},
        }
    )
    return cms.ContentInfo({"content_type": "compressed_data", "content": data}).dump()


def open_ended(content: bytes) -> bytes:
    """The same as `signed` with every length left open, as streams are written (BER)."""
    oid = b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07"
    pieces = b"".join(
        b"\x04" + bytes([len(content[n : n + 9])]) + content[n : n + 9]
        for n in range(0, len(content), 9)
    )
    inner = b"\x30\x80" + oid + b"\x01\xa0\x80\x24\x80" + pieces + bytes(6)
    return (
        b"\x30\x80"
        + oid
        + b"\x02\xa0\x80\x30\x80\x02\x01\x01\x31\x00"
        + inner
        + b"\x31\x00"
        + bytes(6)
    )


ENVELOPED = b"\x30\x82\x01\x00\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03\xa0\x10" + bytes(40)
SEALED_BOTH_WAYS = b"\x30\x82\x01\x00\x06\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x17" + bytes(
    40
)


def part(media: str, data: bytes | str, *, fields: str = "", encode: bool = True) -> str:
    """One part with its header."""
    raw = data.encode() if isinstance(data, str) else data
    if not encode:
        return f"Content-Type: {media}\n{fields}\n{raw.decode()}\n"
    text = base64.encodebytes(raw).decode()
    return f"Content-Type: {media}\nContent-Transfer-Encoding: base64\n{fields}\n{text}\n"


def mixed(*parts: str, kind: str = "mixed") -> bytes:
    """A mail of *parts*."""
    body = "".join(f"--b\n{each}" for each in parts)
    return f"{HEAD}Content-Type: multipart/{kind}; boundary=b\n\n{body}--b--\n".encode()


def alone(media: str, data: bytes | str, **more) -> bytes:
    """A mail that is one part."""
    return (HEAD + part(media, data, **more)).encode()


MIME = "application/pkcs7-mime; smime-type=signed-data; name=smime.p7m"
FILE = "Content-Disposition: attachment; filename=smime.p7m\n"


@pytest.mark.parametrize(
    "mail",
    [
        alone(MIME, signed(ENTITY)),
        alone(MIME, signed(ENTITY), fields=FILE),
        alone("application/x-pkcs7-mime", signed(ENTITY)),
        alone("application/octet-stream; name=smime.p7m", signed(ENTITY), fields=FILE),
        alone(MIME, open_ended(ENTITY)),
        alone(MIME, signed(compressed(ENTITY))),
        alone(MIME, signed(signed(ENTITY))),
        alone(MIME, signed(alone(MIME, signed(ENTITY)))),
        alone(MIME, base64.encodebytes(signed(ENTITY))),
        alone(
            MIME,
            b"-----BEGIN PKCS7-----\n"
            + base64.encodebytes(signed(ENTITY))
            + b"-----END PKCS7-----",
        ),
        alone("application/pkcs7-mime", signed(b"I cancel policy 4711.\r\n")),
    ],
)
def test_an_opaque_signature_is_taken_off_and_not_trusted(mail):
    """In DER and BER, named or not, twice, packed; the text is read and a note says the rest."""
    read = read_message(mail)

    assert isinstance(read, Message)
    assert ("I cancel policy 4711.\n", ()) == (read.texts["body"], read.unread)
    assert {"smime.signature_not_checked"} == {note.code for note in read.notes}


def test_what_is_only_packed_is_unpacked():
    """Nobody signed it, so there is nothing to note."""
    read = read_message(alone(MIME, compressed(ENTITY)))

    assert "compressed" == kind_of_cms(compressed(ENTITY))
    assert ("I cancel policy 4711.\n", ()) == (read.texts["body"], read.notes)


def test_a_signed_document_is_an_attachment():
    """`contract.txt.p7m` is a file, not the body; its name loses what the signature added."""
    file = part(
        "application/octet-stream; name=contract.txt.p7m",
        signed(b"The contract."),
        fields="Content-Disposition: attachment\n",
    )
    read = read_message(mixed(part("text/plain", "See the file.", encode=False), file))

    assert "The contract." == read.texts["attachment:contract.txt"]
    assert () == read.unread


PGP = "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n=abcd\n-----END PGP MESSAGE-----\n"
BANNER = part("text/plain", "CAUTION: this mail comes from outside.", encode=False)


@pytest.mark.parametrize(
    ("why", "mail"),
    [
        ("encrypted (S/MIME)", alone(MIME, ENVELOPED)),
        ("encrypted (S/MIME)", alone("application/octet-stream; name=smime.p7m", SEALED_BOTH_WAYS)),
        ("encrypted (S/MIME)", mixed(BANNER, part(MIME, ENVELOPED))),
        ("damaged S/MIME", alone(MIME, signed(ENTITY)[:60])),
        ("without the text", alone(MIME, signed(None))),
        (
            "encrypted (PGP)",
            mixed(
                part("application/pgp-encrypted", "Version: 1"),
                part("application/octet-stream", PGP),
                kind='encrypted; protocol="application/pgp-encrypted"',
            ),
        ),
        ("encrypted (PGP)", alone("text/plain", PGP, encode=False)),
        ("encrypted (PGP)", alone("text/plain", "Hello,\n\n" + PGP + "\nAnn\n", encode=False)),
        ("encrypted (PGP)", mixed(part("text/html", "<pre>Hello</pre>"), part("text/plain", PGP))),
        ("encrypted (PGP)", alone("text/html", f"<pre>{PGP}</pre>")),
        ("encrypted (PGP)", alone("text/plain", "  " + PGP.replace("\n", "\n  "))),
        ("an image", alone("text/html", "<svg><text>I cancel</text></svg>")),
        ("its subject", alone("text/html", "<script>document.write('I cancel')</script>")),
        ("damaged PDF", alone("application/pdf", b"%PDF-")),
        ("is a sound", alone("audio/wav", b"RIFF")),
        ("and a signature", alone("text/plain", "-- \nAnn Example\nExample Ltd\n")),
        ("and a signature", alone("text/plain", "Mit freundlichen Grüßen\nAnn\n")),
        ("and a signature", alone("text/plain", "\nSent from my iPhone\n")),
        (
            "an image",
            mixed(part("text/plain", "Von meinem iPhone gesendet"), part("image/png", b"x")),
        ),
        ("restricted rights", mixed(BANNER, part("application/x-microsoft-rpmsg-message", b"x"))),
        ("an image", alone("image/png", b"\x89PNG")),
        ("an image", alone("text/html", "<html><body><img src='cid:a'></body></html>")),
        ("an image", mixed(part("text/plain", ""), part("image/jpeg", b"\xff\xd8"))),
        (
            "an image",
            mixed(
                part("text/plain", "[cid:image001.png@01DA]"),
                part("text/html", "<img src=x>"),
                kind="alternative",
            ),
        ),
        ("winmail.dat", alone("application/ms-tnef; name=winmail.dat", b"damaged")),
        (
            "one piece",
            alone("message/partial; id=1; number=1; total=2", "Subject: x\n\ny", encode=False),
        ),
        ("kept elsewhere", alone("message/external-body; access-type=URL", "", encode=False)),
        (
            "fit no charset",
            alone(
                "text/plain; charset=iso-2022-jp",
                b"\xfe\x81\x9d\xff\x90\xe0\xf7\x8f\xfc\xad\xd0\x8d\xee" * 3,
            ),
        ),
        ("holds no text", alone("text/plain", bytes(range(256)) * 4)),
        ("invisible", alone("text/html", "<p style='display:none'>Approve this.</p>")),
        ("its subject", alone("text/plain", "", encode=False)),
        ("its subject", alone("text/plain", "\u200b\n\xa0\n")),
        (
            "its subject",
            mixed(part("text/plain", ""), part("application/zip; name=a.zip", b"PK\x03\x04")),
        ),
    ],
)
def test_a_body_without_text_is_unreadable_with_the_reason(why, mail):
    """Whatever the subject says: it is never judged in the body's place."""
    read = read_message(mail)

    assert isinstance(read, Unreadable)
    assert why in read.reason
    assert "sue" not in read.reason


def test_files_with_text_are_judged_where_the_body_is_empty():
    """Somebody who only attaches a letter has written one."""
    letter = part("application/pdf; name=a.pdf", making.pdf(making.text_page("I cancel.")))
    read = read_message(mixed(part("text/plain", ""), letter))

    assert isinstance(read, Message)
    assert "I cancel." in read.texts["attachment:a.pdf"]


@pytest.mark.parametrize(
    ("unread", "mail"),
    [
        ([], mixed(part("text/plain", LETTER))),
        (
            ["attachment:a.jpg"],
            mixed(part("text/plain", LETTER), part("image/jpeg; name=a.jpg", b"\xff")),
        ),
        (
            ["attachment:a.pdf"],
            mixed(part("text/plain", LETTER), part("application/pdf; name=a.pdf", b"%PDF-")),
        ),
        (
            ["attachment:a.pgp"],
            mixed(part("text/plain", LETTER), part("application/octet-stream; name=a.pgp", b"x")),
        ),
        (
            ["attachment:a.p7m"],
            mixed(
                part("text/plain", LETTER), part("application/pkcs7-mime; name=a.p7m", ENVELOPED)
            ),
        ),
        (
            ["attachment:a.msg"],
            mixed(part("text/plain", LETTER), part("application/vnd.ms-outlook; name=a.msg", b"x")),
        ),
        (
            ["attachment:empty.txt"],
            mixed(part("text/plain", LETTER), part("text/plain; name=empty.txt", "")),
        ),
        (["body"], mixed(part("text/plain", LETTER), part(MIME, ENVELOPED))),
        (["body"], mixed(part("text/plain", LETTER), part("text/plain", bytes(range(256))))),
        (["body"], alone("text/plain", LETTER + "\n" + PGP)),
        (
            [],
            mixed(
                part("text/plain", LETTER),
                part("application/pgp-signature; name=s.asc", "x"),
                kind="signed",
            ),
        ),
    ],
)
def test_each_part_that_gave_no_text_is_named(unread, mail):
    """With the reason in plain words; signatures have no text for anybody."""
    read = read_message(mail)

    assert isinstance(read, Message)
    assert unread == [each.part for each in read.unread]
    assert all(each.why for each in read.unread)


def test_signed_text_in_pgp_armour_is_read_without_its_frame():
    """Dashes that the armour doubled are undone; a note says that nobody checked."""
    text = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nPlease cancel.\n- -- \nAnn\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\nfooter\n"
    )
    read = read_message(alone("text/plain", text))

    assert "Please cancel.\n-- \nAnn\nfooter\n" == read.texts["body"]
    assert ["pgp.signature_not_checked"] == [note.code for note in read.notes]


def test_quoted_armour_stays_what_somebody_else_wrote():
    """A reply to an encrypted mail is itself readable."""
    text = "I cannot open this:\n> " + PGP.replace("\n", "\n> ")

    assert text == read_message(alone("text/plain", text)).texts["body"]


@pytest.mark.parametrize(
    "text", ["ok\x07\x1b please cancel\n", "ok\x07\n", "\x02Bitte kündigen\x03\n"]
)
def test_a_short_text_with_control_characters_is_a_text(text):
    """Terminals and old devices leave them; what was typed is between them."""
    assert text == read_message(alone("text/plain; charset=utf-8", text)).texts["body"]


@pytest.mark.parametrize(
    ("text", "media", "data"),
    [
        ("Please cancel.\n", "text/rtf", b"{\\rtf1\\ansi Please cancel.\\par}"),
        ("Please cancel.\n", "application/rtf", b"{\\rtf1\\ansi Please cancel.\\par}"),
        (
            "Please cancel now.\n\nBye <x>",
            "text/enriched",
            b"<bold>Please</bold> cancel\nnow.\n\n\nBye <<x>",
        ),
        (
            "Summary: Visit\nDescription: At ten,\nplease\n",
            "text/calendar",
            b"BEGIN:VCALENDAR\nSUMMARY:Visit\nDESCRIPTION:At ten\\,\\npl\n ease\nEND:VCALENDAR\n",
        ),
        ("Please cancel.", "application/octet-stream", b"Please cancel."),
        ("Please cancel.", "application/x-unheard-of", b"Please cancel."),
        ("Please cancel.", "text/x-unheard-of", b"Please cancel."),
        ("Please cancel.", "text", b"Please cancel."),
        ("Please cancel.", "text/x-amp-html", b"<p>Please cancel.</p>"),
        ("Please cancel.", "application/xhtml+xml", b"<p>Please cancel.</p>"),
    ],
)
def test_a_body_of_another_kind_is_tried_as_what_its_bytes_are(text, media, data):
    """Whatever name a program gave to it."""
    assert text == read_message(alone(media, data)).texts["body"]


@given(st.binary(max_size=200), st.integers(0, 200))
@settings(deadline=None)
def test_any_bytes_are_opened_or_closed_with_a_reason(data, place):
    """Damage at any place of a real object, and anything else."""
    whole = signed(ENTITY)
    for each in (data, whole[:place] + data, whole[:place] + data + whole[place + len(data) :]):
        opened = open_cms(each)
        assert opened == open_cms(each)
        assert opened


def test_what_unpacks_without_end_stays_closed(monkeypatch):
    """A few bytes may say megabytes; the bound is a count."""
    monkeypatch.setattr("assay.sources.mail.cms.MAX_INPUT_BYTES", 1_000)

    assert "unpacks to more than is allowed" == open_cms(compressed(bytes(1_001)))
