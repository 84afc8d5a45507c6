"""What the sender's reader would have shown is what is read."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.sources.mail.alternatives import choose_form
from assay.sources.mail.flowed import unflow
from assay.sources.mail.message import Message, read_message
from assay.sources.mail.opening import mend_opening
from assay.sources.mail.stubs import is_stub
from assay.sources.reading import Unreadable

pytestmark = pytest.mark.clause("005-M9")

HEAD = "From: Ann <ann@example.org>\nSubject: Case 1\nMIME-Version: 1.0\n"
HTML = "<p>I cancel policy 4711 as of 31 May.</p>"
TEXT = "I cancel policy 4711 as of 31 May."


def alternative(*forms: tuple[str, str]) -> bytes:
    """A mail of one text in several forms: media type and content."""
    body = "".join(
        f"--b\nContent-Type: {media}; charset=utf-8\n\n{text}\n" for media, text in forms
    )
    return f"{HEAD}Content-Type: multipart/alternative; boundary=b\n\n{body}--b--\n".encode()


def texts(data: bytes | str) -> dict[str, str]:
    """The texts of a mail that must be readable, its subject aside."""
    read = read_message(data.encode() if isinstance(data, str) else data)
    assert isinstance(read, Message), read
    return {name: text for name, text in read.texts.items() if name != "subject"}


STUBS = """
This message is in HTML format.
View this email in your browser: https://x.example/1
[cid:image001.png@01DA2B]
.
&nbsp;
https://x.example/a?b=c
<http://example.com>
---
[image: logo.png]
To unsubscribe, click here: https://x.example
Your email client does not support HTML messages.
Your e-mail client cannot display this message. Please enable HTML.
If you cannot see this message, please use an HTML capable e-mail client.
This is a multi-part message in MIME format.
Diese Nachricht ist im HTML-Format. Bitte verwenden Sie ein HTML-fähiges Programm.
Falls diese E-Mail nicht richtig angezeigt wird, klicken Sie hier, um sie im Browser anzusehen.
Ce message est au format HTML.
Si ce message ne s'affiche pas correctement, cliquez ici pour la version en ligne.
Este mensaje está en formato HTML.
Ver este correo en su navegador
Questo messaggio è in formato HTML.
Visualizza nel browser
Esta mensagem está em formato HTML.
Ver no navegador
Dit bericht is in HTML-formaat.
Bekijk deze e-mail in je browser
Ta wiadomość jest w formacie HTML.
Zobacz w przeglądarce
Detta meddelande är i HTML-format.
Tento e-mail je ve formátu HTML.
Это письмо в формате HTML.
If you are having trouble viewing this email, click here.
Si no puede ver este mensaje correctamente, haga clic aquí: https://x.es
Se non visualizzi correttamente questa email clicca qui https://x.it
Caso não consiga visualizar este e-mail, clique aqui
Kunt u deze e-mail niet goed lezen? Klik hier.
Jeśli nie widzisz tej wiadomości, kliknij tutaj
Wenn Sie diese Mail nicht lesen können, klicken Sie bitte hier
\u200b \xad
""".strip().split("\n")


@pytest.mark.parametrize("stub", STUBS)
def test_a_stub_gives_way_to_the_part_with_the_text(stub):
    """In the languages in which programs write such lines; a note says that it was one."""
    read = read_message(alternative(("text/plain", stub), ("text/html", HTML)))

    assert {"subject": "Case 1", "body": TEXT} == dict(read.texts)
    assert ["alternative.stub"] == [note.code for note in read.notes]


@pytest.mark.parametrize(
    "text",
    [
        "I cancel my policy as of 31 May.",
        "My browser shows your website in HTML, but I cannot pay there. Cancel policy 4711.",
        "Please unsubscribe me. I have died twice of your letters. My number is 4711.",
        "ok",
        "Hi",
        "Yes, thanks. View it as you like.",
        "Ich kündige.",
        "If you can see this email, call me: I had an accident.",
        "I cannot read your message.",
        "Si vous ne répondez pas à ce message, je porte plainte.",
        "Wenn Sie meine Nachricht nicht lesen, klage ich.",
        "Your newsletter says that the link is broken.",
        "Please open the gate and follow the road.",
    ],
)
def test_what_somebody_wrote_is_no_stub(text):
    """Also when it speaks of browsers and subscriptions, or is a word long."""
    assert not is_stub(text)
    found = texts(alternative(("text/plain", text), ("text/html", HTML)))

    assert text in found.values()
    assert TEXT in found.values()


@pytest.mark.parametrize(
    ("plain", "rich"),
    [
        ("I cancel as of 31 May.", "I cancel as of 30 June."),
        ("Please do not cancel.", "Please cancel."),
        ("Pay 5,000 EUR.", "Pay 500 EUR."),
        ("Bitte kündigen.", "Bitte nicht kündigen."),
        ("Call Ann.", "Call Bob."),
        ("解約します。", "解約しません。"),
    ],
)
def test_forms_that_say_different_things_are_both_texts(plain, rich):
    """Nobody can know which one the reader saw; a note says so."""
    read = read_message(alternative(("text/plain", plain), ("text/html", f"<p>{rich}</p>")))

    assert {"subject": "Case 1", "body": plain, "body:html": rich} == dict(read.texts)
    assert ["alternative.differs"] == [note.code for note in read.notes]


@pytest.mark.parametrize(
    "markup",
    [
        "<p>Please <b>cancel</b> my policy.</p>",
        "<h1>PLEASE CANCEL</h1><div>my&nbsp;policy</div>",
        "<p>Please cancel my policy.</p><a href='https://x'>Unsubscribe</a>",
        "<a href=x>View in browser</a><p>Please cancel my policy.</p>",
        "<p>Please cancel my policy.</p><p>https://tracking.example/1?u=2</p>",
        "<div style='display:none'>A preheader that nobody sees</div>Please cancel my policy.",
        "<table><tr><td>Please cancel<td>my policy</table><img src=x alt=Logo>",
        "<p>Ple\u00adase can\u200bcel my policy.</p>",
    ],
)
def test_what_only_looks_different_is_no_difference(markup):
    """Marks, case, links, footers, hidden text: the prompt stays what the sender typed."""
    plain = "Please cancel my policy. <https://x.example/y>"

    assert {"body": plain} == texts(alternative(("text/plain", plain), ("text/html", markup)))


def test_a_form_about_something_else_is_the_body_where_it_says_more():
    """The plain form is kept beside it: a preview, a signature, another letter."""
    found = texts(alternative(("text/plain", "Sent from my phone"), ("text/html", HTML)))

    assert {"body": TEXT, "body:plain": "Sent from my phone"} == found


def test_forms_inside_forms_are_all_compared():
    """What a reader could have been shown is not lost because it lies one level deeper."""
    inner = (
        "multipart/alternative; boundary=c",
        "--c\nContent-Type: text/plain\n\nUntil 31 May.\n"
        "--c\nContent-Type: text/html\n\n<p>Until 30 June.</p>\n--c--",
    )
    nested = alternative(inner).replace(b"boundary=c; charset=utf-8", b"boundary=c")
    beside = alternative(("text/plain", "Until 31 May."), inner, ("text/html", "<p>Until 1 July."))

    assert {"body": "Until 31 May.", "body:html": "Until 30 June."} == texts(nested)
    found = texts(beside.replace(b"boundary=c; charset=utf-8", b"boundary=c"))
    assert {"Until 30 June.", "Until 1 July."} < {text.strip() for text in found.values()}


def test_several_rich_forms_are_each_read_once():
    """The last is what readers show; a copy of it in another markup says nothing new."""
    found = texts(
        alternative(
            ("text/plain", TEXT),
            ("text/x-amp-html", "<p>I cancel policy 4711 as of 30 June.</p>"),
            ("text/html", HTML),
        )
    )

    assert {"body": TEXT, "body:html (2)": "I cancel policy 4711 as of 30 June."} == found


def test_an_image_with_a_stub_beside_it_is_no_text():
    """The reader would have seen the image."""
    stub = ("text/plain", "View this mail in your browser")
    read = read_message(alternative(stub, ("text/html", "<img src=x>")))

    assert Unreadable(reason="the body is an image") == read


@given(st.text(max_size=80), st.text(max_size=80))
@example("a", "")
@example("", "a")
def test_a_choice_loses_no_word_in_silence(plain, rich):
    """Either form is the body; the other is kept, or a stub, or says the same."""
    chosen = choose_form(plain, rich)

    assert {chosen.body, chosen.second} <= {"plain", "html", ""}
    assert chosen.body != chosen.second
    if not chosen.second and not chosen.stub and re.search(r"\w", plain) and re.search(r"\w", rich):
        assert chosen == choose_form(plain, rich)
        assert chosen.body == "plain"


FLOWED = f"{HEAD}Content-Type: text/plain; charset=utf-8; format=flowed"


@pytest.mark.parametrize(
    ("body", "type_", "lines"),
    [
        ("IBAN DE89370400440532013000\n", "; delsp=yes", "IBAN DE89370400440 \n532013000\n"),
        ("IBAN DE89370400440532013000\n", '; DelSp="YES"', "IBAN DE89370400440 \n532013000\n"),
        ("one two three\nfour\n", "", "one \ntwo \nthree\nfour\n"),
        ("one two\n", "; delsp=no", "one \ntwo\n"),
        ("one\n-- \nAnn\n", "", "one\n-- \nAnn\n"),
        ("one \n-- \nAnn\n", "", "one \n-- \nAnn\n"),
        ("> one two\n>> three\nfour\n", "", "> one \n> two\n>> three\nfour\n"),
        ("From here\n> no quote\n", "", " From here\n > no quote\n"),
        ("one\n\ntwo\n", "", "one\n\ntwo\n"),
        ("> one \ntwo\n", "", "> one \ntwo\n"),
        ("one two", "", "one \ntwo"),
    ],
)
def test_flowed_lines_are_joined(body, type_, lines):
    """RFC 3676: soft breaks, stuffed blanks, depths of quotation, the line above a signature."""
    assert body == texts(f"{FLOWED}{type_}\n\n{lines}")["body"]


def test_lines_of_another_format_stay():
    """Blanks at their ends are somebody's habit."""
    assert "one \ntwo\n" == texts(f"{HEAD}Content-Type: text/plain\n\none \ntwo\n")["body"]


