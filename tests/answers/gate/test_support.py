"""Sentences that what they cite carries, and sentences that it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.assemble import assemble, validate
from assay.answers.gate.content_words import content_words, guess_text_language, stem
from assay.answers.gate.support import Passages, Support, measure_support
from tests.answers.bundles import bundle, chunk, policy

WIDE = {"overlap_ratio_threshold": 1.0, "max_chunk_token_ratio": 1.0}


def judged(claim, *chunks, cited=None, **changes):
    """The verdict on *claim*, cited to every chunk or to those of *cited*."""
    assembly = assemble(
        bundle(*(chunk(place, text, source_reference=...) for place, text in enumerate(chunks))),
        "Is the moon made of cheese?",
        policy(**WIDE, **changes),
    )
    places = range(len(chunks)) if cited is None else cited
    return validate(assembly, claim.replace("[]", "".join(f"[C{place}]" for place in places)))


def support_findings(result):
    return [finding.severity for finding in result.findings if finding.code == "grounding.support"]


CARRIED = [
    ("The fees are paid in May [].", "A fee is payable in May."),
    ("Organising a meeting takes two weeks [].", "To organize meetings, allow two weeks."),
    ("The field maxTokens is 5 [].", "The field max_tokens may be 5."),
    ("Fine-tuning is slow [].", "Fine tuning is slow."),
    ("Finetuning is slow [].", "Fine-tuning is slow."),
    ("The children went home [].", "A child goes home."),
    ("The municipality's office is open [].", "The office of the municipality is open."),
    ("Die Jahresgebühr beträgt 40 EUR [].", "Die Gebühr für ein Jahr beträgt 40 EUR."),
    ("Die Gebuehr ist faellig [].", "Die Gebühr ist fällig."),
    ("Die Strassen sind gesperrt [].", "Die Straße ist gesperrt."),
    ("Der Antrag wurde geschrieben [].", "Man schreibt den Antrag."),
    ("Les demandes sont traitées [].", "La demande est traitée ici."),
    ("Las solicitudes se presentan aquí [].", "La solicitud se presenta aquí."),
    ("Le domande vanno presentate qui [].", "La domanda va presentata qui."),
    ("Os pedidos são tratados aqui [].", "O pedido é tratado aqui."),
    ("De aanvragen worden behandeld [].", "De aanvraag wordt behandeld."),
    ("Заявления подаются в библиотеку [].", "Заявление подаётся в библиотеке."),
    ("Οι αιτήσεις υποβάλλονται εδώ [].", "Η αίτηση υποβάλλεται εδώ."),
    ("会費は5000円です [].", "会費は5000円です。"),
    ("图书馆九点开门 [].", "图书馆早上九点开门。"),
    ("ห้องสมุดเปิดเก้าโมง [].", "ห้องสมุดเปิดเวลาเก้าโมง"),
    ("도서관은 아홉 시에 엽니다 [].", "도서관이 아홉 시에 엽니다."),
    ("المكتبة مفتوحة اليوم [].", "إن المكتبة مفتوحة اليوم."),
    ("पुस्तकालय नौ बजे खुलता है [].", "पुस्तकालय सुबह नौ बजे खुलता है।"),
    ("הספרייה פתוחה היום [].", "הספרייה פתוחה היום לכולם."),
    ("It is 12 [].", "The number is 12."),
]
FOREIGN = [
    ("The moon is made of cheese [].", "Cats sleep."),
    ("Yes [].", "Cats sleep."),
    ("Yes, it is [].", "Cats sleep."),
    ("Cats [].", "Dogs bark."),
    ("The museum opens at nine [].", "The library opens at nine."),
    ("Ibuprofen treats headaches [].", "Aspirin treats headaches."),
    ("First fill in the form, then wait, then call the office [].", "Call the office."),
    ("Der Mond besteht aus Käse [].", "Katzen schlafen den ganzen Tag."),
    ("La lune est faite de fromage [].", "Les chats dorment toute la journée."),
    ("La luna es de queso [].", "Los gatos duermen todo el día."),
    ("La luna è fatta di formaggio [].", "I gatti dormono tutto il giorno."),
    ("A lua é feita de queijo [].", "Os gatos dormem o dia todo."),
    ("De maan is van kaas gemaakt [].", "De katten slapen de hele dag."),
    ("Księżyc jest zrobiony z sera [].", "Koty śpią przez cały dzień."),
    ("Луна сделана из сыра [].", "Кошки спят весь день."),
    ("Το φεγγάρι είναι από τυρί [].", "Οι γάτες κοιμούνται όλη μέρα."),
    ("月はチーズでできています [].", "猫は一日中眠ります。"),
    ("月亮是奶酪做的 [].", "猫整天睡觉。"),
    ("달은 치즈로 만들어졌습니다 [].", "고양이는 하루 종일 잡니다."),
    ("ดวงจันทร์ทำจากชีส [].", "แมวนอนทั้งวัน"),
    ("القمر مصنوع من الجبن [].", "القطط تنام طوال اليوم."),
    ("चाँद पनीर से बना है [].", "बिल्लियाँ दिन भर सोती हैं।"),
    ("הירח עשוי מגבינה [].", "חתולים ישנים כל היום."),
]


@pytest.mark.clause("005-A2")
@pytest.mark.parametrize(("claim", "passage"), CARRIED)
def test_a_sentence_whose_words_stand_in_its_chunk_is_carried(claim, passage):
    """Inflection, compounds, spelling and scripts without spaces aside."""
    assert [] == support_findings(judged(claim, passage))


@pytest.mark.clause("005-A2")
@pytest.mark.parametrize(("claim", "passage"), FOREIGN)
def test_a_sentence_about_another_thing_is_rejected(claim, passage):
    """Whatever the question says: its words carry nothing."""
    result = judged(claim, passage)

    assert not result.accepted
    assert ["reject"] == support_findings(result)


@pytest.mark.clause("005-A2")
def test_the_policy_sets_the_floor():
    """A floor of 0 asks for nothing; one of 1 for every content word."""
    passage = "The fee for dogs is due in spring."
    claim = "The yearly fee for large dogs becomes due in spring [C0]."

    assert judged("The moon is made of cheese [].", "Cats sleep.", support_floor=0).accepted
    assert judged(claim, passage).accepted
    assert ["reject"] == support_findings(judged(claim, passage, support_floor=1.0))


@pytest.mark.clause("005-A2")
def test_only_what_is_cited_carries():
    """A chunk that the sentence does not cite is no ground for it."""
    chunks = ("Cats sleep all day.", "The library opens late.")

    assert judged("The library opens late [].", *chunks, cited=(1,)).accepted
    assert ["reject"] == support_findings(judged("The library opens late [].", *chunks, cited=(0,)))
    assert judged("The library opens late [].", *chunks).accepted


@pytest.mark.clause("005-A2")
def test_another_language_than_the_evidences_is_not_measured_and_noted():
    """Nothing can be counted across languages; the reader is told so."""
    result = judged("Die Gebühr ist im Voraus fällig und wird erhoben [].", "The fee is due now.")

    assert result.accepted
    assert ["note"] == support_findings(result)


@pytest.mark.clause("005-A2")
def test_a_chunk_of_unknown_language_is_no_way_round():
    """Where it cannot be told that the languages differ, the sentence is measured."""
    assert ["reject"] == support_findings(judged("The moon is made of cheese [].", "Cats sleep."))
    assert ["reject"] == support_findings(judged("The moon is made of cheese [].", "8000 Bern"))


WORDS = [
    "library",
    "museum",
    "office",
    "fee",
    "dog",
    "cat",
    "garden",
    "river",
    "letter",
    "permit",
    "bridge",
    "school",
    "doctor",
]
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(
    lambda words: f"The {' and the '.join(words)}."
)


def measured(body, chunks) -> Support:
    texts = {f"C{place}": text for place, text in enumerate(chunks)}
    return measure_support(body, "en", Passages(texts, {}), list(texts))


@pytest.mark.clause("005-A2")
@given(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_the_sentences_of_a_chunk_says_nothing(body, listed, random):
    """Shuffled sentences carry as much."""
    shuffled = listed.copy()
    random.shuffle(shuffled)

    assert measured(body, [" ".join(listed)]) == measured(body, [" ".join(shuffled)])


@pytest.mark.clause("005-A2")
@given(SENTENCE, st.lists(SENTENCE, min_size=1, max_size=4), SENTENCE)
def test_one_more_chunk_never_carries_less(body, chunks, more):
    """Support grows with what is cited."""
    before, after = measured(body, chunks), measured(body, [*chunks, more])

    assert before.words == after.words
    assert before.held <= after.held
    assert before.own_held <= after.own_held


@pytest.mark.clause("005-A2")
@given(SENTENCE)
def test_a_sentence_carries_itself(body):
    """What stands in the chunk word for word reaches every floor."""
    assert measured(body, [body]).reaches(1.0)


@pytest.mark.clause("005-A2")
@given(st.text(max_size=400))
def test_any_text_has_content_words_in_order(text):
    """Whatever a text is made of: places within it, in order, the same each time."""
    for language in (guess_text_language(text), None, "de", "zh"):
        words = list(content_words(text, language))
        assert words == list(content_words(text, language))
        assert all(0 <= word.start < word.stop <= len(text) for word in words)
        assert [word.start for word in words] == sorted(word.start for word in words)


@pytest.mark.clause("005-A2")
@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "organisations", "organization"),
        ("en", "colours", "color"),
        ("en", "paid", "payments"),
        ("de", "Gebühren", "Gebuehr"),
        ("de", "gezahlt", "zahlen"),
        ("fr", "demandes", "demande"),
        ("es", "solicitudes", "solicitud"),
        ("it", "domande", "domanda"),
        ("pt", "pedidos", "pedido"),
        ("nl", "aanvragen", "aanvraag"),
        ("ru", "заявления", "заявление"),
        ("el", "αιτήσεις", "αίτηση"),
    ],
)
def test_forms_of_a_word_have_one_stem(language, one, other):
    """Inflection and spelling say nothing of what a text is about."""
    assert stem(one, language) == stem(other, language)


@pytest.mark.clause("005-A2")
@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The fee is due in May.", "en"),
        ("Die Gebühr ist im Mai fällig.", "de"),
        ("Les frais sont dus en mai.", "fr"),
        ("La tasa se paga en mayo y no se devuelve.", "es"),
        ("La tassa è dovuta nel mese di maggio.", "it"),
        ("A taxa não é devolvida em maio.", "pt"),
        ("De kosten worden niet vergoed.", "nl"),
        ("Opłata nie jest zwracana.", "pl"),
        ("Сбор не возвращается, и это всё.", "ru"),
        ("Το τέλος δεν επιστρέφεται.", "el"),
        ("会費は5000円です。", "ja"),
        ("会员不得投票。", "zh"),
        ("회비는 오천 원입니다.", "ko"),
        ("ห้องสมุดเปิดเก้าโมง", "th"),
        ("शुल्क वापस नहीं किया जाता है।", "hi"),
        ("12345", None),
        ("", None),
    ],
)
def test_the_language_of_one_sentence_is_told(text, language):
    """By script, small words and letters; nothing where there is nothing to go by."""
    assert language == guess_text_language(text)
