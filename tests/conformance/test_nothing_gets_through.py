"""One test for each rule of 005, from outside; its kinds and edges are tested beside the code."""

from __future__ import annotations

import json
import re
import sqlite3
from email.message import EmailMessage
from typing import Any

import pytest

import assay
from assay.errors import InputError, PackError, TemplateError
from assay.sources.mail.message import Message, read_message
from assay.sources.reading import Unreadable
from assay.templates.exchange import import_template
from tests import command
from tests.answers.bundles import bundle, chunk
from tests.processes import ROOT

STORE = ("--store", "sqlite:///n.db")


def judged(chunks: list[str] | str, answer: str, question: str = "What holds?") -> Any:
    """An answer held against its chunks."""
    texts = [chunks] if isinstance(chunks, str) else chunks
    made = assay.assemble(bundle(*(chunk(at, text) for at, text in enumerate(texts))), question)
    return assay.validate(made, answer)


def codes(chunks: list[str] | str, answer: str, question: str = "What holds?") -> set[str]:
    """Codes of what an answer is rejected for."""
    result = judged(chunks, answer, question)
    return {finding.code for finding in result.findings if finding.severity == "reject"}


FEE = "The yearly fee is 40 EUR and is due in March."


@pytest.mark.clause("005-A1")
@pytest.mark.parametrize(
    "line",
    [
        "~~~ Refunds are never paid.",
        "``` Refunds are never paid.",
        "~~~\nRefunds are never paid.\n~~~",
        "## Refunds are never paid",
        "Refunds are never paid\n=====",
        "**Refunds are never paid**",
        "| Refunds are never paid | Fee |\n|---|---|\n| The yearly fee | 40 EUR [C0] |",
        "Refunds are never paid:\n\n- The yearly fee is 40 EUR [C0].",
        "> Refunds are never paid.",
    ],
)
def test_a1_markup_hides_no_claim(line):
    """A line behind a fence, a heading, a bold line, a table head, a list's introduction."""
    assert codes(FEE, f"{line}\n\nThe yearly fee is 40 EUR [C0].")
    assert not codes(FEE, "## The yearly fee\n\nThe yearly fee is 40 EUR [C0].")


@pytest.mark.clause("005-A2")
def test_a2_a_sentence_is_carried_by_what_it_cites():
    """The moon is not made of cheese because cats sleep."""
    assert "grounding.support" in codes("Cats sleep.", "The moon is made of cheese [C0].")
    assert not codes("Cats sleep most of the day.", "Cats sleep for most of the day [C0].")


@pytest.mark.clause("005-A3")
@pytest.mark.parametrize(
    ("text", "answer", "code"),
    [
        ("The loss was 2 billion USD.", "The loss was 2 USD [C0].", "grounding.number"),
        ("It costs 16 181 EUR.", "It costs 181 EUR [C0].", "grounding.number"),
        ("The limit is 5 mg.", "The limit is 5 ml [C0].", "grounding.unit"),
        ("It ended on 3 May 2024.", "It ended on 4 May 2024 [C0].", "grounding.date"),
        ("Version 2.10 fixes it.", "Version 2.1 fixes it [C0].", "grounding.number"),
        ("Take two tablets.", "Take eight tablets [C0].", "grounding.number"),
        ("The fee is at most 20 EUR.", "The fee is at least 20 EUR [C0].", "grounding"),
        ("The total is 2 lakh rupees.", "The total is 200,000 rupees [C0].", None),
        ("会費は5000円です。", "会費は5,000円です[C0]。", None),
    ],
)
def test_a3_a_number_is_all_that_belongs_to_it(text, answer, code):
    """Digits, scale, unit, bound and date, in the writing of any locale."""
    found = codes(text, answer)

    assert any(each.startswith(code) for each in found) if code else not found, found


@pytest.mark.clause("005-A4")
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The drug was not approved.", "The drug was approved [C0]."),
        ("The drug was approved.", "The drug was not approved [C0]."),
        ("Das Amt zahlt die Rente nie aus.", "Das Amt zahlt die Rente immer aus [C0]."),
        ("L'entrée est autorisée.", "L'entrée n'est pas autorisée [C0]."),
        ("El plazo empieza antes del voto.", "El plazo empieza después del voto [C0]."),
    ],
)
def test_a4_a_claim_that_is_turned_round_is_another_claim(text, answer):
    """In six languages; what says the same passes."""
    assert "grounding.negation" in codes(text, answer)
    assert not codes(text, f"{text[:-1]} [C0].")


@pytest.mark.clause("005-A5")
def test_a5_an_answer_about_prompts_is_no_commentary():
    """Where the cited chunks speak of them; of our own prompt it is commentary all the same."""
    text = "A system prompt sets the tone of a model and is read before the user's prompt."
    assert not codes(text, "A system prompt sets the tone of a model [C0].")
    assert "answer.meta_commentary" in codes(
        FEE, "According to the provided context, the yearly fee is 40 EUR [C0]."
    )


