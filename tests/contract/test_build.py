"""Prompts: what is put in, what is left out, and that the budget holds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.contract.budget import Attempt, Budget
from assay.contract.build import build
from assay.contract.catalogue import fill, sources_of
from assay.contract.contract import Contract
from assay.contract.material import Built, Material, OverBudget
from assay.core.json.canonical import digest
from assay.core.text.spans import Shown
from assay.core.text.tokens import count
from assay.errors import InputError, PromptTemplateError
from assay.pack.read import read_pack
from assay.redaction.redactor import Redactor
from tests.pack.small import FILES, small_pack

REDACTOR = Redactor()

MAIL_TEMPLATE = (
    "---\nname: small.mail\nrole: teller\nversion: 1\n"
    "variables: [labels.kind, input.signals, input.subject, input.body, input.attachments]\n---\n"
    "Kinds:\n{{labels.kind}}\nSigns: {{input.signals}}\nS: {{input.subject}}\nB: {{input.body}}\n"
    "A: {{input.attachments}}\nend\n"
)


def contract_with(template: str = MAIL_TEMPLATE, **changes: object) -> Contract:
    pack = read_pack(small_pack(**{"templates/tell.md": template}))
    return replace(pack.contract("tell"), **changes)


def built(contract: Contract, material: Material, attempt: int = 1) -> Built:
    made = build(contract, material, attempt, REDACTOR)
    assert isinstance(made, Built)
    return made


def test_the_catalogue_fills_what_the_template_declares():
    """Labels with descriptions, signs, sources by name, attachments each under its name."""
    material = Material(
        texts={
            "subject": "Hello",
            "body": "World",
            "attachment:a.txt": "first",
            "attachment:b.pdf": "second",
        },
        signals=("LOOP", "BULK"),
    )

    assert built(contract_with(), material).prompt.text == (
        "Kinds:\nGOOD: it pleases\nBAD: it does not\nSigns: LOOP\nBULK\nS: Hello\nB: World\n"
        "A: [attachment:a.txt]\nfirst\n\n[attachment:b.pdf]\nsecond\nend\n"
    )


def test_absent_sources_are_empty_and_nothing_else_is_put_in():
    """An optional input slot that is absent is the empty string."""
    made = built(contract_with(), Material(texts={"body": "World", "memo": "not placed"}))

    assert "S: \nB: World\nA: \nend" in made.prompt.text
    assert ["body"] == [shown.name for shown in made.shown]
    assert "not placed" not in made.prompt.text


def test_a_single_text_stands_without_a_heading_and_several_with_one():
    """`input.text` is for packs whose input is one text; it takes others too."""
    template = (
        FILES["templates/tell.md"]
        .replace("labels.kind, schema, ", "")
        .replace("{{labels.kind}}\n{{schema}}\n", "")
    )
    contract = contract_with(template)

    assert built(contract, Material(texts={"text": "alone"})).prompt.text == "alone\n"
    two = built(contract, Material(texts={"subject": "one", "body": "two"})).prompt.text
    assert two == "[subject]\none\n\n[body]\ntwo\n"


def test_slots_come_first_and_are_taken_as_they_are():
    """A ready value, such as a stage's cached state, stands before the catalogue."""
    material = Material(texts={"body": "World"}, slots={"input.body": "{{input.subject}}"})
    made = built(contract_with(), material)

    assert "B: {{input.subject}}\n" in made.prompt.text
    assert made.shown == ()


def test_a_variable_that_nothing_fills_is_an_error_that_names_it():
    """Only `input.` slots are optional."""
    template = MAIL_TEMPLATE.replace("input.signals", "glossary")
    with pytest.raises(PromptTemplateError) as caught:
        build(contract_with(template), Material(texts={}), 1, REDACTOR)

    assert caught.value.missing == ("glossary",)


def test_a_contract_without_template_can_only_judge():
    """There is nothing to build."""
    contract = read_pack({"only.schema.json": b"{}"}).contract("only")
    with pytest.raises(InputError, match="no template"):
        build(contract, Material(texts={}), 1, REDACTOR)


@pytest.mark.clause("005-M9")
def test_another_form_of_the_body_is_shown_where_attachments_are():
    """A template that knows only of a body and attachments shows it all the same."""
    texts = {"body": "until 31 May", "body:html": "until 30 June"}
    made = built(contract_with(), Material(texts=texts))

    assert "A: [body:html]\nuntil 30 June\nend" in made.prompt.text


