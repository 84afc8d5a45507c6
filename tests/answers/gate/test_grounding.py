"""Numbers, dates, names and expansions against the chunks that a sentence cites."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.answers.gate.citations import markers, read_sentences
from assay.answers.gate.dates import Reading, dates
from assay.answers.gate.facts import index_facts
from assay.answers.gate.grounding import Chunks, Tally, check_grounding
from assay.answers.gate.number_words import number_words
from assay.answers.gate.numbers import quantities


def found(answer: str, chunk: str, *, names: str = "note", source: str = "") -> list[str]:
    """Codes of an answer held against one chunk; no marker is needed for that."""
    read = read_sentences(answer, markers(answer))
    chunks = Chunks({"C0": chunk}, {"C0": source})
    return [finding.code for finding in check_grounding(answer, read, chunks, Tally(), names=names)]


@pytest.mark.clause("004-P4")
@pytest.mark.parametrize(
    ("answer", "chunk"),
    [
        ("It is 40 EUR", "costs €40"),
        ("It is 40 €", "costs EUR 40.00"),
        ("It is €40", "costs 40 Euro"),
        ("It is 5.300,25 Euro", "costs EUR 5,300.25"),
        ("It is 5 300,25", "costs 5'300.25"),
        ("It is 1.234", "is 1,234"),
        ("It is 1234", "is 1.234"),
        ("It is 12.5 %", "is 12,5 percent"),
        ("Son 12,5 por ciento", "is 12.5%"),
        ("Es sind 12,5 Prozent", "is 12.5 per cent"),
        ("It is $1.5 million", "is USD 1,500,000"),
        ("Es sind 1,5 Mio. Euro", "is 1.5 million euros"),
        ("Son 5 mil euros", "is 5,000 EUR"),
        ("It is forty euros", "is 40 EUR"),
        ("It is 30 days", "within thirty days"),
        ("Es sind dreißig Tage", "within 30 days"),
        ("Son treinta y dos días", "within 32 days"),
        ("Form B52 and I-130", "forms b52 and I130"),
        ("COVID-19 spread", "the COVID 19 virus"),
        ("It opens at 8:30 p.m.", "open from 20:30"),
        ("Ab 17 Uhr", "from 5 pm"),
        ("From 10 to 20 km", "10–20 km"),
        ("It fell to −5 degrees", "fell to -5 degrees"),
        ("The 19th century", "the 19. century"),
        ("It is 2.5 kg", "2½ kg"),
        ("It is 40 EUR", "All amounts in EUR. Fee: 40"),
        ("One of them, and two others", "nothing here"),
        ("In 1863", "since July 3, 1863"),
        ("Call 0800 123 456", "call 0800 123 456"),
        ("It cost a million dollars", "cost 1,000,000 dollars"),
        ("Es kostet eine Milliarde Euro", "kostet 1 Milliarde Euro"),
        ("Cuesta un millón de euros", "cuesta 1.000.000 €"),
        ("Cuesta 2.000 millones de euros", "cuesta 2 mil millones de euros"),
        ("Cuesta dos mil quinientos millones", "cuesta 2500 millones"),
        ("Half a million people", "500,000 people"),
        ("In FY 2023 costs rose", "in FY2023 costs rose"),
        ("COVID 19 spread", "COVID-19 spread"),
    ],
)
def test_equal_numbers_are_found_however_they_are_written(answer, chunk):
    """Separators, currency signs, percent, scales and words are normalised."""
    assert [] == found(answer, chunk)


@pytest.mark.clause("004-P4")
@pytest.mark.parametrize(
    ("answer", "chunk"),
    [
        ("It is 45 EUR", "costs 40 EUR"),
        ("It is 40 USD", "costs 40 EUR"),
        ("It is 40 %", "costs 40 EUR"),
        ("It is 40 %", "costs 40"),
        ("It is 5 million", "is 5 thousand"),
        ("It is 1.24", "is 1,234"),
        ("It is 12.5", "is 125"),
        ("It is fifty euros", "is 40 EUR"),
        ("It is sixty days", "within thirty days"),
        ("Two weeks", "within three weeks"),
        ("It fell to -5 degrees", "rose to 5 degrees"),
        ("Form B53", "form B52"),
        ("At 8:30 a.m.", "at 8:30 p.m."),
        ("At 9:15", "at 9:45"),
        ("It is 5 EUR", "It is EUR 7, due on 5 March 2024"),
        ("Version 1.2.3", "version 1.2.4"),
        ("It is 40 EUR", ""),
        ("It cost a million dollars", "cost 2 million dollars"),
        ("It cost one billion dollars", "cost 2 billion dollars"),
        ("Es kostet eine Milliarde Euro", "kostet 2 Milliarden Euro"),
        ("Cuesta un millón de euros", "cuesta 2 millones de euros"),
        ("Cuesta dos mil seiscientos millones", "cuesta 2500 millones"),
        ("A hundred members came", "200 members came"),
        ("Boeing 52 flew", "the B-52 and COVID-19"),
    ],
)
def test_other_numbers_are_not(answer, chunk):
    """Another value, unit, scale, sign or half of the day is another fact."""
    assert ["grounding.number"] == found(answer, chunk)


@pytest.mark.clause("004-P4")
@pytest.mark.parametrize(
    ("answer", "chunk"),
    [
        ("On 5 March 2024", "March 5th, 2024"),
        ("Am 5. März 2024", "2024-03-05"),
        ("El 5 de marzo de 2024", "on 05.03.2024"),
        ("On 03/05/2024", "5 March 2024"),
        ("On 5 March", "March 5, 2024"),
        ("In March 2024", "5 March 2024"),
        ("On 7 March 2024", "5–7 March 2024"),
        ("Am 5. März 2024", "vom 5. bis 7. März 2024"),
        ("In 07/2024", "July 2024"),
        ("On 27.04.14", "27 April 2014"),
        ("On the third of March 2024", "due 2024-03-03"),
        ("On March twenty-third", "on 23 March"),
        ("Am dritten März 2024", "am 3.3.2024"),
        ("Am einunddreißigsten Dezember", "am 31.12.2024"),
        ("El tres de marzo de 2024", "on 3 March 2024"),
        ("El treinta y uno de marzo", "el 31 de marzo"),
        ("El primero de mayo", "el 1 de mayo"),
        ("On 3 March 2024", "on the third of March, 2024"),
        ("The first March meeting; die dritte Mai-Woche", "meetings of March, im Mai"),
    ],
)
def test_equal_dates_are_found(answer, chunk):
    """Written and numeric dates in three languages; an answer may say less than its chunk."""
    assert [] == found(answer, chunk)


@pytest.mark.clause("004-P4")
@pytest.mark.parametrize(
    ("answer", "chunk"),
    [
        ("On 6 March 2024", "5 March 2024"),
        ("On 5 March 2023", "5 March 2024"),
        ("On 5 March 2024", "5 March"),
        ("On 5 April 2024", "5 March 2024"),
        ("On 4 July 1776", "declared on July 2, 1776, kept on July 4"),
        ("In March 2024", "in 2024, and in March"),
        ("On the fourth of March 2024", "on 3 March 2024"),
        ("On March fourth, 2024", "on March 3rd, 2024"),
        ("Am vierten März 2024", "am 3. März 2024"),
        ("El cuatro de marzo de 2024", "el 3 de marzo de 2024"),
        ("On the third of March 2023", "on 3 March 2024"),
    ],
)
def test_other_dates_are_not(answer, chunk):
    """Another day, month or year, or more than the chunk says."""
    assert ["grounding.date"] == found(answer, chunk)


def test_a_sentence_is_held_against_what_it_cites():
    """The right number in the wrong chunk does not count; without a marker any chunk does."""
    chunks = Chunks({"C0": "40 EUR", "C1": "50 EUR"}, {})

    def held(answer: str) -> list[str]:
        read = read_sentences(answer, markers(answer))
        return [finding.code for finding in check_grounding(answer, read, chunks, Tally())]

    assert [] == held("It is 40 EUR [C0].")
    assert ["grounding.number"] == held("It is 40 EUR [C1].")
    assert [] == held("It is 40 EUR [C1][C0].")
    assert [] == held("It is 50 EUR.")
    assert ["grounding.number"] == held("It is 60 EUR.")
    assert [] == held("It is 50 EUR [C7].")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("There are 2 rules:\n- a [C0]\n- b [C0]", []),
        ("There are two weeks:\n- a [C0]\n- b [C0]", []),
        ("There are 3 rules:\n- a [C0]\n- b [C0]", ["grounding.number"]),
        ("1. a [C0]\n2. b [C0]\n37. c [C0]", []),
        ("a [C0]. b [C12].", []),
    ],
)
def test_list_numbers_and_markers_are_no_facts(answer, expected):
    """Nor is the count of the items that follow."""
    assert expected == found(answer, "a, b and c")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The fee is set by Helga Muster", ["grounding.entity"]),
        ("The fee is set by the Office of Roads", []),
        ("The Office sets it, says Weber", ["grounding.entity"]),
        # Months are no names; they are dates.
        (
            "Roads are fine in May, and 40 EUR in March",
            ["grounding.date", "grounding.date", "grounding.number"],
        ),
        ("Die Gebühr ist vom Amt und der Stelle für Brücken", []),
    ],
)
def test_names_are_reported(answer, expected):
    """A capitalised name that the chunk lacks is a note; German nouns are no names."""
    assert expected == found(answer, "The Office of Roads sets the fee.")


def test_names_may_come_from_the_source():
    """The title of the source is part of what the model was shown."""
    assert [] == found("It is in Lima Norte", "It is there.", source="Lima Norte (town)")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The Social Security Office (SSO) pays", []),
        ("The SSO (Social Security Office) pays", []),
        ("The Social Safety Office (SSO) pays", ["grounding.acronym"]),
        ("The SSO (State Social Order) pays", ["grounding.acronym"]),
        ("The social security office (40 EUR) pays", ["grounding.number"]),
    ],
)
def test_expansions_of_acronyms_are_reported(answer, expected):
    """Only the chunk's own long form counts."""
    chunk = "The SSO, Social Security Office, pays. Order of the State; social safety."
    codes = found(answer, chunk)

    assert expected == [code for code in codes if code != "grounding.entity"]