@given(st.text(alphabet="a> \n-", max_size=60), st.booleans())
def test_unflowing_changes_nothing_but_blanks_marks_and_breaks(text, delete):
    """No letter is lost or moved."""
    kept = [char for char in text if char in "a-"]

    assert kept == [char for char in unflow(text, delete_space=delete) if char in "a-"]


BROKEN = [
    "garbage without a colon",
    "HTTP/1.1 200 OK",
    "From sender today",
    "From - x",
    ">From ann@example.org Mon Mar  2 09:00:00 2026",
    " a folded line with nothing before it",
    "+OK 123 octets",
    "\ufeffgarbäge",
    "Received from x by y",
    "MAIL FROM:<a@example.org>",
    "* 1 FETCH (BODY[] {33}",
    "220 mail.example.org ready",
    "\x00\x00",
    "Von: Bert",
]


@pytest.mark.parametrize("first", BROKEN)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_broken_first_line_leaves_the_header_a_header(first, ends):
    """Its fields count, the transfer encoding is taken off, and the body is the body."""
    fields = (
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n"
    )
    mail = f"{first}\n{HEAD}{fields}\nK=C3=BCndigung\n".replace("\n", ends)
    read = read_message(mail.encode())

    assert {"subject": "Case 1", "body": "Kündigung\n"} == dict(read.texts)
    assert "ann@example.org" == read.facts["from"]


