"""`send: redacted`: what is sent, what comes back, and that nothing is lost or leaked between."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.contract.contract import judge
from assay.contract.contract_job import ContractJob
from assay.contract.material import Built, Material
from assay.contract.private import hide
from assay.contract.surrogates import UNKNOWN, UNSEEN
from assay.core.text.spans import Shown
from assay.flow.graph import Stage
from assay.flow.job import Place, StageJob
from assay.gate.rules import Rule
from assay.redaction.redactor import Redactor
from tests.runtime.tiny import tiny_pack

REDACTOR = Redactor("a key")
PRIVATE = {
    "contracts__triage__yaml": (
        b"template: triage\nsend: redacted\nschema: triage.schema.json\n"
        b'labels: {"/label": kind}\n'
        b'evidence: {snippets: "/evidence_snippets/*", required: [""]}\n'
        b"budget: {max_input_tokens: 400, max_output_tokens: 100}\n"
    )
}
MAIL = (
    "Dear Ms Harper,\nthere is water in the cellar. Write to jane.doe@example.com or "
    "Jane.Doe@example.com, or call +49 30 901820.\nBest regards,\nJane Doe\n"
)
HARPER = REDACTOR.surrogate("EMAIL", "jane.doe@example.com")

PIECES = st.sampled_from(
    [
        "Dear Ms Harper,\n",
        "Regards,\nJane Doe\n",
        "JANE DOE",
        "Jane Doe",
        "Doe",
        "jane.doe@example.com",
        "JANE.DOE@example.com",
        "+49 30 901820",
        "030 901820",
        "DE89 3704 0044 0532 0130 00",
        "Hauptstraße 5, 10115 Berlin",
        "123456789",
        "[EMAIL_0123456789]",
        HARPER,
        HARPER.lower(),
        "[EMAIL_",
        "EMAIL_0123abcdef",
        "[PHONE]",
        "İ",
        '"',
        "\\",
        "\n",
        " ",
        "water",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join)


def job(text: str = MAIL, contract: bytes = b"", **texts: str) -> ContractJob:
    changes = {"contracts__triage__yaml": contract} if contract else PRIVATE
    return ContractJob(
        contract=tiny_pack(**changes).contract("triage"),
        material=Material(texts={**texts, "text": text}),
        redactor=REDACTOR,
    )


def built(of: ContractJob) -> Built:
    made = of.build(1, ())
    assert isinstance(made, Built)
    return made


def reply(*quotes: str, label: str = "water") -> bytes:
    return json.dumps({"label": label, "evidence_snippets": quotes}).encode()


def sent_text(made: Built) -> str:
    return made.prompt.text.split("Text:\n")[1]


@pytest.mark.clause("006-M9")
def test_the_prompt_holds_surrogates_and_every_spelling_has_its_own():
    """Names, addresses and numbers are gone; the words around them stay."""
    made = built(job())
    sent = sent_text(made)

    for value in ("jane", "Jane", "Doe", "Harper", "901820"):
        assert value not in sent
    assert "there is water in the cellar. Write to [EMAIL_" in sent
    assert 2 == len({part[:18] for part in sent.split("[")[1:] if part.startswith("EMAIL")})
    assert {"EMAIL": 2, "PHONE": 1, "SIMPLE_NAME": 2} == job().context(made)["hidden"]


@pytest.mark.clause("006-M9")
def test_a_contract_that_does_not_say_so_sends_the_text_and_keeps_its_digest():
    """`send: text` is what nothing said means; no fact is added."""
    plain = tiny_pack().contract("triage")
    said = tiny_pack(
        contracts__triage__yaml=PRIVATE["contracts__triage__yaml"].replace(b"redacted", b"text")
        + b"attempts: [{}, {temperature: 0.0, shorten: true}]\n"
    ).contract("triage")
    made = built(replace(job(), contract=said))

    assert plain.digest == said.digest != job().contract.digest
    assert made.hidden is None
    assert MAIL in made.prompt.text
    assert "hidden" not in replace(job(), contract=said).context(made)


@pytest.mark.clause("006-M9")
def test_a_quotation_with_surrogates_is_found_where_the_value_stands():
    """Span and digest are those of the original; the raw reply is not touched."""
    of = job()
    made = built(of)
    sent = sent_text(made)
    start = sent.index("Write to")
    raw = reply(sent[start : sent.index(", or call")])
    weighed = of.weigh(raw, made, "stop")

    assert weighed.accepted
    (span,) = weighed.spans
    quoted = "Write to jane.doe@example.com or Jane.Doe@example.com"
    assert quoted == MAIL[span["start"] : span["stop"]]
    assert [quoted] == weighed.verdict.output["evidence_snippets"]


@pytest.mark.clause("006-M9")
def test_signs_of_escapes_in_the_reply_change_nothing():
    """A surrogate is read from the string, however its letters are written in JSON."""
    of = job()
    made = built(of)
    token = next(iter(made.hidden.surrogates.values))
    raw = reply(token).replace(b'["[', b'["\\u005b')

    assert raw != reply(token)
    assert of.weigh(raw, made, "stop").accepted


@pytest.mark.clause("006-M9")
@pytest.mark.parametrize(
    "change",
    [
        str.lower,
        lambda token: token.strip("[]"),
        lambda token: token[1:],
        lambda token: token[:-1],
        lambda token: token[:8],
        lambda token: token.replace("_", " "),
        lambda token: token[:-3] + "00]",
        lambda token: "[EMAIL_0123456789]",
        lambda token: token.replace("[", "("),
        lambda token: token[-11:-1],
    ],
)
@pytest.mark.parametrize("around", ["{}", "see {}", "{} there", "a {} b"])
def test_what_is_no_whole_surrogate_of_this_call_is_a_finding(change, around):
    """Nothing is guessed: it is rejected in a quotation and in a value alike."""
    of = job()
    made = built(of)
    weighed = of.weigh(reply("in the cellar", around.format(change(HARPER))), made, "stop")
    named = of.weigh(reply("in the cellar", label=around.format(change(HARPER))), made, "stop")

    for each in (weighed, named):
        assert "redaction.unknown_surrogate" in {finding.code for finding in each.findings}


@pytest.mark.clause("006-M9")
@pytest.mark.parametrize("written", [str, str.lower, str.upper, "so says {}.".format])
def test_a_value_that_the_prompt_hides_cannot_have_been_read(written):
    """A guess that is right is no evidence: not as a quotation, and in no other string."""
    of = job()
    made = built(of)
    value = next(iter(sorted(made.hidden.surrogates.values.values(), key=len, reverse=True)))

    weighed = of.weigh(reply(written(value)), made, "stop")

    assert UNSEEN in {finding.code for finding in weighed.findings}
    assert not weighed.accepted


@pytest.mark.clause("006-M9")
def test_a_value_that_stands_in_the_prompt_as_well_may_be_written():
    """A number of the pack's own template is there for the model to read."""
    made = built(job())
    surrogates = made.hidden.surrogates
    value = next(iter(surrogates.values.values()))
    raw = reply(value)

    _, findings = surrogates.restore_reply(raw, f"{made.prompt.text} Our office: {value}")

    assert not findings


