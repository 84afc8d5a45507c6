"""`docs/reference/packs.md` names every key, and its examples are one pack that is read."""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.pack import forms, stages, tables
from assay.pack.forms import Form
from assay.pack.read import read_pack

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "packs.md"
TEXT = PAGE.read_text(encoding="utf-8")


def examples() -> dict[str, str]:
    """First key of each YAML block -> the block."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return {block.partition(":")[0]: block for block in blocks}


def forms_in(form: type[Form]) -> Iterator[type[Form]]:
    yield form
    waiting = [field.annotation for field in form.model_fields.values()]
    while waiting:
        kind = waiting.pop()
        waiting += typing.get_args(kind)
        if isinstance(kind, type) and issubclass(kind, Form):
            yield from forms_in(kind)


@pytest.mark.parametrize(
    "form",
    [
        forms.PackForm,
        forms.LabelSetForm,
        forms.LexiconForm,
        forms.ContractForm,
        tables.TablesForm,
        stages.StagesForm,
    ],
)
def test_every_key_of_a_file_stands_on_the_page(form):
    """A key that is added and not documented is found here."""
    keys = {
        field.alias or name for one in forms_in(form) for name, field in one.model_fields.items()
    }
    said = set(re.findall(r"[A-Za-z_]+", " ".join(re.findall(r"`[^`\n]+`", TEXT))))

    assert set() == keys - said


def schema(**properties: object) -> bytes:
    declared = {"type": "object", "properties": properties, "required": [*properties]}
    return json.dumps(declared).encode()


def lines(*rows: dict[str, object]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def template(name: str, *slots: str) -> bytes:
    listed = "".join(f"\n  - input.{slot}" for slot in slots)
    body = "\n".join(f"{{{{input.{slot}}}}}" for slot in slots)
    return (
        f"---\nname: {name}\nrole: writer\nversion: 1\nvariables:{listed}\n---\n{body}\n".encode()
    )


def test_the_examples_are_one_pack_that_holds():
    """Tables, rules over them, ways, slots and turn_rules, as they are printed."""
    yaml = examples()
    text = {"type": "string"}
    pick = "".join(yaml[name] for name in ("members", "mentions", "placeholders"))
    pack = read_pack(
        {
            "pack.yaml": b"name: library\nflow: stages.yaml\n",
            "stages.yaml": yaml["start"].encode(),
            "tables.yaml": yaml["tables"].encode(),
            "data/branches.jsonl": lines({"branchId": "n", "name": "North"}),
            "data/books.jsonl": lines(
                {"bookId": "b1", "branchId": "n", "title": "Bees", "subjects": ["bee-keeping"]}
            ),
            "contracts/ask.yaml": f"template: ask\n{yaml['ways']}".encode(),
            "contracts/ask.schema.json": schema(
                branches={"type": "array"}, nextStep={"enum": ["pick", "session_end"]}
            ),
            "contracts/pick.yaml": f"template: pick\n{pick}".encode(),
            "contracts/pick.schema.json": schema(
                assistantReply=text, nextStep={"enum": ["session_end"]}
            ),
            "templates/ask.md": template("ask", "user_prompt", "chat_context_summary"),
            "templates/pick.md": template("pick", "user_prompt", "cached_state", "shelf"),
        }
    )

    assert {"branch", "book", "subject"} == set(pack.tables)
    assert ("bee keeping", "North") == tuple(
        pack.tables["book"].rows[0][column] for column in ("topics", "branch")
    )
    assert {"/branches": ["n"], "/nextStep": "session_end"} == pack.contract("ask").ways[1]
    assert 4 == len(pack.contract("pick").extra)
    assert pack.stages is not None
    assert (10, 200, 500, 6) == (
        pack.stages.turn_rules.summary_items,
        pack.stages.turn_rules.summary_chars,
        pack.stages.turn_rules.max_message_tokens,
        pack.stages.turn_rules.max_steps,
    )
