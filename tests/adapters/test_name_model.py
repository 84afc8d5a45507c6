"""A model for names beside Presidio: by folder, by package, and a fault when it is none."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters.name_model import NameModel
from assay.adapters.presidio import PresidioRecogniser
from assay.errors import ExecutionError, UsageError
from assay.redaction.redactor import Redactor
from assay.wiring.packs import redactor_for
from assay.wiring.settings import Settings
from tests.command import assay
from tests.parts import require_part
from tests.runtime.tiny import GOOD, script, write_pack

NAMES = ("Rubija Kettu", "Sabine", "Odo")
TEXT = "Yesterday Sabine met Rubija Kettu, and jane@example.com wrote on 12.05.2024 14:30."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model that knows three names, on disk as spaCy writes it."""
    [_] = require_part("presidio", "presidio_analyzer")
    import spacy

    place = tmp_path_factory.mktemp("models") / "names"
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": name} for name in NAMES])
    ruler.add_patterns([{"label": "GPE", "pattern": "Berlin"}])
    pipeline.to_disk(place)
    return place


@pytest.fixture(scope="module")
def with_names(folder):
    return Redactor(recognisers=(PresidioRecogniser.create(model=str(folder)),))


def found(redactor, text):
    return [(s.cls, text[s.start : s.stop]) for s in redactor.redact(text).spans]


@pytest.mark.clause("005-P15")
def test_names_in_running_text_are_found_and_days_are_no_telephones(with_names):
    """Beside what the rules found; a day with a time of day stands."""
    assert [
        ("SIMPLE_NAME", "Sabine"),
        ("SIMPLE_NAME", "Rubija Kettu"),
        ("EMAIL", "jane@example.com"),
    ] == found(with_names, TEXT)


@pytest.mark.clause("005-P15")
@pytest.mark.parametrize(
    "day",
    [
        "12.05.2024",
        "12.05.2024 14:30",
        "2024-05-12T10:11:12",
        "12 May 2024",
        "May 12, 2024 10:30",
        "05 12 2024",
        "2024 05 12",
        "24.12.2023 18 Uhr",
        "18.03.2021 10 11 12",
        "12.5.2024 - 14.5.2024",
        "12. 05. 2024",
        "3 5 2024",
        "31-12-24",
        "2024/05/12",
        "Az. 12 O 345/23",
    ],
)
def test_a_day_is_neither_telephone_nor_identifier(day, with_names):
    """Whatever a pattern of another program makes of its digits."""
    assert [] == found(with_names, f"It was {day}")


