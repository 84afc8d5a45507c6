"""A GGUF file from the command line: examined, run over a mail, replayed."""

from __future__ import annotations

from importlib import util
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.models.embedded import examination, file_model
from tests.command import assay
from tests.gguf_files import TEXT, U32, changed, gguf, rewrite, small_model
from tests.parts import absent

SMALL = small_model()
if util.find_spec("xllamacpp") is None or SMALL is None:
    absent("embedded", file_model.INSTALL)

pytestmark = pytest.mark.clause("006-M7")

MAIL = b"From: a@example.org\nSubject: Hail\n\nHail broke the windscreen of my car yesterday.\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    assert SMALL is not None
    (tmp_path / "x.gguf").symlink_to(SMALL)
    (tmp_path / "mail.eml").write_bytes(MAIL)
    return tmp_path


def states(document: dict[str, Any]) -> dict[str, str]:
    return {row["what"]: row["state"] for row in document["checks"]}


def test_a_mail_goes_the_whole_way(place: Path) -> None:
    """An outcome with valid records, the digest among them; replays are identical."""
    run = ("run", "intake", "mail.eml", "--model", "embedded:x.gguf", "--json")
    key = {"ASSAY_MASTER_KEY": "22" * 32}

    done = assay(place, *run, **key)

    assert 0 == done.code, done.err
    assert done.document["outcome"] in {"accepted", "needs_review"}
    assert 3 == len(done.document["calls"])
    shown = assay(place, "calls", "show", done.document["calls"][0], "--json", **key)
    assert file_model.LIBRARY in shown.out
    assert "sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53" in shown.out
    for call in done.document["calls"]:
        replayed = assay(place, "replay", call, "--json", **key).document
        assert ("identical", "same") == (replayed["prompt"], replayed["verdict"])
    assert assay(place, "audit", "verify", "--json", **key).document["first_bad"] is None
    assert done.documents == assay(place, *run, **key).documents


def test_a_prompt_over_the_context_of_the_file_is_over_budget(tmp_path: Path) -> None:
    """The input is held for a person with the reason; the run goes on."""
    assert SMALL is not None
    rewrite(SMALL, tmp_path / "short.gguf", {"llama.context_length": (U32, 64)})
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "fees.md").write_text("The fee for a new card is 25 EUR.")
    model = ("--model", "embedded:short.gguf", "--json")

    done = assay(
        tmp_path,
        *("ask", "What is the fee?", "--docs", "docs", *model),
    )

    assert ("needs_review", 0) == (done.document["outcome"], done.code)
    assert done.document["answer"] is None


def test_a_model_that_does_not_load_ends_the_run(tmp_path: Path) -> None:
    """40, and the mail is left to be done: no fault of the mail."""
    (tmp_path / "x.gguf").write_bytes(gguf())
    (tmp_path / "mail.eml").write_bytes(MAIL)

    done = assay(tmp_path, "run", "intake", "mail.eml", "--model", "embedded:x.gguf", "--json")

    assert 40 == done.code
    assert all("outcome" not in line for line in done.documents)


def test_doctor_says_what_a_file_is_and_that_grammars_hold(place: Path) -> None:
    """Facts, what was tried, and how to use it; fit is 0."""
    done = assay(place, "doctor", "x.gguf", "--json")
    document = done.document

    assert (0, True) == (done.code, document["fit"])
    assert "--model embedded:x.gguf" == document["use"]
    assert ("llama", "Q4_1", "apache-2.0", 8192) == tuple(
        document["model"][key]
        for key in ("architecture", "quantisation", "licence", "trained_context_tokens")
    )
    assert {"loads", "speed", "grammars", "chat template", "digest"} <= set(states(document))
    assert {"ok"} == set(states(document).values())


@pytest.mark.parametrize("content", [b"", b"hello", b"GGUF", gguf()[:-5], gguf({})])
def test_doctor_of_what_is_no_model_is_invalid_input(tmp_path: Path, content: bytes) -> None:
    """10 with one line; a missing file likewise."""
    (tmp_path / "x.gguf").write_bytes(content)

    done = assay(tmp_path, "doctor", "x.gguf", "--json")

    assert (10, "input.invalid") == (done.code, done.document["error"]["code"])
    assert 1 == len(done.err.splitlines())
    assert 10 == assay(tmp_path, "doctor", "absent.gguf").code


def test_doctor_of_a_file_that_does_not_load_says_so(tmp_path: Path) -> None:
    """A header without its weights, an architecture that nobody knows: not fit, 40."""
    (tmp_path / "x.gguf").write_bytes(gguf(changed(general__architecture=(TEXT, "newest"))))

    done = assay(tmp_path, "doctor", "x.gguf", "--json")

    assert (40, False) == (done.code, done.document["fit"])
    assert "broken" == states(done.document)["loads"]
    assert "grammars" not in states(done.document)


def test_doctor_without_the_engine_says_what_is_missing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the file says of itself is shown all the same."""
    monkeypatch.setattr(file_model, "LIBRARY", "no_such_package_of_assay")

    done = assay(place, "doctor", "x.gguf", "--json")

    assert (40, "broken") == (done.code, states(done.document)["engine"])
    assert "ok" == states(done.document)["model"]
    assert 'pip install "assay[embedded]"' in done.out.replace("\\", "")


def test_doctor_finds_out_a_grammar_that_holds_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A grammar that the engine ignores leaves the reply free: the file is not fit."""
    ignored = type("Written", (), {"grammar": "%llguidance {}\nstart: ]"})
    monkeypatch.setattr(examination, "write", lambda *_: ignored)

    done = assay(place, "doctor", "x.gguf", "--json")

    assert (40, "broken") == (done.code, states(done.document)["grammars"])


def test_doctor_of_a_broken_template_names_it(tmp_path: Path) -> None:
    """What a template refuses stands there in its own words."""
    assert SMALL is not None
    template = "{{ raise_exception('not today') }}"
    rewrite(SMALL, tmp_path / "x.gguf", {"tokenizer.chat_template": (TEXT, template)})

    done = assay(tmp_path, "doctor", "x.gguf", "--json")

    assert (40, "broken") == (done.code, states(done.document)["chat template, tried"])
    assert "not today" in done.out


def test_doctor_without_a_file_examines_the_installation(place: Path) -> None:
    """As ever: packs, store, keys and models."""
    document = assay(place, "doctor", "--json").document

    assert ["checks", "fit"] == sorted(document)
    assert {"python", "store", "pack intake", "model embedded"} <= set(states(document))