@pytest.mark.clause("006-M9")
@pytest.mark.parametrize("left", ["{0}", "{1}_{2}", "IL_{2}", "x_{3}", "({0})"])
def test_a_piece_of_a_surrogate_is_no_value(left):
    """Its class alone, its digits behind a cut class, their beginning: nothing was read there."""
    of = job()
    made = built(of)
    token = next(each for each in made.hidden.surrogates.values if "SIMPLE_NAME" in each)
    piece = left.format("SIMPLE_NAME", "MPLE_NAME", token[-11:-3], token[-11:-5])

    weighed = of.weigh(reply(piece), made, "stop")

    assert {UNKNOWN, UNSEEN} & {finding.code for finding in weighed.findings}


@pytest.mark.clause("006-M9")
def test_a_quotation_that_begins_in_a_surrogate_or_names_a_member_by_one_is_a_finding():
    """Its last letters would be read as text."""
    of = job()
    made = built(of)

    for raw in (
        reply(HARPER[-8:] + ", or call"),
        reply("in the cellar")[:-1] + f', "{HARPER}": 1}}'.encode(),
    ):
        codes = {finding.code for finding in of.weigh(raw, made, "stop").findings}
        assert "redaction.unknown_surrogate" in codes


@pytest.mark.clause("006-M9")
def test_a_text_that_looks_like_a_surrogate_is_nobodys_value():
    """It is sent as it is and comes back as it is; the value gets another surrogate."""
    text = f"Water. {HARPER} is what jane.doe@example.com is called. [EMAIL_ADDRESS]"
    of = job(text)
    made = built(of)
    sent = sent_text(made)

    assert sent.startswith(f"Water. {HARPER} is what [EMAIL_")
    assert sent.count(HARPER) == 1
    weighed = of.weigh(reply(sent.strip()), made, "stop")
    assert weighed.accepted
    assert [text] == weighed.verdict.output["evidence_snippets"]