def test_the_policy_decides_what_names_do():
    """A note, or a rejection."""
    answer = "It is set by Helga Muster."
    read = read_sentences(answer, ())
    for names in ("note", "reject"):
        findings = check_grounding(answer, read, Chunks({"C0": "x"}, {}), Tally(), names=names)
        assert [names] == [finding.severity for finding in findings]


def test_what_was_checked_is_counted():
    """The tally has what was checked and what was found."""
    answer = "It is 40 EUR and 50 EUR on 5 March 2024, says Helga Muster."
    tally = Tally()
    list(check_grounding(answer, read_sentences(answer, ()), Chunks({"C0": "40 EUR"}, {}), tally))

    assert Tally(numbers=2, numbers_found=1, dates=1, entities=1) == tally


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("section 5 may apply", []),
        ("5 May 2024", [Reading(2024, 5, 5)]),
        ("31.13.2024", []),
        ("version 1.2.3 of 192.168.10.20", []),
        ("2024-02-30", [Reading(2024, 2, 30)]),
        ("June 1st, 2024-07-09", [Reading(None, 6, 1), Reading(2024, 7, 9)]),
    ],
)
def test_dates_are_not_seen_where_there_are_none(text, expected):
    """A verb, a version and an address are no dates."""
    assert expected == [reading for date in dates(text) for reading in date.readings]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("two hundred and five", [205]),
        ("one hundred and twenty-five thousand", [125000]),
        ("zweitausendvierundzwanzig", [2024]),
        ("Dreißig und vierzig", [30, 40]),
        ("ciento veinte, dos mil veinticuatro", [120, 2024]),
        ("hundreds of thousands", []),
    ],
)
def test_number_words(text, expected):
    """English, German and Spanish."""
    assert expected == [word.value for word in number_words(text)]


TEXT = st.text(alphabet=st.sampled_from("0123456789.,'’ -–/:€$%½abAMay\nund"), max_size=60)


@given(TEXT)
def test_a_text_holds_its_own_facts(text):
    """Whatever is read as a number or date in a text is found in that text."""
    facts = index_facts(text)
    found_dates = tuple(dates(text))

    assert all(facts.has_date(date) for date in found_dates)
    assert all(facts.fault_of(quantity) is None for quantity in quantities(text, found_dates))


@given(st.text(max_size=80))
def test_any_text_is_taken(text):
    """No text raises."""
    assert isinstance(found(text, text), list)
