"""Files become a pack, or an error with file and line."""

from __future__ import annotations

import json

import pytest

from assay.contract.contract import judge
from assay.errors import NotFoundError, PackError
from assay.pack.read import read_pack
from tests.pack.small import FILES, SCHEMA, small_pack

GOOD = json.dumps({"kind": "GOOD", "confidence": 0.9, "quotes": ["fine"]})


def test_a_pack_reads_into_contracts_with_everything_they_name():
    """Template, labels, evidence and rules arrive in the contract."""
    pack = read_pack(small_pack())
    contract = pack.contract("tell")

    assert ("small", "1.2.0", "text", ("tell",)) == (
        pack.name,
        pack.version,
        pack.source,
        pack.flow,
    )
    assert contract.reference == "small/tell"
    assert contract.version == "3"
    assert contract.template is not None
    assert list(contract.label_sets) == ["kind"]
    assert [rule.id for rule in contract.rules] == ["sure"]
    assert len(contract.checks) == 3
    assert judge(contract, GOOD, sources={"text": "all is fine"}).accepted


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "words"),
    [
        ("pack.yaml", "flow: [tell]", "flow: [tel]", 4, "'tel' does not exist"),
        ("pack.yaml", "flow: [tell]", "flow: stages.yaml", 4, "does not exist"),
        ("pack.yaml", "source: text", "source: letters", 3, "source"),
        ("pack.yaml", "source: text", "models: [gpt-*]", 3, "with each contract"),
        ("labels.yaml", "GOOD", "'': x\n    GOOD", 2, "no label, or an empty one"),
        ("labels.yaml", "  labels:", "  multy: true\n  labels:", 2, "'kind.multy' is not known"),
        (
            "labels.yaml",
            "  labels:",
            "  primary_priority: [GOOD, WORSE]\n  labels:",
            2,
            "'WORSE' is no label",
        ),
        ("contracts/tell.yaml", '"/kind": kind', '"/kind": kinds', 4, "'kinds' does not exist"),
        ("contracts/tell.yaml", '"/kind": kind', '"kind": kind', 4, "pattern"),
        ("contracts/tell.yaml", "template: tell", "template: told", 2, "'told' does not exist"),
        ("contracts/tell.yaml", "template: tell", "templat: tell", 2, "not known"),
        ("contracts/tell.yaml", "> 0.1", ">> 0.1", 10, "rule 'sure'"),
        ("contracts/tell.yaml", '"/quotes/*"', '"/quotes"', 6, "end it with /*"),
        ("contracts/tell.yaml", "version: 3", "schema: other.json", 1, "does not exist"),
        ("contracts/tell.yaml", "version: 3", "models: []", 1, "models"),
        ("contracts/tell.yaml", "version: 3", "checks: [mine]", 1, "not published"),
        ("contracts/tell.yaml", "version: 3", "attempts: []", 1, "attempts"),
        ("contracts/tell.yaml", "version: 3", "preamble: tell", 1, "no variables"),
        (
            "contracts/tell.yaml",
            "version: 3",
            "budget: {max_input_tokens: 0}",
            1,
            "max_input_tokens",
        ),
        ("contracts/tell.schema.json", '"string"', '"strung"', 11, "no valid schema"),
        ("contracts/tell.schema.json", '"required": [', '"required": [,', 4, "no strict JSON"),
        ("templates/tell.md", "version: 1", "version: one", 4, "version"),
        ("templates/tell.md", "{{schema}}", "{{schema", 8, "placeholder"),
        ("templates/tell.md", "labels.kind, ", "", 7, "'labels.kind' is not declared"),
    ],
)
def test_a_fault_has_file_and_line(file, old, new, line, words):
    """Whatever is wrong is told where it stands, and nothing is read half."""
    text = FILES[file].replace(old, new, 1)
    with pytest.raises(PackError) as caught:
        read_pack(small_pack(**{file: text}))

    assert (file, line) == (caught.value.file, caught.value.line)
    assert words in str(caught.value)


def test_a_template_that_lists_an_unknown_set_is_the_contracts_fault():
    """The contract names the template, and the set has to come from somewhere."""
    text = FILES["templates/tell.md"].replace("labels.kind", "labels.mood")
    with pytest.raises(PackError) as caught:
        read_pack(small_pack(**{"templates/tell.md": text}))

    assert "contracts/tell.yaml:2: its template lists label set 'mood'" in str(caught.value)


@pytest.mark.parametrize("name", ["pack.yml", "labels.yml", "lexicon.yml", "stages.yml"])
def test_a_file_with_another_ending_is_not_passed_over(name):
    """A label file that nobody reads would leave every label unchecked."""
    with pytest.raises(PackError) as caught:
        read_pack(small_pack(**{name: "{}"}))

    assert name == caught.value.file