@pytest.mark.clause("006-M9")
def test_a_value_found_in_one_text_is_hidden_in_all_of_them_and_in_their_names():
    """A subject tells no name that the greeting gives away; a file's name tells none either."""
    hidden = hide(
        Material(
            texts={"subject": "JANE DOE again", "attachment:Jane Doe.pdf": "x", "body": MAIL},
            slots={"input.state": '{"who": "Jane Doe"}', "labels.kind": "Jane Doe: a name"},
            signals=("from jane.doe@example.com",),
            question="Is Jane Doe there? Not Jane Doenitz.",
        ),
        REDACTOR,
    )
    view = Shown.of_text("subject", "JANE DOE again")

    assert hidden.slice(view, 0, 14).startswith("[SIMPLE_NAME_")
    assert "Jane" not in hidden.headings["attachment:Jane Doe.pdf"]
    assert "Jane" not in hidden.slots["input.state"]
    assert "Jane Doe: a name" == hidden.slots["labels.kind"]
    assert "jane" not in hidden.signals[0]
    assert "]" in hidden.question.split(" there")[0]


@pytest.mark.clause("006-M9")
def test_what_reads_as_a_name_only_beside_the_template_is_hidden_too():
    """The prompt as a whole is looked at, not only its parts."""
    pack = tiny_pack(
        **PRIVATE,
        templates__triage__md=(
            b"---\nname: triage\nrole: triage\nversion: 1\nvariables: [labels.kind, input.text]\n"
            b"---\n{{labels.kind}}\nName: {{input.text}}\n"
        ),
    )
    of = ContractJob(
        contract=pack.contract("triage"),
        material=Material(texts={"text": "Edwina Marsh"}),
        redactor=REDACTOR,
    )
    made = built(of)

    assert REDACTOR.redact("Edwina Marsh").spans == ()
    assert "Edwina" not in made.prompt.text
    assert of.weigh(reply(made.prompt.text.split("Name: ")[1].strip()), made, "stop").accepted


@pytest.mark.clause("006-M9")
def test_results_show_no_more_than_those_of_a_contract_that_sends_the_text():
    """Lengths are judged on the values; a plan and a schema hold no model to them."""
    long = "Write to " + "a" * 180 + "@example.com"
    of = job(f"Water. {long}")
    made = built(of)
    weighed = of.weigh(reply(sent_text(made).partition(" ")[2].strip()), made, "stop")

    assert len(long) > 200
    assert {"schema.maxLength"} == {finding.code for finding in weighed.findings}
    assert "maxLength" not in json.dumps(of.wire_schema().document)
    plan = of.plan(made)
    assert all("aaa" not in quote.text for quote in plan.sentences)
    assert all(len(made.hidden.surrogates.restore(q.text)) <= 200 for q in plan.sentences)


def test_without_the_texts_nothing_can_be_judged_again():
    """The values went with them; the findings stay as recorded."""
    from tests.contract.test_contract_job import kept

    attempt = replace(kept().attempts[0], raw=reply("in the cellar"), findings=())

    judged = replace(job(), complete=False).rejudge(attempt, None, None)
    assert "unavailable" == judged.verdict


def test_under_another_key_a_reply_is_not_judged_again():
    """Its surrogates are none of those made now; a finding on record stays comparable."""
    from tests.contract.test_contract_job import kept

    of = job()
    raw = reply(next(iter(built(of).hidden.surrogates.values)))
    verdict = {"verdict": "accepted", "findings": []}
    attempt = replace(kept().attempts[0], raw=raw, findings=(), judged=verdict)
    other = replace(of, redactor=Redactor("another key"))

    assert "same" == of.rejudge(attempt, None, (Shown.of_text("text", MAIL),)).verdict
    assert "unavailable" == other.rejudge(attempt, None, (Shown.of_text("text", MAIL),)).verdict


