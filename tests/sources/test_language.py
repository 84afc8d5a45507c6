"""The guess at a language: from running words, not from greetings, names or addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.sources.language import guess_language

SENTENCES = {
    "de": "Guten Tag, ich möchte einen Schaden melden. Der Sturm hat das Dach abgedeckt.",
    "en": "Hello, I want to report that my roof was damaged by the storm on Monday.",
    "fr": "Bonjour, hier soir une canalisation a éclaté dans la cuisine et l'eau a abîmé le sol.",
    "es": "Buenos días, anoche reventó una tubería en nuestra cocina y el agua dañó el suelo.",
    "it": "Buongiorno, ieri sera è scoppiato un tubo nella nostra cucina e non so che fare.",
    "pt": "Bom dia, ontem à noite rebentou um cano na nossa cozinha e a água estragou o chão.",
    "nl": "Goedendag, gisteravond is er een leiding gesprongen in onze keuken en het water staat.",
    "pl": "Dzień dobry, wczoraj wieczorem pękła rura w naszej kuchni i woda zniszczyła podłogę.",
    "sv": "Hej, igår kväll brast ett rör i vårt kök och vattnet förstörde golvet. "
    "Tack för att ni hör av er.",
    "cs": "Dobrý den, včera v noci u nás praskla trubka. "
    "Prosím, dejte mi vědět, co mám dělat. Děkuji.",
    "tr": "Merhaba, dün gece evimde su baskını oldu ve mobilyalarım zarar gördü. "
    "Lütfen bana yazın, teşekkürler.",
    "hu": "Jó napot, tegnap este eltört egy cső a konyhánkban, és a víz tönkretette a padlót. "
    "Kérem, írjanak.",
    "ru": "Здравствуйте, вчера вечером у нас лопнула труба, вода испортила пол.",
}


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize("language", SENTENCES)
def test_running_words_tell_the_language(language):
    """Two sentences are enough."""
    assert language == guess_language(SENTENCES[language])


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize("greeting", ["Bonjour!", "Buongiorno,", "Merhaba", "Dzień dobry", "Hola"])
@pytest.mark.parametrize("language", ["de", "en"])
def test_a_greeting_makes_no_language(greeting, language):
    """Who greets in one language and writes in another is read by the latter."""
    assert language == guess_language(f"{greeting}\n\n{SENTENCES[language]}\n\nMerci, grazie!")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Bonjour",
        "a@b.com c@d.com e@f.com",
        "www.example.com, http://example.com/de/das/und, shop.example.com",
        "Calle de la Rosa 7, Las Palmas",
        "4711 4712 4713",
    ],
)
def test_addresses_numbers_and_a_word_or_two_tell_nothing(text):
    """`com` is a Portuguese word, but no address is written in Portuguese."""
    assert None is guess_language(text)


@given(st.text(max_size=300))
def test_any_text_has_a_guess_or_none(text):
    """Never an exception, and always a code of two letters."""
    guess = guess_language(text)

    assert guess is None or (len(guess) == 2 and guess.isascii())