@pytest.mark.parametrize(
    "files",
    [
        {"contracts/only.schema.json": SCHEMA},
        {"only.schema.json": SCHEMA},
        {"contracts/only.yaml": {"schema": "shape.json"}, "contracts/shape.json": SCHEMA},
        {"only.yaml": {"models": ["*"]}, "only.schema.json": SCHEMA},
        {"pack.yaml": {"name": "p", "flow": ["only"]}, "contracts/only.schema.json": SCHEMA},
        {"pack.yaml": {}, "contracts/only.schema.json": SCHEMA},
        {"only.schema.json": {}, "broken.json": "{"},
    ],
)
def test_a_contract_may_be_as_small_as_one_schema(files):
    """Template, labels, evidence and rules are optional for `assay gate`."""
    raw = {
        name: (value if isinstance(value, str) else json.dumps(value)).encode()
        for name, value in files.items()
    }
    contract = read_pack(raw, name_hint="my folder").contract("only")

    assert judge(contract, GOOD).accepted
    assert not judge(contract, "{").accepted


def test_a_folder_without_any_contract_is_refused():
    """An empty policy is an error, not a pack that accepts everything."""
    with pytest.raises(PackError, match="and no contract"):
        read_pack({"readme.txt": b"hello"}, name_hint="odd")


def test_an_unknown_contract_is_answered_with_a_near_miss():
    """The hint names what there is."""
    with pytest.raises(NotFoundError) as caught:
        read_pack(small_pack()).contract("tel")

    assert caught.value.hint == "did you mean 'tell'?"


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("contracts/tell.yaml", "version: 3", "version: 4"),
        ("contracts/tell.yaml", "> 0.1", "> 0.2"),
        ("contracts/tell.yaml", 'required: [""]', "required: []"),
        ("contracts/tell.yaml", "version: 3", "models: [gpt-*]\nversion: 3"),
        ("contracts/tell.yaml", "version: 3", "refusals: [Nein]\nversion: 3"),
        ("contracts/tell.yaml", "version: 3", "budget: {max_output_tokens: 1}\nversion: 3"),
        ("contracts/tell.yaml", "version: 3", "attempts: [{}]\nversion: 3"),
        ("contracts/tell.schema.json", '"maxLength": 200', '"maxLength": 201'),
        ("labels.yaml", "it pleases", "it pleases me"),
        ("labels.yaml", "GOOD", "FINE"),
        ("templates/tell.md", "{{schema}}\n", "{{schema}} \n"),
        ("pack.yaml", "name: small", "name: other"),
    ],
)
def test_the_contracts_digest_covers_everything_it_consists_of(file, old, new):
    """Two contracts with one digest ask the same and accept the same."""
    text = FILES[file].replace(old, new, 1)
    assert text != FILES[file]
    changed = read_pack(small_pack(**{file: text}))

    assert read_pack(small_pack()).contract("tell").digest != changed.contract("tell").digest


def test_what_does_not_shape_a_contract_leaves_its_digest_alone():
    """Comments and files beside it; the pack's own digest covers those."""
    first = read_pack(small_pack())
    second = read_pack(
        small_pack(**{"README.md": "hello", "labels.yaml": "# new\n" + FILES["labels.yaml"]})
    )

    assert first.contract("tell").digest == second.contract("tell").digest
    assert first.digest != second.digest


def test_a_lexicon_may_speak_only_of_labels_that_exist():
    """A phrase for a label that is gone would never be found again."""
    good = read_pack(
        small_pack(**{"lexicon.yaml": "kind:\n  GOOD: [well done]\n  BAD: {patterns: [no+]}\n"})
    )
    assert good.contract("tell").lexicon["kind"]["GOOD"].phrases == ("well done",)
    assert good.contract("tell").lexicon["kind"]["BAD"].patterns == ("no+",)
    with pytest.raises(PackError) as caught:
        read_pack(small_pack(**{"lexicon.yaml": "kind:\n  GOOD: [a]\n  UGLY: [b]\n"}))

    assert ("lexicon.yaml", 3) == (caught.value.file, caught.value.line)


def test_a_pack_adds_redaction_classes_but_cannot_take_over_one_that_exists():
    """A class whose name exists already is refused."""
    text = FILES["pack.yaml"] + "redaction:\n  classes:\n    - {name: CASE, pattern: 'C-[0-9]+'}\n"
    assert [
        added.name for added in read_pack(small_pack(**{"pack.yaml": text})).redaction_classes
    ] == ["CASE"]
    with pytest.raises(PackError) as caught:
        read_pack(small_pack(**{"pack.yaml": text.replace("CASE", "EMAIL")}))

    assert ("pack.yaml", 7) == (caught.value.file, caught.value.line)
