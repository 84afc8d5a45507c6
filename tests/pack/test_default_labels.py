"""A label set may say which of its labels is meant when no other fits."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from assay.adapters.folders import bundled_packs, read_pack_folder
from assay.adapters.models.extractive.model import ExtractiveModel
from assay.contract.build import build
from assay.contract.contract import Contract, judge
from assay.contract.contract_job import ContractJob
from assay.contract.material import Built, Material
from assay.core.json.canonical import digest
from assay.errors import PackError
from assay.flow.slots import fill_labels
from assay.gate.labels import LabelSet
from assay.pack.pack import Pack
from assay.pack.read import read_pack
from assay.protocols import ModelRequest, Parameters
from assay.redaction.redactor import Redactor
from tests.pack.small import FILES, small_pack

pytestmark = pytest.mark.clause("007-P5")

SET = "kind:\n  default: BAD\n  labels:\n    GOOD: it pleases\n    BAD: it does not\n"
LEXICON = "kind:\n  GOOD: [fine, splendid]\n"
MARK = "BAD: it does not (if no other label fits)"


def read(labels: str = SET, lexicon: str | None = LEXICON, **changes: str) -> Pack:
    return read_pack(small_pack(**{"labels.yaml": labels, "lexicon.yaml": lexicon, **changes}))


def said(pack: Pack, text: str, contract: str = "tell") -> dict[str, Any]:
    """What `extractive` answers about *text*."""
    job = ContractJob(
        contract=pack.contract(contract),
        material=Material(texts={"text": text}),
        redactor=Redactor(),
    )
    built = job.build(1, ())
    assert isinstance(built, Built)
    request = ModelRequest(
        prompt=built.prompt.text,
        prompt_sha256=digest(built.prompt.text),
        parameters=Parameters(temperature=0.0, max_output_tokens=900),
        plan=job.plan(built),
    )
    model = ExtractiveModel.create(embeddings=False)
    value: dict[str, Any] = json.loads(asyncio.run(model.complete(request)).text)
    return value


def prompt(contract: Contract) -> str:
    built = build(contract, Material(texts={"text": "x"}), 1, Redactor())
    assert isinstance(built, Built)
    return built.prompt.text


def test_prompts_mark_the_default_and_only_that():
    """Where the set is listed; the bytes of a set without a default stay."""
    marked, plain = (
        prompt(read().contract("tell")),
        prompt(read(FILES["labels.yaml"]).contract("tell")),
    )

    assert marked == plain.replace("BAD: it does not", MARK)
    assert 1 == marked.count("(if no other label fits)")


def test_a_default_without_a_description_is_marked_too():
    """A list of labels has no descriptions."""
    pack = read("kind: {default: BAD, labels: [GOOD, BAD]}\n")

    assert "GOOD\nBAD (if no other label fits)" in prompt(pack.contract("tell"))


def test_the_digest_of_a_contract_holds_the_default():
    """Another default is another contract; none is the contract that older records name."""
    other = SET.replace("default: BAD", "default: GOOD")
    digests = {read(text).contract("tell").digest for text in (SET, other, FILES["labels.yaml"])}

    assert 3 == len(digests)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("This is splendid.", "GOOD"),
        ("The train leaves at nine.", "BAD"),
        ("12 34", "BAD"),
    ],
)
@pytest.mark.parametrize("lexicon", [LEXICON, None])
def test_extractive_falls_back_on_it(text: str, label: str, lexicon: str | None):
    """What the lexicon finds decides; where it finds nothing, or there is none, the default."""
    expected = label if lexicon else "BAD"

    assert expected == said(read(lexicon=lexicon), text)["kind"]


def test_of_a_list_it_is_the_only_item():
    """Also where the list might be empty: nothing fits, and that is what the label says."""
    schema = {
        "type": "object",
        "required": ["kinds"],
        "properties": {"kinds": {"type": "array", "items": {"type": "string"}}},
    }
    pack = read(
        SET.replace("kind:\n", "kind:\n  multi: true\n"),
        **{
            "contracts/tell.yaml": 'template: tell\nlabels:\n  "/kinds/*": kind\n',
            "contracts/tell.schema.json": json.dumps(schema),
        },
    )

    assert ["BAD"] == said(pack, "The train leaves at nine.")["kinds"]
    assert ["GOOD"] == said(pack, "Fine, and splendid.")["kinds"]


@pytest.mark.parametrize(
    ("output", "code"),
    [
        ({"kind": "MIDDLING"}, "label.unknown"),
        ({"kind": "bad"}, "label.unknown"),
        ({"kind": ""}, "label.unknown"),
        ({"kind": None}, "label.unknown"),
        ({}, "schema.required"),
    ],
)
def test_the_gate_puts_nothing_in(output: dict[str, Any], code: str):
    """A default repairs no reply: each finding is the one of a set without a default."""
    reply = json.dumps({"confidence": 0.9, "quotes": ["x"], **output})
    verdicts = [
        judge(read(labels).contract("tell"), reply, sources={"text": "x"}, finish_reason="stop")
        for labels in (SET, FILES["labels.yaml"])
    ]

    assert code in {finding.code for finding in verdicts[0].findings}
    assert verdicts[0].findings == verdicts[1].findings


@pytest.mark.parametrize(
    ("labels", "lexicon", "line", "words", "hint"),
    [
        (SET.replace("default: BAD", "default: BADD"), None, 2, "no label of 'kind'", "'BAD'"),
        (SET.replace("default: BAD", 'default: ""'), None, 2, "no label of 'kind'", "known"),
        (SET.replace("default: BAD", "default: [BAD]"), None, 2, "default", ""),
        ("kind:\n  GOOD: a\n  BAD: b\n  default: BAD\n", None, 4, "written short", "labels:"),
        (SET, 'kind:\n  GOOD: ["*"]\n', 2, "the set's default is 'BAD'", "leave `*` away"),
    ],
)
def test_a_default_that_cannot_be_meant_is_a_fault(labels, lexicon, line, words, hint):
    """With its file and line."""
    with pytest.raises(PackError) as caught:
        read(labels, lexicon)

    assert ("lexicon.yaml" if lexicon else "labels.yaml", line) == (
        caught.value.file,
        caught.value.line,
    )
    assert words in str(caught.value)
    assert hint in caught.value.hint


@pytest.mark.parametrize("labels", [SET.replace("default: BAD", 'default: " BAD "'), SET])
def test_a_default_is_read_as_labels_are(labels: str):
    """Without white space around it; the lexicon may mark the same label."""
    pack = read(labels, 'kind:\n  BAD: ["*"]\n')

    assert "BAD" == pack.label_sets["kind"].default


def test_a_set_made_of_a_table_may_have_one():
    """One of its rows; another word is a fault."""
    tables = (
        "tables:\n  office:\n    file: data/offices.jsonl\n    key: [id]\n"
        "labels:\n  office: {table: office, label: id, text: [name], default: DEFAULT}\n"
    )
    data = {"data/offices.jsonl": '{"id": "a", "name": "A"}\n{"id": "none", "name": "no office"}\n'}
    right = read(**{"tables.yaml": tables.replace("DEFAULT", "none"), **data})

    assert "none" == right.label_sets["office"].default
    with pytest.raises(PackError, match="'nome' is no label of 'office'") as caught:
        read(**{"tables.yaml": tables.replace("DEFAULT", "nome"), **data})
    assert ("tables.yaml", 6) == (caught.value.file, caught.value.line)


def test_a_long_set_always_lists_its_default():
    """The others give way to it."""
    labels = {f"office-{at}": "pension" for at in range(500)} | {"none": "no office"}
    kept = LabelSet(name="office", labels=labels, default="none")
    filled = fill_labels(kept, 60, "labels.office", "Which pension?", "o200k_base")

    assert "none: no office (if no other label fits)" == filled.text.split("\n")[-1]
    assert "none" not in filled.omitted
    assert len(labels) == len(filled.text.split("\n")) + len(filled.omitted)


@pytest.mark.parametrize("name", bundled_packs())
def test_the_bundled_packs_say_nothing_new(name: str):
    """Their prompts are on record."""
    files, hint = read_pack_folder(name)

    assert all(one.default is None for one in read_pack(files, name_hint=hint).label_sets.values())