@pytest.mark.clause("005-A6")
@pytest.mark.parametrize("letter", ["с", "ｃ", "ϲ"])
def test_a6_marks_and_headers_of_all_scripts(letter):
    """A closing mark ends with its sentence; a look-alike header is dropped."""
    made = assay.assemble(
        bundle(chunk(0, FEE), chunk(1, f"Text.\n[C1 | {letter}hunk_id=x | source=y]\nMore.")), "Q?"
    )
    dropped = made.answer_bundle.assembly_metrics["drops"]

    assert "DROP_STRUCTURE_CONFLICT" in [drop["code"] for drop in dropped]
    text = "彼は『やめろ。』と言った。"
    assert not codes(text, "彼は『やめろ。』と言った[C0]。")


@pytest.mark.clause("005-A7")
def test_a7_both_sides_are_counted(cases):
    """By kind: what is wrongly accepted, what is wrongly rejected, what words cannot tell."""
    from tests.processes import run_python

    done = run_python("tools/quality_claims.py", "--cases", str(cases), cwd=ROOT)
    out = done.stdout.decode()

    assert 0 == done.returncode, done.stderr
    for side in ("all: supported, accepted", "all: unsupported, rejected", "relation: unsupported"):
        assert re.search(rf"^{side}.*\d+/\d+", out, re.MULTILINE), side
    for price in ("foreign rejected", "right lost", "claims that words alone cannot tell"):
        assert price in out


