"""The sender's own words are told from what a mail carries along."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.mail.quoting import blocks


def split(text: str) -> list[tuple[str, str]]:
    """Kind and content of each block, without white space around it."""
    return [(block.kind, text[block.start : block.stop].strip()) for block in blocks(text)]


def own(text: str) -> str:
    """The sender's words."""
    return "".join(text[b.start : b.stop] for b in blocks(text) if b.kind == "own").strip()


@pytest.mark.parametrize(
    "attribution",
    [
        "On Mon, 3 May 2026 at 10:15, Ann Lee <ann@example.org> wrote:",
        "On Monday, May 3, 2026 at 10:15 AM Ann Lee\n<ann@example.org> wrote:",
        "Am 03.05.2026 um 10:15 schrieb Ann Lee <ann@example.org>:",
        "Am Mo., 3. Mai 2026 um 10:15 Uhr schrieb Ann Lee <\nann@example.org>:",
        "Le lun. 3 mai 2026 à 10:15, Ann Lee <ann@example.org> a écrit :",
        "El lun, 3 may 2026 a las 10:15, Ann Lee (<ann@example.org>) escribió:",
        "Em seg., 3 de mai. de 2026 às 10:15, Ann <ann@example.org> escreveu:",
        "Il giorno lun 3 mag 2026 alle ore 10:15 Ann Lee <ann@example.org> ha scritto:",
        "Op ma 3 mei 2026 om 10:15 schreef Ann Lee <ann@example.org>:",
        "Den mån 3 maj 2026 kl 10:15 skrev Ann Lee <ann@example.org>:",
        "W dniu 3.05.2026 o 10:15, Ann Lee pisze: <ann@example.org> napisał:",
        "пн, 3 мая 2026 г. в 10:15, Ann Lee <ann@example.org>:",
        "03.05.2026 10:15 пользователь <ann@example.org> написал:",
        "3 May 2026 10:15 tarihinde Ann Lee <ann@example.org> şunu yazdı:",
        "2026年5月3日 10:15 Ann Lee <ann@example.org>:",
        "Ann Lee <ann@example.org> 于2026年5月3日周一 10:15写道：",
    ],
)
@pytest.mark.parametrize("mark", ["> ", ""])
def test_an_attribution_begins_the_quotation(attribution, mark):
    """In many languages, over several lines, whether the quotation is marked or not."""
    text = f"My answer.\n\n{attribution}\n{mark}The question.\n"

    assert [("own", "My answer."), ("quoted", f"{attribution}\n{mark}The question.")] == split(text)


@pytest.mark.parametrize(
    ("kind", "head"),
    [
        ("quoted", "-----Original Message-----\nFrom: Ann <a@b.org>\nSent: Monday\nSubject: x"),
        ("quoted", "-----Ursprüngliche Nachricht-----\nVon: Ann\nGesendet: Montag\nBetreff: x"),
        ("quoted", "________________________________\nFrom: Ann <a@b.org>\nTo: b@c.org"),
        ("quoted", "From: Ann <a@b.org>\nSent: Monday\nTo: Bob <b@c.org>\nSubject: x"),
        ("quoted", "Von: Ann <a@b.org>\nGesendet: Montag\nAn: Bob\nBetreff: x"),
        ("quoted", "*De :* Ann <a@b.org>\n*Envoyé :* lundi\n*À :* Bob\n*Objet :* x"),
        ("quoted", "De: Ann <a@b.org>\nEnviado el: lunes\nPara: Bob\nAsunto: x"),
        ("forwarded", "---------- Forwarded message ---------\nFrom: Ann <a@b.org>\nDate: Monday"),
        (
            "forwarded",
            "-------- Weitergeleitete Nachricht --------\nBetreff: x\nVon: Ann <a@b.org>",
        ),
        ("forwarded", "----- Forwarded Message ----- From: Ann <a@b.org>To: Bob <b@c.org>"),
        ("forwarded", "Begin forwarded message:\n\nFrom: Ann <a@b.org>\nSubject: x"),
        ("forwarded", "------ Kolejna wiadomość ------\nOd: Ann <a@b.org>\nTemat: x"),
    ],
)
def test_separators_and_fields_begin_what_is_carried(kind, head):
    """All that follows them is carried, since nothing marks its end."""
    text = f"See below.\n\n{head}\n\nThe carried text.\n\nMore of it.\n"

    assert [("own", "See below."), (kind, f"{head}\n\nThe carried text.\n\nMore of it.")] == split(
        text
    )


def test_answers_between_quoted_lines_are_own():
    """Marked lines are quoted one by one, so what stands between them is the sender's."""
    text = "On 3 May 2026, Ann wrote:\n> One?\n\nFirst answer.\n\n> Two?\n\nSecond answer.\n"

    assert ["quoted", "own", "quoted", "own"] == [kind for kind, _ in split(text)]
    assert "First answer.\n\nSecond answer." == own(text)