def test_an_attachments_name_cannot_write_lines_into_the_prompt():
    """The sender chose it: it stays one line, without brackets, of bounded length."""
    name = "attachment:x]\n[subject]\nforged\u2028" + "y" * 500
    text = built(contract_with(), Material(texts={name: "inside"})).prompt.text

    heading = text.partition("A: ")[2].partition("\n")[0]
    assert heading.startswith("[attachment:x___subject__forged_")
    assert heading.endswith("…]")
    assert len(heading) <= 122


texts = st.text(
    st.characters(exclude_categories=["Cs"], max_codepoint=0x1F700), min_size=1, max_size=40
)


@given(st.dictionaries(st.sampled_from(["subject", "body", "attachment:1", "attachment:2"]), texts))
@settings(max_examples=50, deadline=None)
def test_placements_lead_from_the_prompt_back_to_the_source(sources):
    """Every shown slice stands in the prompt, letter for letter, where the placement says."""
    made = built(contract_with(), Material(texts=sources))
    text = made.prompt.text

    assert len(sources) == len(made.placements)
    for place in made.placements:
        length = place.stop - place.start
        assert sources[place.source][place.start : place.stop] == text[place.at : place.at + length]
    assert [name for name in sources if name in {s.name for s in made.shown}] == [
        shown.name for shown in made.shown
    ]
    assert made.prompt.sha256 == digest(text)
    assert made.prompt.tokens == count(text)
    raw = text.encode()
    assert [section.start for section in made.prompt.sections][1:] == [
        section.stop for section in made.prompt.sections
    ][:-1]
    assert raw[made.prompt.sections[0].start : made.prompt.sections[-1].stop] == raw


@given(
    sources=st.dictionaries(st.sampled_from(["subject", "body"]), texts),
    attempt=st.sampled_from([1, 2]),
)
@settings(max_examples=20, deadline=None)
def test_equal_inputs_give_equal_prompts(sources, attempt):
    """Bytes, digest, sections and redacted view."""
    contract = contract_with()

    assert build(contract, Material(texts=sources), attempt, Redactor()) == build(
        contract, Material(texts=dict(sources)), attempt, Redactor()
    )


def test_the_prefix_is_what_every_call_shares():
    """Template and labels up to the first value of the input."""
    first = built(contract_with(), Material(texts={"subject": "a"}))
    second = built(contract_with(), Material(texts={"subject": "b"}, signals=("LOOP",)))

    prefix = "Kinds:\nGOOD: it pleases\nBAD: it does not\nSigns: "
    assert len(prefix) == first.prefix_chars == second.prefix_chars
    assert first.prompt.text[: len(prefix)] == second.prompt.text[: len(prefix)] == prefix


def test_a_preamble_stands_in_front_and_is_part_of_the_prefix():
    """A persona block: its own section, the others move."""
    plain = contract_with()
    persona = read_pack(
        small_pack(
            **{
                "templates/persona.md": "---\nname: p\nrole: system\nversion: 1\n"
                "variables: []\n---\nYou are käufer-friendly.",
                "contracts/tell.yaml": FILES["contracts/tell.yaml"] + "preamble: persona\n",
                "templates/tell.md": MAIL_TEMPLATE,
            }
        )
    ).contract("tell")
    material = Material(texts={"body": "World"})
    with_it, without = built(persona, material), built(plain, material)

    block = "You are käufer-friendly.\n\n"
    assert block + without.prompt.text == with_it.prompt.text
    assert ("preamble", 0, len(block.encode())) == (
        with_it.prompt.sections[0].name,
        with_it.prompt.sections[0].start,
        with_it.prompt.sections[0].stop,
    )
    assert len(block) + without.prefix_chars == with_it.prefix_chars
    assert len(block) + without.placements[0].at == with_it.placements[0].at


def test_a_correction_is_told_only_to_attempts_that_correct():
    """It stands last, in a section of its own."""
    contract = contract_with(attempts=(Attempt(), Attempt(correct=True)))
    material = Material(texts={"body": "World"}, correction="- label.unknown at /kind")

    assert "label.unknown" not in built(contract, material, 1).prompt.text
    made = built(contract, material, 2).prompt
    assert made.text.endswith("end\n\n\n- label.unknown at /kind")
    assert made.sections[-1].name == "correction"