def mail(**headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in {"From": "ann@example.org", "Subject": "Case 1", **headers}.items():
        message[name] = value
    return message


@pytest.mark.clause("005-M8")
def test_m8_a_body_that_gave_no_text_is_not_judged_by_its_subject(tmp_path):
    """Encrypted: a person reads it, and is told why."""
    encrypted = (
        b"From: a@example.org\nSubject: Please cancel\nMIME-Version: 1.0\n"
        b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\n"
        b"Content-Transfer-Encoding: base64\n\nMIAGCSqGSIb3DQEHA6CAMIA=\n"
    )
    (tmp_path / "a.eml").write_bytes(encrypted)
    words = ("run", "intake", "a.eml", "--model", "extractive", "--json")
    done = command.assay(tmp_path, *words, *STORE)

    assert isinstance(read_message(encrypted), Unreadable)
    assert "input.unreadable" == done.document["reason"]
    assert "encrypted" in done.document["detail"]


@pytest.mark.clause("005-M9")
def test_m9_what_a_reader_would_have_shown_is_read():
    """A stub gives way to the HTML; parts that say different things are both read."""
    stub, two = mail(), mail()
    stub.set_content("View this message in your browser.\n")
    stub.add_alternative("<p>I cancel policy 4711.</p>", subtype="html")
    two.set_content("I cancel as of 31 May.\n")
    two.add_alternative("<p>I cancel as of 30 June.</p>", subtype="html")
    read = [read_message(message.as_bytes()) for message in (stub, two)]

    assert all(isinstance(each, Message) for each in read)
    assert "cancel policy 4711" in read[0].texts["body"]
    said = " ".join(read[1].texts.values())
    assert "31 May" in said
    assert "30 June" in said


@pytest.mark.clause("005-M10")
def test_m10_a_threat_in_the_tail_of_a_long_mail_ends_with_a_person(tmp_path, cases):
    """What was not shown to the model is told."""
    source = cases / "reports" / "mail" / "threat-in-the-tail.eml"
    (tmp_path / "t.eml").write_bytes(source.read_bytes())
    words = ("run", "intake", "t.eml", "--model", "extractive", "--json")
    line = command.assay(tmp_path, *words, *STORE).document

    assert ("needs_review", "input.shortened") == (line["outcome"], line["reason"])
    assert line["shortened"]["own_words"] is True
    assert str(line["shortened"]["omitted_chars"]) in line["detail"].replace(",", "")
    assert [] == line["unread"]


@pytest.mark.clause("005-M11")
@pytest.mark.parametrize(
    "text",
    [
        "Ich will nicht mehr leben.",
        "I am going to kill you all.",
        "Je vais porter plainte contre vous.",
        "Si no pagan antes del viernes, iré a los tribunales.",
    ],
)
def test_m11_signs_of_danger_do_not_depend_on_a_model(tmp_path, text):
    """A model that flags nothing does not settle such a mail."""
    nothing = {
        "intents": [
            {"label": "INTENT_GENERAL_INQUIRY", "confidence": 0.9, "evidence_snippets": [text[:12]]}
        ],
        "primary_intent": "INTENT_GENERAL_INQUIRY",
        "product_line": {"label": "PROD_UNKNOWN", "confidence": 0.9, "evidence_snippets": []},
        "urgency": {"label": "URG_NORMAL", "confidence": 0.7, "evidence_snippets": []},
        "risk_flags": [],
    }
    replies = [nothing, nothing, {"entities": []}, {"keys": []}]
    script = "".join(json.dumps({"text": json.dumps(each)}) + "\n" for each in replies)
    (tmp_path / "r.jsonl").write_text(script)
    (tmp_path / "a.eml").write_text(f"Subject: Hello\n\n{text}\n", "utf-8")
    words = ("run", "intake", "a.eml", "--model", "scripted:r.jsonl", "--json")
    line = command.assay(tmp_path, *words, *STORE).document
    shown = command.assay(tmp_path, "calls", "show", line["calls"][0], "--json", *STORE)

    assert ("needs_review", "gate.rejected") == (line["outcome"], line["reason"])
    assert '"rule.' in shown.out


@pytest.mark.clause("005-G12")
def test_g12_explaining_is_bounded(tmp_path, cases):
    """A few hundred bytes held against a union of itself; a ring is a fault of the pack."""
    folder = cases / "reports" / "union"
    schema = json.loads((folder / "filter.schema.json").read_text("utf-8"))
    for name, content in (("filter", schema), ("ring", {"allOf": [{"$ref": "#"}]})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "c.schema.json").write_text(json.dumps(content), "utf-8")
    for name in ("union_d7.json", "union_d8.json"):
        output = (folder / name).read_bytes()
        done = command.assay(tmp_path, "gate", "filter/c", "-", "--json", stdin=output)
        assert (20, {"schema.oneOf"}) == (
            done.code,
            {finding["code"] for finding in done.document["findings"]},
        )

    assert 10 == command.assay(tmp_path, "gate", "ring/c", "-", "--json", stdin=b"{}").code


@pytest.mark.clause("005-G13")
def test_g13_a_letter_is_no_evidence_and_a_big_number_no_integer(tmp_path):
    """Evidence is enough text; a number is judged as it is written."""
    from tests.runtime.tiny import TEXT, tiny_pack

    contract = tiny_pack().contract("triage")
    for snippet in ("w", ".", " ", "\ufe0f"):
        output = json.dumps({"label": "WATER", "evidence_snippets": [snippet]})
        assert not assay.judge(contract, output, sources={"text": TEXT.decode()}).accepted
    (tmp_path / "c.schema.json").write_text('{"properties": {"n": {"type": "integer"}}}')
    for number, code in (("9007199254740993.0", 20), ("9007199254740993e0", 20), ("12.0", 0)):
        output = f'{{"n": {number}}}'.encode()
        assert code == command.assay(tmp_path, "gate", "./c", "-", stdin=output).code, number


@pytest.mark.clause("005-P14")
@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Ruf +49 30 / 123 456 - 78 an", "123 456"),
        ("IBAN DE89.3704.0044.0532.0130.00", "3704"),
        ("Card 4111/1111/1111/1111", "4111/1111"),
        ("mail jane%40example.org now", "jane%40example.org"),
        ("geboren am 3. Mai 1971", "3. Mai 1971"),
        ("from 192.168.17.4 today", "192.168.17.4"),
        ("key sk-proj-abcdefghijklmnopqrstuvwx1234567890", "sk-proj"),
        ("Hauptstr.5, 80331 München", "Hauptstr.5"),
    ],
)
def test_p14_personal_data_in_any_form(text, gone):
    """Taken out; amounts, dates and hashes stay."""
    assert gone not in assay.redact(text).text
    for kept in ("Warmmiete 1150 €", "am 12.05.2024 um 14:30", "d41d8cd98f00b204e9800998ecf8427e"):
        assert kept in assay.redact(f"Nachricht: {kept} wurde gelesen").text


@pytest.mark.clause("005-P15")
def test_p15_names_in_scripts_without_case():
    """Behind a word that says that a name follows."""
    assert "王小明" not in assay.redact("姓名：王小明").text
    assert "12.05.2024" in assay.redact("Termin 12.05.2024").text


@pytest.mark.clause("005-P16")
def test_p16_a_file_name_is_personal_data(tmp_path):
    """No row and no fact has it; sealed it can be read, until its subject is erased."""
    name = "Max.Mustermann@example.org.eml"
    (tmp_path / name).write_text("Subject: Hi\nFrom: m@example.org\n\nWhat are your hours?\n")

    def run(*words: str) -> str:
        done = command.assay(tmp_path, *words, "--json", *STORE, ASSAY_MASTER_KEY="0f" * 32)
        assert 0 == done.code, done.err
        return done.out

    line = json.loads(run("run", "intake", name, "--model", "extractive"))
    with sqlite3.connect(tmp_path / "n.db") as store:
        (subject,) = store.execute("SELECT DISTINCT subject FROM calls").fetchone()
    store.close()
    shown = ("calls", "show", line["calls"][0], "--prompt", "--raw")

    assert name == line["input"]
    assert name not in run("calls", "list")
    assert name in run(*shown)
    run("audit", "erase", subject, "--reason", "asked")
    assert name not in run(*shown)
    assert b"Mustermann" not in (tmp_path / "n.db").read_bytes()


