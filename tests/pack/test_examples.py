"""`examples.yaml`: what may stand there, and that the contract's digest covers it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import PackError
from assay.gate.labels import LabelSet
from assay.pack.document import read_yaml
from assay.pack.examples import EXAMPLES, read_examples
from assay.pack.read import read_pack

SETS = {"topic": LabelSet(name="topic", labels={"WATER": "", "FIRE": ""})}
FILES = {
    "pack.yaml": b"name: p\nversion: 1.0.0\nsource: text\nflow: [sort]\n",
    "labels.yaml": b"topic: {WATER: wet, FIRE: hot}\n",
    "contracts/sort.schema.json": b'{"type": "object", "additionalProperties": false,'
    b' "required": ["topic"], "properties": {"topic": {"type": "string"}}}',
    "contracts/sort.yaml": b"template: sort\nschema: sort.schema.json\nlabels: {/topic: topic}\n",
    "templates/sort.md": b"---\nrole: sort\nname: sort\nversion: 1\nvariables: [text]\n---\n"
    b"{{text}}\n",
}


def read(text: str):
    return read_examples(read_yaml(EXAMPLES, text.encode()), SETS)


@pytest.mark.clause("008-L1")
def test_sentences_stand_under_set_and_label():
    """Each once, without white space around it; those that carry none under a star."""
    found = read('topic:\n  WATER: [" wet ", wet, rain]\n  "*": [Hello]\n')

    assert {"topic": {"WATER": ("wet", "rain"), "*": ("Hello",)}} == found


@pytest.mark.clause("008-L1")
@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("colour:\n  RED: [a]\n", 1, "'colour' does not exist"),
        ("topic:\n  WATRE: [a]\n", 2, "'WATRE' is not in set"),
        ("topic:\n  WATER: wet\n", 2, "must be a list"),
        ("topic:\n  WATER:\n    - a\n    - 3\n", 4, "must be a sentence"),
        ("topic:\n  WATER: ['']\n", 2, "must be a sentence"),
        ("topic: [a]\n", 1, "must be a mapping"),
        ("topic:\n  WATER: ['" + "x" * 4001 + "']\n", 2, "longer than 4000"),
    ],
)
def test_what_teaches_nothing_is_refused_with_its_line(text, line, what):
    """A set or label that does not exist, an empty or endless example."""
    with pytest.raises(PackError, match=what) as caught:
        read(text)

    assert (EXAMPLES, line) == (caught.value.file, caught.value.line)


@pytest.mark.clause("008-L1")
def test_the_contract_covers_its_examples():
    """Other examples, another digest; without any the digest is what it was."""
    plain = read_pack(FILES).contract("sort").digest
    empty = read_pack({**FILES, EXAMPLES: b""}).contract("sort").digest
    digests = {
        read_pack({**FILES, EXAMPLES: f"topic: {{WATER: [{word}]}}".encode()})
        .contract("sort")
        .digest
        for word in ("wet", "rain")
    }

    assert plain == empty
    assert 3 == len({plain, *digests})


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=60))
def test_any_text_reads_or_is_refused(text):
    """Nothing but a fault of the pack is raised."""
    try:
        found = read(text)
    except PackError:
        return
    assert set(found) <= set(SETS)