@pytest.mark.parametrize(
    "text",
    [
        "From: Vienna\nTo: Graz\nDate: 3 May 2026\n\nThat is my journey.",
        "On your remote host you can run:\n\n    telnet 127.0.0.1 52698\n\nIt connects.",
        "Subject to change: the date.\nPlease call.",
        "The driver wrote:\nI am sorry.\nThat is all.",
        ">From Monday on the roof leaks.\nPlease call.",
        "--- Important ---\nPlease call.",
        "**Original invoice**\nPlease find it here.",
        "Price > 500 EUR\nWe agree.",
        "Regards from Vienna, where the storm hit my roof on 3 May.\nPlease call.",
        "Thanks for the quick reply.\nThe claim number is 12345.",
        "This is confidential.",
        "Please delete my data and confirm that you did.",
    ],
)
def test_when_in_doubt_a_text_is_own(text):
    """Showing too much costs tokens; showing too little loses what somebody said."""
    assert [("own", text)] == split(text)


@pytest.mark.parametrize(
    "signature",
    [
        "-- \nAnn Lee\nExample Ltd",
        "--\nAnn Lee",
        "Sent from my iPhone",
        "Von meinem iPhone gesendet",
        "Envoyé de mon iPhone",
        "Get Outlook for Android",
        "Best regards,\nAnn Lee\nExample Ltd, 1 High Street\n+43 664 1234567",
        "Mit freundlichen Grüßen\nAnn Lee",
        "Cordialement,\nAnn Lee",
        "Un saludo\nAnn Lee",
        "Kind regards\n\nAnn Lee\n\n-- \nExample Ltd",
        "- Ann Lee",
        "____________________________________\nusers mailing list\nusers@lists.example.org",
    ],
)
def test_signatures_end_the_own_words(signature):
    """Behind a delimiter, a closing formula or a device's line."""
    text = f"The roof leaks.\nPlease call.\n\n{signature}\n"

    assert [("own", "The roof leaks.\nPlease call."), ("signature", signature)] == split(text)


def test_a_postscript_is_own():
    """What is said behind the closing formula is still said."""
    text = "The roof leaks.\n\nRegards,\nAnn\n\nPS: the cellar too, since this morning.\n"

    assert "PS: the cellar too" in own(text)


@pytest.mark.parametrize(
    "disclaimer",
    [
        "This e-mail and any attachments are confidential and intended solely for the addressee."
        " If you have received it in error, please delete it.",
        "Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der richtige Adressat"
        " sind, vernichten Sie diese Mail. Die unbefugte Weitergabe ist nicht gestattet.",
        "Ce message et toutes les pièces jointes sont confidentiels et établis à l'intention"
        " exclusive de ses destinataires. Toute divulgation est interdite.",
        "Este mensaje es confidencial y para uso exclusivo del destinatario indicado. Si lo ha"
        " recibido por error, elimínelo. Queda prohibida su divulgación.",
        "Please consider the environment before printing this e-mail.",
        "Confidentiality notice: what is above is secret.",
    ],
)
def test_disclaimers_are_told(disclaimer):
    """English, German, French, Spanish; wherever they stand."""
    text = f"The roof leaks.\n\n{disclaimer}\n"

    assert [("own", "The roof leaks."), ("disclaimer", disclaimer)] == split(text)


def test_a_banner_above_the_mail_is_a_disclaimer():
    """Gateways put them first."""
    text = "CAUTION: This email originated from outside the company.\n\nThe roof leaks.\n"

    assert ["disclaimer", "own"] == [kind for kind, _ in split(text)]


_LINES = st.sampled_from(
    [
        "",
        "own words",
        "> quoted",
        ">> more",
        "On 3 May 2026 10:15, A <a@b.org> wrote:",
        "--",
        "--  ",
        "From: A <a@b.org>",
        "To: B",
        "Subject: x",
        "-----Original Message-----",
        "---------- Forwarded message ---------",
        "Regards,",
        "Ann",
        "Sent from my iPhone",
        "________________________________",
        "This e-mail is confidential, intended solely for the addressee; delete it.",
        "PS: x",
        "\x0b",
        "\u2028",
        "\ufeff",
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(max_size=200), st.lists(_LINES, max_size=30).map("\n".join)))
def test_blocks_tile_any_text(text):
    """They touch, cover everything, change kind at each edge, and end where lines end."""
    found = blocks(text)

    assert text == "".join(text[block.start : block.stop] for block in found)
    for before, after in pairwise(found):
        assert before.stop == after.start
        assert before.kind != after.kind
        assert text[before.stop - 1] == "\n"
    assert found == blocks(text)


@settings(deadline=None, max_examples=100)
@given(st.lists(_LINES, max_size=20).map("\n".join))
def test_marked_lines_are_never_own(text):
    """A line marked with `>` is somebody else's."""
    assert not any(line.startswith(">") for line in own(text).split("\n"))