@pytest.mark.clause("006-M9")
def test_a_stage_of_a_conversation_hides_message_and_state_alike():
    """The stage's own rules see the values again."""
    contract = job().contract
    rule = Rule.compile(id="seen", assert_text='output.evidence_snippets[0].contains("jane.doe@")')
    of = StageJob(
        contract=contract,
        material=Material(
            texts={"user_prompt": "I am jane.doe@example.com"}, slots={"input.text": MAIL}
        ),
        redactor=REDACTOR,
        stage=Stage(name="s", contract="triage", next_field="/next", next={}, rules=(rule,)),
        place=Place(session="a", turn=1, step=0),
        slots=(),
        lead="Mend this:",
    )
    made = built(of)
    weighed = of.weigh(reply(f"I am {HARPER}"), made, "stop")

    assert "jane" not in made.prompt.text
    assert HARPER in made.prompt.text
    assert {"evidence.not_found"} == {finding.code for finding in weighed.findings}


@given(TEXTS, TEXTS, st.data())
@settings(max_examples=300)
def test_every_snippet_of_whole_surrogates_and_text_leads_back_exactly(one, other, data):
    """Restoring is the inverse of hiding, at every place that cuts no surrogate."""
    hidden = hide(Material(texts={"a": one, "b": other}), REDACTOR)
    for name, text in (("a", one), ("b", other)):
        masks = hidden.masks[name]
        cuts = [at for at in range(len(text) + 1) if not any(m.start < at < m.stop for m in masks)]
        start = data.draw(st.sampled_from(cuts))
        stop = data.draw(st.sampled_from([at for at in cuts if at >= start]))
        sent = hidden.slice(Shown.of_text(name, text), start, stop)

        assert text[start:stop] == hidden.surrogates.restore(sent)
    whole = hidden.slice(Shown.of_text("a", one), 0, len(one))
    digests = {token[-11:-1] for token in hidden.surrogates.values}
    if not any(digest in f"{one}{other}".lower() for digest in digests):
        assert not hidden.surrogates.is_foreign(whole)


@given(TEXTS, TEXTS)
@settings(max_examples=300)
def test_no_value_that_redaction_finds_is_sent(one, other):
    """Neither where it was found nor elsewhere, as a word of its own."""
    of = job(one, other=other)
    made = of.build(1, ())
    if not isinstance(made, Built):
        return
    sent = sent_text(made)
    again = REDACTOR.redact(made.prompt.text)

    assert () == again.spans
    for text in (one, other):
        for span in REDACTOR.redact(text).spans:
            assert f" {text[span.start : span.stop]} " not in sent


@given(TEXTS, st.lists(TEXTS, max_size=3), st.sampled_from(["water", "fire", "smoke"]))
@settings(max_examples=200)
def test_a_restored_reply_is_judged_as_one_that_holds_the_values(text, quotes, label):
    """The same findings, spans and output, whatever is quoted."""
    of = job(text)
    made = of.build(1, ())
    if not isinstance(made, Built):
        return
    hidden = made.hidden
    all_quotes = [text, *quotes]
    masked = hide(
        Material(texts={"text": text, **{str(n): q for n, q in enumerate(quotes)}}), REDACTOR
    )
    if masked.surrogates.values != hidden.surrogates.values:
        return  # a quotation with values of its own
    sent = [hidden.slice(Shown.of_text("text", text), 0, len(text)), *quotes]
    _, beside = hidden.surrogates.restore_reply(reply(*sent), made.prompt.text)
    if beside:
        return  # a quotation of what was not sent
    as_sent = of.weigh(reply(*sent, label=label), made, "stop")
    plain = judge(of.contract, reply(*all_quotes, label=label), shown=made.shown)

    assert plain.findings == as_sent.findings
    assert plain.spans == as_sent.verdict.spans
    assert plain.output == as_sent.verdict.output


@given(st.binary(max_size=60) | TEXTS.map(str.encode))
def test_what_is_no_object_is_judged_as_it_came(raw):
    """Nothing is repaired on the way."""
    of = job()
    made = built(of)

    assert not of.weigh(raw, made, "stop").accepted
