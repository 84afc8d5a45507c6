"""Signs of danger: found however they are written, answered by a label or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.signs import Sign, SignsRule, SignView, find_signs
from assay.core.json.pointer import PointerPattern
from assay.core.text.spans import Shown
from assay.errors import InputError
from assay.gate.gate import GateContext

THREAT = Sign.compile(
    name="threat", patterns=[r"\bverklag", r"\bsue you\b"], exceptions=[r"\bverklagt wurde ich\b"]
)
ANYWHERE = Sign.compile(name="harm", patterns=[r"\bsuizid"], everywhere=True)
RULE = SignsRule(
    signs=((THREAT, ((PointerPattern.compile("/flags/*"), ("THREAT", "LEGAL")),)),),
)
HOLDING = SignsRule(signs=RULE.signs, cut_holds=True)


def found(text: str, *signs: Sign) -> list[str]:
    views = [Shown.of_text("body", text)]
    return [sign.name for sign, _, _ in find_signs(signs or (THREAT,), views)]


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize(
    "text",
    [
        "Ich werde Sie verklagen.",
        "ICH WERDE SIE VERKLAGEN!",
        "Ich werde Sie ver-\nklagen.",
        "Ich werde Sie ver\u00adkla\u200bgen.",
        "I will sue\n   you.",
        "I will sue\u00a0you.",
        "Ｉ　ｗｉｌｌ　ｓｕｅ　ｙｏｕ",
        "I will súe you",
        "Danke.\n\nAm 3. Mai 2026 schrieb Ann:\n> Hallo\n\nIch verklage Sie.",
    ],
)
def test_a_sign_is_found_however_it_is_written(text):
    """Case, accents, width, line breaks, hyphens at line ends and invisible characters."""
    assert ["threat"] == found(text)


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize(
    "text",
    [
        "Verklagt wurde ich noch nie.",
        "Wir sprechen von Produktverklagung",
        "Danke.\n\nAm 3. Mai 2026 schrieb Ann:\n> Ich werde Sie verklagen.\n",
        "Danke.\n\n-- \nAnn\nMotto: wer verklagt, verliert\n",
    ],
)
def test_what_is_excepted_quoted_or_in_a_signature_is_no_sign(text):
    """Only what the sender says themselves, and means, counts."""
    assert [] == found(text)


@pytest.mark.clause("005-M11")
def test_a_sign_that_counts_everywhere_is_found_in_a_quote():
    """Nobody would forgive missing it there either."""
    text = "Danke.\n\nAm 3. Mai 2026 schrieb Ann:\n> Ich denke an Suizid.\n"

    assert ["harm"] == found(text, THREAT, ANYWHERE)


def test_a_mail_that_only_carries_is_read_as_its_words():
    """Where the sender says nothing, what they carry is what they say."""
    assert ["threat"] == found("> Ich werde Sie verklagen.\n")


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize(
    ("flags", "codes"),
    [([], ["rule.threat"]), (["OTHER"], ["rule.threat"]), (["LEGAL"], []), ([7, "THREAT"], [])],
)
def test_a_label_answers_a_sign(flags, codes):
    """Any one of the labels that the contract lists; nothing is added where none stands."""
    output = {"flags": list(flags)}
    context = GateContext(shown=(Shown.of_text("body", "I will sue you."),))

    assert codes == [finding.code for finding in RULE(output, context)]
    assert {"flags": flags} == output


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize(("rule", "codes"), [(RULE, ["rule.threat"]), (HOLDING, [])])
def test_a_sign_in_words_that_were_cut_counts_unless_these_hold_the_input(rule, codes):
    """A reply could not know it; but where nothing else brings it to a person, the sign does."""
    text = "The roof leaks. I will sue you."
    context = GateContext(shown=(Shown(name="body", original=text, segments=((0, 15),)),))

    assert codes == [finding.code for finding in rule({"flags": []}, context)]


@pytest.mark.clause("005-M11")
def test_a_finding_names_the_place_and_no_word_of_it():
    """Source and code points; an attachment by its number, as senders choose its name."""
    views = (
        Shown.of_text("body", "Hello"),
        Shown.of_text("attachment:Ann Example.txt", "Dear all, I will sue you."),
    )
    (finding,) = RULE({"flags": []}, GateContext(shown=views))

    assert "the attachment 1 shows this sign at code points 17 to 24" in finding.message
    assert "Ann" not in finding.message
    assert "sue" not in finding.message


@pytest.mark.parametrize(
    "patterns", [[], ["("], ["(?=x)"], ["x*"], ["können"], [r"\bzł"], ["a", "|b"]]
)
def test_a_pattern_that_cannot_be_right_is_refused(patterns):
    """No pattern, no RE2, one that is everywhere, or one with letters that the view never has."""
    with pytest.raises(InputError):
        Sign.compile(name="s", patterns=patterns)


@given(st.text(max_size=80), st.data())
def test_every_place_of_the_view_leads_back(text, data):
    """Any range of the view stands for a range of the original that is not empty."""
    view = SignView(text)
    if not view.text:
        return
    start = data.draw(st.integers(0, len(view.text) - 1))
    stop = data.draw(st.integers(start + 1, len(view.text)))
    first, last = view.original_span(start, stop)

    assert 0 <= first < last <= len(text)


@given(st.text(max_size=60), st.text(max_size=60))
def test_what_stands_around_a_sign_does_not_hide_it(before, after):
    """A sentence of its own is found in any text, unless the text makes a quote of it."""
    text = f"{before}\n. I will sue you. \n{after}"
    everywhere = Sign.compile(name="s", patterns=[r"\bsue you\b"], everywhere=True)

    assert ["s"] == found(text, everywhere)