@pytest.mark.clause("005-P15")
def test_a_model_by_package_finds_the_same(folder, tmp_path, monkeypatch, with_names):
    """An installed package that holds a model is named by its name."""
    package = tmp_path / "own_names"
    (tmp_path / "own_names-1.0.dist-info").mkdir()
    (tmp_path / "own_names-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: own_names\nVersion: 1.0\n"
    )
    package.mkdir()
    meta = json.loads((folder / "meta.json").read_text())
    (package / "meta.json").write_text(json.dumps(meta | {"version": "1.0"}))
    inner = package / f"{meta['lang']}_{meta['name']}-1.0"
    inner.mkdir()
    for file in folder.rglob("*"):
        target = inner / file.relative_to(folder)
        if file.is_dir():
            target.mkdir(exist_ok=True)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    (package / "__init__.py").write_text(
        "from spacy.util import load_model_from_init_py\n"
        "def load(**how):\n    return load_model_from_init_py(__file__, **how)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    named = Redactor(recognisers=(PresidioRecogniser.create(model="own_names"),))

    assert found(with_names, TEXT) == found(named, TEXT)
    sys.modules.pop("own_names", None)


_PIECES = st.sampled_from(
    [
        *NAMES,
        "jane@example.com",
        " ",
        "\n",
        ", ",
        "Odo",
        "\0",
        "\ud800",
        "+49 30 901820",
        "Berlin",
        "ﬁ",
        "Name: ",
    ]
)


@settings(deadline=None, max_examples=80)
@given(st.lists(_PIECES, max_size=12).map("".join))
def test_with_a_model_redacting_twice_changes_nothing(with_names, text):
    """It reads a surrogate as it read the value that stood there."""
    once = with_names.redact(text)

    assert (once.text, ()) == (
        with_names.redact(once.text).text,
        with_names.redact(once.text).spans,
    )


@pytest.mark.clause("005-P15")
def test_long_texts_are_read_in_parts_and_offsets_lead_back(folder):
    """Names behind the first part, and behind what was taken, are found where they stand."""
    text = "word " * 30_000 + "\0" * 40 + " Rubija Kettu"

    assert [text.index("Rubija")] == [start for start, _ in NameModel.load(str(folder))(text)]


@pytest.mark.clause("005-P15")
@pytest.mark.parametrize("which", ["nowhere", "empty", "nameless"])
def test_a_model_that_is_none_is_a_fault_of_the_set_up(folder, tmp_path, which):
    """It ends the command with 40, before anything is read; nothing passes unlooked at."""
    import spacy

    (tmp_path / "empty").mkdir()
    spacy.blank("en").to_disk(tmp_path / "nameless")
    reference = which if which == "nowhere" else str(tmp_path / which)
    environ = {"ASSAY_RECOGNISER": "presidio", "ASSAY_RECOGNISER_MODEL": reference}

    with pytest.raises(ExecutionError, match="model"):
        redactor_for(None, Settings.from_environment(environ))
    done = assay(tmp_path, "redact", stdin=TEXT.encode(), **environ)
    told = assay(tmp_path, "doctor", "--json", **environ)

    assert (40, b"") == (done.code, done.raw)
    assert "ASSAY_RECOGNISER_MODEL" in done.err
    [row] = [each for each in told.document["checks"] if each["what"] == "recogniser"]
    assert (40, "broken") == (told.code, row["state"])


@pytest.mark.clause("005-P15")
def test_a_model_without_a_recogniser_is_a_fault(tmp_path):
    """A setting that would do nothing in silence is refused."""
    with pytest.raises(UsageError, match="ASSAY_RECOGNISER_MODEL"):
        redactor_for(None, Settings.from_environment({"ASSAY_RECOGNISER_MODEL": "x"}))
    assert 2 == assay(tmp_path, "redact", stdin=b"x", ASSAY_RECOGNISER_MODEL="x").code


@pytest.mark.clause("005-P15")
def test_from_the_command_line_names_are_hidden_in_redact_and_in_run(folder, tmp_path):
    """`assay redact` and what `assay run` records; doctor says what is set."""
    environ = {"ASSAY_RECOGNISER": "presidio", "ASSAY_RECOGNISER_MODEL": str(folder)}
    write_pack(tmp_path / "pack")
    (tmp_path / "in.txt").write_text("There is water in the cellar. So says Rubija Kettu.")
    script(tmp_path, GOOD, name="s.jsonl")

    shown = assay(tmp_path, "redact", stdin=TEXT.encode(), **environ)
    ran = assay(
        tmp_path, "run", "pack", "in.txt", "--model", "scripted:s.jsonl", "--json", **environ
    )
    [call] = ran.document["calls"]
    kept = assay(tmp_path, "calls", "show", call, "--prompt", "--json", **environ)
    told = assay(tmp_path, "doctor", "--json", **environ)

    assert "Kettu" not in shown.out
    assert "12.05.2024 14:30" in shown.out
    assert (0, "accepted") == (ran.code, ran.document["outcome"])
    assert "[SIMPLE_NAME_" in kept.out
    assert "Kettu" not in kept.out
    [row] = [each for each in told.document["checks"] if each["what"] == "recogniser"]
    assert "ok" == row["state"]


@pytest.mark.clause("005-P15")
def test_the_model_shows_in_the_rules_digest(with_names, folder):
    """With, without, and again: replay can tell them apart."""
    again = Redactor(recognisers=(PresidioRecogniser.create(model=str(folder)),))
    without = Redactor(recognisers=(PresidioRecogniser.create(),))

    assert with_names.rules_digest == again.rules_digest
    assert with_names.rules_digest != without.rules_digest