@pytest.mark.clause("000-R2", "000-B1")
@given(
    words=st.lists(
        st.sampled_from(["rain", "hail.", "Dach", "naß!", "\n\n", "> old"]), max_size=400
    ),
    limit=st.integers(min_value=40, max_value=200),
    attempt=st.sampled_from([1, 2]),
)
@settings(max_examples=40, deadline=None)
def test_nothing_is_ever_built_over_its_budget(words, limit, attempt):
    """Whatever comes in: a prompt within the limit, verbatim slices, or no prompt at all."""
    contract = contract_with(budget=Budget(max_input_tokens=limit, max_output_tokens=10))
    text = " ".join(words)
    made = build(contract, Material(texts={"body": text}), attempt, REDACTOR)
    allowed = limit if attempt == 1 else limit // 2

    if isinstance(made, OverBudget):
        assert allowed == made.limit
        return
    assert count(made.prompt.text) == made.prompt.tokens <= allowed == made.max_input_tokens
    for shown in made.shown:
        assert all(text[start:stop] in made.prompt.text for start, stop in shown.segments)


@pytest.mark.clause("000-B1")
def test_a_prompt_whose_fixed_parts_are_too_long_is_over_budget():
    """There is nothing left to leave out."""
    contract = contract_with(budget=Budget(max_input_tokens=5, max_output_tokens=10))
    made = build(contract, Material(texts={"body": "World"}), 1, REDACTOR)

    assert isinstance(made, OverBudget)
    assert made.limit == 5
    assert made.tokens > 5


def test_huge_inputs_are_weighed_without_being_counted_over_and_over():
    """Twenty megabytes end in a prompt within the budget or in none, and in bounded work."""
    contract = contract_with(budget=Budget(max_input_tokens=300, max_output_tokens=10))
    made = build(contract, Material(texts={"body": "word " * 400_000}), 1, REDACTOR)

    assert isinstance(made, OverBudget) or made.prompt.tokens <= 300


def test_sources_are_those_that_the_variables_place():
    """In search order, whatever the order of the variables."""
    material = Material(texts={"subject": "", "body": "", "attachment:x": "", "memo": ""})

    assert sources_of(["input.attachments", "input.subject"], material) == (
        "subject",
        "attachment:x",
    )
    assert sources_of(["input.text"], material) == ("subject", "body", "attachment:x", "memo")
    assert sources_of(["schema", "labels.kind"], material) == ()


def test_segments_of_one_source_are_shown_line_by_line():
    """Slices stay in order; the gap between them is a line end and no word of ours."""
    contract = contract_with()
    original = "first. SECOND third."
    shown = {"body": Shown(name="body", original=original, segments=((0, 6), (14, 20)))}
    filled = fill(contract, Material(texts={"body": original}), ["input.body"], shown)

    assert filled["input.body"].text == "first.\nthird."
    assert [(piece.start, piece.at) for piece in filled["input.body"].pieces] == [(0, 0), (14, 7)]


def test_a_prompt_without_source_text_is_held_to_its_budget():
    """Where nothing can be left out there is no prompt; with one token more there is one."""
    contract = contract_with()
    needed = built(contract, Material()).prompt.tokens
    tight = Budget(max_input_tokens=needed - 1, max_output_tokens=10)
    enough = replace(tight, max_input_tokens=needed)

    over = build(replace(contract, budget=tight), Material(), 1, REDACTOR)

    assert OverBudget(tokens=needed, limit=needed - 1) == over
    assert needed == built(replace(contract, budget=enough), Material()).prompt.tokens


@pytest.mark.clause("000-B1")
def test_a_ready_slot_that_is_far_too_long_is_counted_to_the_end():
    """A slot is no source text and is never cut; however far over the budget its prompt is, the
    tokens that are told are those of the whole prompt."""
    contract = contract_with(budget=Budget(max_input_tokens=50, max_output_tokens=10))
    slot = "word " * 5_000
    material = Material(texts={}, slots={"input.body": slot})
    whole = f"Kinds:\nGOOD: it pleases\nBAD: it does not\nSigns: \nS: \nB: {slot}\nA: \nend\n"

    made = build(contract, material, 1, REDACTOR)

    assert OverBudget(tokens=count(whole, contract.tokenizer), limit=50) == made


def test_an_attempt_that_does_not_correct_is_told_nothing_of_the_one_before():
    """Whichever attempt it is, and though a correction is at hand."""
    contract = contract_with(attempts=(Attempt(), Attempt(temperature=0.0), Attempt(correct=True)))
    material = Material(texts={"body": "World"}, correction="- label.unknown at /kind")
    first, second, third = (built(contract, material, attempt) for attempt in (1, 2, 3))

    assert first.prompt.text == second.prompt.text
    assert "label.unknown" not in second.prompt.text
    assert third.prompt.text == second.prompt.text + "\n\n- label.unknown at /kind"