@pytest.mark.parametrize(
    "head",
    [
        "From : a@example.org\nSubject : Case\nContent-Type : text/plain; charset=utf-8\n"
        "Content-Transfer-Encoding : quoted-printable\n",
        "From: a@example.org\nSubject: Case\nbroken in the middle\n"
        "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n",
    ],
)
def test_broken_lines_further_down_do_not_end_the_header(head):
    """A blank before a colon, a line that is none."""
    read = read_message(f"{head}\nK=C3=BCndigung\n".encode())

    assert "Kündigung\n" == read.texts["body"]
    assert read.texts["subject"].startswith("Case")


@pytest.mark.parametrize(
    "text",
    [
        "---------- Forwarded message ---------\nFrom: a@example.org\nSubject: s\nTo: b\n\nHello\n",
        "________________________________\nFrom: A\nSent: today\nTo: B\nSubject: s\n\nHello\n",
        "Begin forwarded message:\nFrom: a@example.org\nSubject: s\n\nHello\n",
        "Just a text.\nNote: nothing\n\nbye\n",
    ],
)
def test_a_forward_without_a_header_stays_a_text(text):
    """The frame of a forwarded mail is no broken line above a header."""
    assert text == texts(text)["body"]


@given(st.binary(max_size=200))
def test_a_whole_header_is_not_touched(body):
    """Mending changes nothing where nothing is broken, and mending twice nothing more."""
    head = HEAD.encode() + b"\n"

    assert head + body == mend_opening(head + body)
    assert mend_opening(mend_opening(body)) == mend_opening(body)


@pytest.mark.parametrize("count", [2, 6, 20])
def test_several_broken_lines_may_stand_above_fields_that_programs_write(count):
    """A log of a transport is as little a header as one line of it."""
    log = "".join(f"line {number} of a log\n" for number in range(count))
    read = read_message(f"{log}{HEAD}Content-Transfer-Encoding: base64\n\naGFsbG8=\n".encode())

    assert {"subject": "Case 1", "body": "hallo"} == dict(read.texts)


def test_parts_whose_boundary_was_lost_are_found():
    """Their own encodings are taken off."""
    part = (
        "Content-Type: text/plain; charset=utf-8\n"
        "Content-Transfer-Encoding: quoted-printable\n\nK=C3=BCndigung"
    )
    for kind in (
        "multipart/mixed; boundary=other",
        "multipart/mixed",
        'multipart/mixed; boundary=""',
    ):
        assert (
            "Kündigung"
            == texts(f"{HEAD}Content-Type: {kind}\n\n--real\n{part}\n--real--\n")["body"]
        )
