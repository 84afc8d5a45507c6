"""What is found under the given paths: nothing that cannot be read is passed over in silence."""

from __future__ import annotations

import json
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.runtime.calls.inputs import find_inputs
from tests.processes import run_python

NOBODY = 65534

# Imports first: the other user may not be able to read what the program is made of.
CHILD = """
import json, os, sys
from assay.redaction.redactor import Redactor
from assay.runtime.calls.inputs import find_inputs, read_file, read_item
redactor, source, folder = Redactor(), sys.argv[2], sys.argv[3]
for kind, data in (("text", b"x"), ("mail", b"From: a@example.org\\n\\nx")):
    read_item("x", data, kind, redactor)
if os.geteuid() == 0:
    os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[1]))
os.chdir(folder)
found = find_inputs(["in"], source)
reasons = [getattr(x, "reason", None) for p in found.taken for x in read_file(p, source, redactor)]
print(json.dumps([[str(p) for p in found.taken], reasons, [str(p) for p in found.skipped]]))
"""


@pytest.fixture
def open_place() -> Iterator[Path]:
    """A folder that any user may enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        yield place


def _as_nobody(place: Path, source: str) -> list[list[str | None]]:
    """What a user finds to whom a folder can be closed: `nobody`, where root runs the tests."""
    done = run_python("-c", CHILD, str(NOBODY), source, str(place))
    assert (0, b"") == (done.returncode, done.stderr)
    answer: list[list[str | None]] = json.loads(done.stdout)
    return answer


def _texts(place: Path, *names: str) -> None:
    for name in names:
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("There is water in the cellar.")


def test_a_folder_that_cannot_be_listed_is_an_input_of_its_own(open_place: Path) -> None:
    """Mode 000: taken in its place among the paths, refused with its name and the reason."""
    _texts(open_place, "in/a.txt", "in/b/hidden.txt", "in/c.txt", "in/d/e/deep.txt")
    (open_place / "in/b").chmod(0)
    (open_place / "in/d/e").chmod(0)

    taken, reasons, skipped = _as_nobody(open_place, "text")

    assert ["in/a.txt", "in/b", "in/c.txt", "in/d/e"] == taken
    refused = "a folder that cannot be listed: Permission denied"
    assert [None, refused, None, refused] == reasons
    assert [] == skipped


def test_the_given_folder_itself_cannot_be_listed(open_place: Path) -> None:
    """It is one refused input, not an empty folder."""
    _texts(open_place, "in/a.txt")
    (open_place / "in").chmod(0)

    taken, reasons, _ = _as_nobody(open_place, "text")

    assert (["in"], ["a folder that cannot be listed: Permission denied"]) == (taken, reasons)


def test_a_folder_that_can_be_listed_but_not_entered(open_place: Path) -> None:
    """Each name in it is an input that cannot be read."""
    _texts(open_place, "in/a.txt", "in/b/one.txt", "in/b/two.bin")
    (open_place / "in/b").chmod(stat.S_IRUSR | stat.S_IROTH)

    taken, reasons, _ = _as_nobody(open_place, "text")

    assert ["in/a.txt", "in/b/one.txt", "in/b/two.bin"] == taken
    assert [None, *["cannot be read: Permission denied"] * 2] == reasons


def test_a_file_that_cannot_be_read_does_not_end_the_search(open_place: Path) -> None:
    """Whether it is a message cannot be said, so it is taken and refused by name."""
    _texts(open_place, "in/a.eml", "in/b", "in/c.eml")
    (open_place / "in/b").chmod(0)

    taken, reasons, _ = _as_nobody(open_place, "mail")

    assert ["in/a.eml", "in/b", "in/c.eml"] == taken
    assert "cannot be read: Permission denied" == reasons[1]


def test_files_come_in_sorted_path_order_and_links_to_folders_are_not_entered(
    tmp_path: Path,
) -> None:
    """A folder's files stand where its name stands; a link is no way round and round.

    One that leads nowhere is an input that cannot be read.
    """
    _texts(tmp_path, "in/b/z.txt", "in/b.txt", "in/a.txt", "in/B.txt", "else/x.txt")
    (tmp_path / "in/link").symlink_to(tmp_path / "else")
    (tmp_path / "in/loop").symlink_to(tmp_path / "in")
    (tmp_path / "in/file.txt").symlink_to(tmp_path / "else/x.txt")
    (tmp_path / "in/gone.txt").symlink_to(tmp_path / "nothing")

    found = find_inputs([str(tmp_path / "in")], "text")

    names = [str(path.relative_to(tmp_path / "in")) for path in found.taken]
    assert ["B.txt", "a.txt", "b/z.txt", "b.txt", "file.txt", "gone.txt"] == names
    assert ["link", "loop"] == [path.name for path in found.skipped]


@pytest.mark.clause("005-M8")
def test_a_folder_of_mail_gives_the_mails_that_outlook_saved(tmp_path):
    """By name, as the other files of mail; what they hold is read later."""
    for name in ("a.msg", "b.eml", "c.doc"):
        (tmp_path / name).write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

    found = find_inputs([str(tmp_path)], "mail")

    assert ["a.msg", "b.eml"] == [path.name for path in found.taken]
    assert ["c.doc"] == [path.name for path in found.skipped]
