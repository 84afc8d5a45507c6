"""`assay figures` as a person and a program meet it."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec

import pytest

from tests.command import assay
from tests.parts import require_part
from tests.processes import run_python
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL, script, write_pack

STORE = ("--store", "sqlite:///a.db")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A record of three calls: two accepted, one of them at the second attempt; one for review."""
    place = tmp_path_factory.mktemp("figures")
    write_pack(place / "tiny")
    for number in range(3):
        (place / f"{number}.txt").write_bytes(TEXT + b" %d" % number)
    model = script(place, GOOD, UNKNOWN_LABEL, GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL)
    files = [f"{number}.txt" for number in range(3)]
    assert 0 == assay(place, "run", "tiny", *files, "--model", model, *STORE).code
    return place


@pytest.mark.clause("007-F1")
def test_the_page_is_written_and_the_same_twice(place):
    """One file; a second time gives the same bytes."""
    first = assay(place, "figures", *STORE, "--output", "new/p.html")
    before = (place / "new" / "p.html").read_bytes()
    assay(place, "figures", *STORE, "--output", "new/p.html")

    assert (0, "", "written: new/p.html\n") == (first.code, first.out, first.err)
    assert before == (place / "new" / "p.html").read_bytes()
    assert before == assay(place, "figures", *STORE, "--output", "-").raw
    assert ["p.html"] == [file.name for file in (place / "new").iterdir()]


@pytest.mark.clause("007-F2")
def test_json_is_one_document_that_agrees_with_the_list_of_calls(place):
    """The numbers of the page for a program, and what was written."""
    ran = assay(place, "figures", *STORE, "--json", "--output", "p.html")
    calls = assay(place, "calls", "list", *STORE, "--json").document["calls"]

    outcomes = {name: sum(counts) for name, counts in ran.document["outcomes"].items()}
    assert {"accepted": 2, "no_evidence": 0, "needs_review": 1, "open": 0} == outcomes
    assert len(calls) == ran.document["calls"]
    assert sum(call["attempts"] for call in calls) == ran.document["exchanges"]
    assert ["p.html"] == ran.document["written"]
    assert "" == ran.err


@pytest.mark.clause("007-F2")
def test_without_a_file_the_sums_are_told(place):
    """A person sees the numbers, the end of the record, and how the pictures are made."""
    out = assay(place, "figures", *STORE).out

    assert "accepted" in out
    assert "label.unknown" in out
    assert "sha256:" in out
    assert "--output FILE.html" in out


@pytest.mark.clause("007-F2")
def test_filters_narrow_what_is_counted(place):
    """By time, pack and contract."""
    for words, calls in (
        (("--pack", "tiny"), 3),
        (("--pack", "other"), 0),
        (("--contract", "tiny/triage"), 3),
        (("--until", "2020-01-01"), 0),
        (("--since", "2020-01-01"), 3),
    ):
        assert calls == assay(place, "figures", *STORE, *words, "--json").document["calls"], words


@pytest.mark.clause("007-F3")
def test_an_empty_record_gets_a_page_that_says_so(tmp_path):
    """A store with no call is no error; one that is not there is."""
    assay(tmp_path, "templates", "list", *STORE)
    assay(tmp_path, "run", "intake", "nothing.eml", *STORE)
    missing = assay(tmp_path, "figures", "--store", "sqlite:///none.db", "--output", "p.html")

    assert "error[" in missing.err
    assert not (tmp_path / "p.html").exists()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--output", "-", "--json"), 2),
        (("--output", "0.txt/p.html"), 10),
        (("--output", "new"), 10),
        (("--since", "yesterday"), 2),
    ],
)
def test_what_cannot_be_done_is_one_line(place, words, code):
    """Wrong usage and names that cannot be written."""
    (place / "new").mkdir(exist_ok=True)
    ran = assay(place, "figures", *STORE, *words)

    assert code == ran.code
    assert ran.err.startswith("error[")
    assert 1 == len(ran.err.splitlines())


@pytest.mark.clause("007-F6")
def test_png_without_its_library_names_the_command_that_installs_it(place):
    """Nothing is read or written before that is said."""
    if find_spec("resvg_py") is None:
        ran = assay(place, "figures", *STORE, "--png", "p.png")
        code, err = ran.code, ran.err
    else:
        block = "import sys; sys.modules['resvg_py'] = None; from assay.cli.main import main; "
        asked = ["figures", *STORE, "--png", "p.png"]
        done = run_python("-c", f"{block}main({asked!r})", cwd=place)
        code, err = done.returncode, done.stderr.decode()

    assert 2 == code
    assert "pip install 'assay[figures]'" in err
    assert not (place / "p.png").exists()


@pytest.mark.clause("007-F6")
def test_png_draws_the_same_pictures(place):
    """One sheet, or each picture in a file of its own; the same bytes again."""
    require_part("figures", "resvg_py", "reportlab")
    ran = assay(place, "figures", *STORE, "--png", "p.png", "--json")
    again = assay(place, "figures", *STORE, "--png", "folder", "--json")

    assert ["p.png"] == ran.document["written"]
    assert 13 == len(again.document["written"])
    sheet = (place / "p.png").read_bytes()
    assert sheet == (place / "folder" / "all.png").read_bytes()
    assert b"\x89PNG\r\n\x1a\n" == sheet[:8]
    width, height = (int.from_bytes(sheet[at : at + 4], "big") for at in (16, 20))
    assert width > height > 1000


@pytest.mark.skipif(sys.platform == "win32", reason="no permissions")
@pytest.mark.clause("007-F2")
def test_a_store_that_cannot_be_written_has_figures(place, tmp_path):
    """Figures write nothing into the record."""
    before = assay(place, "figures", *STORE, "--json").document
    media = tmp_path / "media"
    media.mkdir()
    (media / "a.db").write_bytes((place / "a.db").read_bytes())
    for beside in ("-wal", "-shm"):
        if (place / f"a.db{beside}").exists():
            (media / f"a.db{beside}").write_bytes((place / f"a.db{beside}").read_bytes())
    for file in media.iterdir():
        file.chmod(0o444)
    media.chmod(0o555)
    try:
        ran = assay(tmp_path, "figures", "--store", f"sqlite:///{media / 'a.db'}", "--json")
    finally:
        media.chmod(0o755)

    assert json.dumps(before) == json.dumps(ran.document)
