"""Sentence ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.text.lines import lines
from assay.core.text.sentences import sentences


def cut(text: str, lang: str | None = None) -> list[str]:
    return [text[start:stop] for start, stop in sentences(text, lang)]


ONE = [
    # English
    "Ask Dr. Weber, Prof. Lind or Mrs. Ode at St. Mary's.",
    "See p. 12, Fig. 3 and sec. 4.5 of No. 7.",
    "It moved to the U.S. Department of Roads.",
    "He came at 5 p.m. on Jan. 5 and left.",
    "Tea, milk, etc. are sold by Pitt, Briggs & Co. in Leeds.",
    "It costs $12.50 at shop.example.org, i.e. less than before.",
    "J. R. Miller and Albert I. Stone agreed.",
    "She teaches (she was a nurse.) at the school.",
    'He said "No way!" and left.',
    "The sign reads Wow! in red.",
    "It was ... well, late.",
    # German
    "Am 24. Dezember gilt das 3. Kapitel, d. h. der Abs. 2.",
    "Raum: Partyraum; Schlüssel bei: Herrn Weber, 2. OG; Gebühr: 40 Euro.",
    "Wir brauchen z. B. Wasser, u. a. für Dr. med. Lind.",
    "Die Gebühr beträgt ca. 5.300,25 Euro inkl. Porto.",
    "Das steht auf S. 12, Nr. 4, in Bd. II.",
    "Der 2. Platz ging an Ludwig XIV. und die 1. Mannschaft.",
    # Spanish
    "El Sr. Ruiz y la Sra. Paz viven en EE. UU. desde 1990.",
    "Véase el art. 5, pág. 3 y el núm. 8, p. ej. en la Cra. 7.",
    "Cuesta aprox. 3.50 euros, según la Dra. Luz.",
]

CLOSED = [
    [
        "『嵐を補償する。』",
        "「次の文。」",
        "《三。》",
        "〈四。〉",
        "【五。】",
        "〔六。〕",
        "（七。）",
        "［八。］",
        "｢九。｣",
    ],
    ["“He pays.”", "‘He goes.’", "(He stays.)", '"He sleeps."', "'He wakes.'"],
    ["»Er zahlt.«", "„Er geht.“", "›Er bleibt.‹", "»Er schläft.«"],
    ["« Il paie. »", "«Il part.»", "‹Il reste.›"],
    ["«Он платит.»", "„Он идёт.“", "Он тут."],
    ["他说：“停下。”", "他走了。"],
    ["هو يدفع؟", "«هو يذهب.»", "ثم يبقى."],
    ["وہ ادا کرتا ہے۔", "وہ جاتا ہے۔"],
    ["הוא משלם.", "הוא הולך.", "כן."],
    ["वह देता है।", "वह जाता है॥", "वह रहता है."],
    ["ነገር ነው።", "ሌላ ነገር፧", "ሌላ።"],
    ["គេបង់ប្រាក់។", "គេទៅ៕", "គេនៅ។"],
    ["ငွေပေးသည်။", "သွားသည်။"],
    ["Նա վճարում է։", "Նա գնում է։"],
    ["ཁོང་འཛོམས།", "ཁོང་ཕྱིན།"],
    ["그는 낸다.", "네.", "그는 간다."],
    ["Да.", "Нет.", "Он тут."],
    ["He pays․", "He goes．", "He stays﹒", "He wakes."],
]
"""Sentences in other scripts, each with the marks that close it."""


@pytest.mark.clause("005-A6")
@pytest.mark.parametrize("listed", CLOSED)
@pytest.mark.parametrize("marker", ["", "[C0]", " [C0]"])
def test_closing_marks_of_all_scripts_end_with_their_sentence(listed, marker):
    """With a marker behind them or without; spaces are there where the script has them."""
    text = " ".join(f"{sentence}{marker}" for sentence in listed)

    assert [f"{sentence}{marker}" for sentence in listed] == cut(text)


@pytest.mark.clause("005-A6")
@pytest.mark.parametrize(
    "text",
    [
        "彼は「やめろ。」と言った[C0]。",
        "「払う。」という約束[C0]。",
        "彼は『行け！』、と叫んだ[C0]。",
        "他说：“停下。”，然后走了[C0]。",
        "“停下！”他说[C0]。",
        "См. стр. 5 и ст. 3.",
        "値は３．５です。",
    ],
)
def test_a_quotation_within_a_sentence_ends_none(text):
    """What goes on behind it belongs to the same sentence."""
    assert [text] == cut(text)


@pytest.mark.clause("005-A6")
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("จ่ายเงิน [C0] จ่ายอีก", 2),
        ("จ่ายเงิน[C0][C1] จ่ายอีก [C0]", 2),
        ("จ่ายเงิน จ่ายอีก [C0]", 1),
        ("ຈ່າຍ [C0] ຈ່າຍອີກ", 2),
        ("จ่าย [C0] (2024)", 1),
    ],
)
def test_a_marker_ends_a_sentence_in_scripts_without_full_stops(text, number):
    """Thai and Lao end a phrase and a sentence by a space alike."""
    assert number == len(cut(text))


@pytest.mark.clause("005-A6")
def test_words_in_brackets_are_no_reference():
    """They are a sentence of their own, and only numbers belong to the sentence before."""
    assert ["払う。[C0]", "【払わない。】", "【次】"] == cut("払う。[C0]【払わない。】【次】")
    assert ["払う。【4:0†source】"] == cut("払う。【4:0†source】")


SEVERAL = [
    ("It is done. He left.", 2),
    ("Is it? Yes! Good.", 3),
    ("She lives in the U.S. The house is old.", 2),
    ("They sell tea, etc. It is cheap.", 2),
    ("He left at 6 p.m. Then it rained.", 2),
    ("At 5 a.m. Mr. Hill woke. He drove to town at 6 p.m. Mr. Hill then slept.", 3),
    ("It is you and I. We are late.", 2),
    ("Take vitamin C. It helps.", 2),
    ("It costs $3.00. It is sold. In 2014. 25 came.", 4),
    ('He said "Go." Then he went.', 2),
    ("(See page 5.) The rest is clear.", 2),
    ("I never said that.... She knew.", 2),
    ("One plus one is 2. 2 plus 2 is 4. Good.", 3),
    ("Er ist 25. Sie ist 30. Das war am 12. Juni. Danach nichts.", 4),
    ("Wir kaufen Saft usw. Die Kinder freuen sich.", 2),
    ("¿Qué pasa? ¡Nada! Vino el 3 de mayo. Luego se fue.", 4),
    ("Vive en EE. UU. El resto no.", 2),
    ("今日は晴れ。明日は雨。", 2),
    ("It is done.Then he left.", 2),
    ("1) First thing 2) Second thing 3) Third thing", 3),
    ("the fee is 40 eur. it is due. approx. ten pay.", 3),
    ("The fee is due. it is 40.", 2),
    ("Is it so? yes.", 2),
    ("Wow! it is so.", 2),
    ("It is so. [C0] and more.", 2),
]


@pytest.mark.parametrize("text", ONE)
def test_abbreviations_numbers_and_initials_end_no_sentence(text):
    """A full stop that belongs to its word does not end the sentence."""
    assert cut(text) == [text]


@pytest.mark.parametrize(("text", "number"), SEVERAL)
def test_sentences_end(text, number):
    """What follows a doubtful full stop decides, and clear ends are seen."""
    assert number == len(cut(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is 40 [C0]. It is due [C1].", ["It is 40 [C0].", "It is due [C1]."]),
        ("It is 40. [C0] It is due. [C1][C2]", ["It is 40. [C0]", "It is due. [C1][C2]"]),
        ("It is 40.[C0] Due.[C1]", ["It is 40.[C0]", "Due.[C1]"]),
        ("It is 40.\n[C0]\nDue [C1].", ["It is 40.\n[C0]", "Due [C1]."]),
        ("In the U.S. [C0] The fee is due.", ["In the U.S. [C0]", "The fee is due."]),
        ("so it costs 40 [C0]. and more.", ["so it costs 40 [C0].", "and more."]),
        ("It is approx. [C0] five.", ["It is approx. [C0] five."]),
    ],
)
def test_markers_belong_to_the_sentence_before(text, expected):
    """A marker before or behind the full stop stays with its sentence."""
    assert expected == cut(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Fees\nThey rose.", ["# Fees", "They rose."]),
        ("Two rules:\n- one thing\n- another", ["Two rules:", "- one thing", "- another"]),
        ("1. One thing.\n2. Another.", ["1. One thing.", "2. Another."]),
        ("It was a cold\nnight in town.", ["It was a cold\nnight in town."]),
        ("tea\nmilk\nsugar", ["tea", "milk", "sugar"]),
        ("The fee is 40\nThe term is 5", ["The fee is 40", "The term is 5"]),
        ("**Note.** It rose.", ["**Note.**", "It rose."]),
        ("Am\n5. Mai kam er.", ["Am\n5. Mai kam er."]),
        ("He met Dr.\nWeber there.", ["He met Dr.\nWeber there."]),
        (f"{'a' * 70}\n✅ Late {'b' * 70}", ["a" * 70, f"✅ Late {'b' * 70}"]),
    ],
)
def test_lines(text, expected):
    """Lists, headings and short lines stand alone; wrapped prose is read on."""
    assert expected == cut(text)


def test_wrapped_lines_are_one_sentence():
    """A line that ends because the page does is no end."""
    text = (
        "We hereby introduce the engineer Laura Ode, who holds a master's degree in\n"
        "Engineering from the technical school of the northern province, where she\n"
        "Studied with distinction."
    )
    assert [text] == cut(text)


def test_the_language_can_be_given():
    """`25.` before a noun is an ordinal in German and a number elsewhere."""
    assert ["Das ist der 25. Versuch."] == cut("Das ist der 25. Versuch.", "de")
    assert 2 == len(cut("Es el 25. Versuch no es.", "es"))


TEXTS = st.text(alphabet=st.sampled_from("aA bC.!?…\n\r\t \"'”»)([]01,;:-–*#|•。¿_"), max_size=120)


@given(TEXTS)
def test_spans_tile_the_text(text):
    """Spans are in order, trimmed, and hold everything but white space."""
    spans = sentences(text)
    last = 0
    for start, stop in spans:
        assert last <= start < stop <= len(text)
        assert not text[last:start].strip()
        assert text[start:stop] == text[start:stop].strip()
        last = stop
    assert not text[last:].strip()


@given(st.text(max_size=80))
def test_any_text_is_taken(text):
    """No text raises, whatever characters it holds."""
    assert "".join("".join(cut(text)).split()) == "".join(text.split())


@given(TEXTS)
def test_lines_are_in_order(text):
    """Lines hold everything but line breaks and blank lines."""
    assert "".join(text.split()) == "".join(
        "".join(text[line.start : line.stop].split()) for line in lines(text)
    )


def test_long_texts_of_one_kind_are_read():
    """Texts made to be slow are read to their end."""
    for piece in (". ", "Dr. ", "[C1 ", '."', "- ", "a\n", "(", "5 a.m. Mr. "):
        assert sentences(piece * 3000)