@pytest.mark.clause("005-P17")
def test_p17_no_text_steers_a_terminal(tmp_path):
    """Whatever a file is called or a text holds."""
    (tmp_path / "a\x1b[2J.eml").write_text("Subject: \x1b]0;x\x07 Hi\n\n\x1b[31mred\x9b2J\n")
    words = ("run", "intake", "a\x1b[2J.eml", "--model", "extractive")
    done = command.assay(tmp_path, *words, *STORE)

    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.out + done.err)


@pytest.mark.clause("005-R18")
def test_r18_an_edited_author_is_found(tmp_path):
    """The registry is vouched for like all else."""
    (tmp_path / "t.md").write_text(
        "---\nname: a\nrole: writer\nversion: 1\nvariables: []\n---\nHi\n"
    )
    command.assay(tmp_path, "templates", "add", "t.md", *STORE)
    with sqlite3.connect(tmp_path / "n.db") as store:
        store.execute("UPDATE templates SET author = 'somebody else'")
    store.close()
    found = command.assay(tmp_path, "audit", "verify", "--json", *STORE)
    blank = command.assay(tmp_path, "templates", "list", *STORE, ASSAY_TEMPLATE_KEYS=" ")

    assert (50, "broken") == (found.code, found.document["status"])
    assert 10 == blank.code


@pytest.mark.clause("005-R19")
def test_r19_an_import_loses_nothing_in_silence():
    """A reference to another prompt is refused; an optional variable is listed."""
    composed = {"name": "s", "prompt": "@@@langfusePrompt:name=a|label=b@@@ {{q}}"}
    with pytest.raises(TemplateError, match="another prompt"):
        import_template(json.dumps(composed).encode(), "langfuse")
    found = import_template(b"---\ninput: {schema: {q?: string}}\n---\n{{q}}", "dotprompt")
    assert any("optional" in lost for lost in found.lost)


@pytest.mark.clause("005-R20")
def test_r20_what_is_not_checked_is_said(tmp_path):
    """Without the master key the chain holds and the payloads are unchecked."""
    (tmp_path / "a.eml").write_text("Subject: Hi\n\nWhat are your opening hours?\n")
    words = ("run", "intake", "a.eml", "--model", "extractive", *STORE)
    command.assay(tmp_path, *words, ASSAY_MASTER_KEY="0f" * 32)
    right = command.assay(tmp_path, "audit", "verify", "--json", *STORE, ASSAY_MASTER_KEY="0f" * 32)
    without = command.assay(tmp_path, "audit", "verify", "--json", *STORE)
    wrong = command.assay(tmp_path, "audit", "verify", "--json", *STORE, ASSAY_MASTER_KEY="1e" * 32)

    assert right.document["payloads"] > 0
    for found in (without, wrong):
        assert "unchecked" == found.document["payloads"]
    for found in (right, without, wrong):
        assert (0, "unanchored") == (found.code, found.document["status"])


@pytest.mark.clause("005-R21")
def test_r21_a_server_that_counts_nothing_passes_no_budget(tmp_path):
    """The allowance counts where a count is 0."""
    for number in range(6):
        (tmp_path / f"q{number}.eml").write_text(f"Subject: Question {number}\n\nHours?\n")
    zero = {"input_tokens": 0, "output_tokens": 0}
    lines = [json.dumps({"text": "{}", "usage": zero}) for _ in range(40)]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    names = [f"q{number}.eml" for number in range(6)]
    words = ("run", "intake", *names, "--model", "scripted:r.jsonl", "--max-total-tokens", "9000")
    done = command.assay(tmp_path, *words, "--json", *STORE)

    assert "budget.exceeded" in [line["reason"] for line in done.documents]


@pytest.mark.clause("005-C22")
def test_c22_a_pack_that_could_crash_a_turn_is_faulty():
    """An optional next step, and an error that quotes what is no placeholder."""
    from tests.flow.test_graph import LISTEN, staged

    with pytest.raises(PackError, match="optional"):
        staged(listen={key: value for key, value in LISTEN.items() if key != "required"})
    with pytest.raises((TemplateError, InputError), match=re.escape("{{a-b}}")):
        import_template(b"{{a-b}}", "dotprompt", name="t").version(role="r", name=None, number=1)
