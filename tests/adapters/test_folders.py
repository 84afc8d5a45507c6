"""Folders become bytes, and nothing outside them does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.adapters import folders
from assay.adapters.folders import bundled_packs, pack_folder, read_folder, read_pack_folder
from assay.errors import InputError, NotFoundError, PackError


def test_files_come_by_relative_name_in_sorted_order(tmp_path: Path):
    """Hidden files, caches and backups are passed over."""
    for name in ("b.yaml", "sub/a.txt", "sub/.hidden", ".git/config", "a.yaml~", "__pycache__/x"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())

    assert list(read_folder(tmp_path).items()) == [
        ("b.yaml", b"b.yaml"),
        ("sub/a.txt", b"sub/a.txt"),
    ]


def test_a_link_inside_the_folder_is_a_file_like_any_other(tmp_path: Path):
    """It says the same wherever the folder is copied."""
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.txt").symlink_to("a.txt")

    assert read_folder(tmp_path) == {"a.txt": b"a", "b.txt": b"a"}


@pytest.mark.parametrize("kind", ["file", "folder", "loop", "inner folder"])
def test_a_link_that_leads_elsewhere_is_refused(tmp_path: Path, kind: str):
    """A pack from a stranger does not get to read our files."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("s")
    root = tmp_path / "pack"
    (root / "sub").mkdir(parents=True)
    targets = {
        "file": outside / "secret",
        "folder": outside,
        "loop": root / "x",
        "inner folder": root / "sub",
    }
    (root / "x").symlink_to(targets[kind])

    with pytest.raises((PackError, InputError)) as caught:
        read_folder(root)
    assert "x" in str(caught.value)


def test_a_pipe_or_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch):
    """Neither blocks and neither fills the memory."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(PackError, match="no regular file"):
        read_folder(tmp_path)
    (tmp_path / "pipe").unlink()
    (tmp_path / "big").write_bytes(b"x" * 11)
    monkeypatch.setattr(folders, "MAX_FILE_BYTES", 10)
    with pytest.raises(PackError, match="big: is larger"):
        read_folder(tmp_path)
    monkeypatch.setattr(folders, "MAX_FILE_BYTES", 20)
    monkeypatch.setattr(folders, "MAX_TOTAL_BYTES", 10)
    with pytest.raises(PackError, match="is larger"):
        read_folder(tmp_path)


def test_a_bare_name_is_the_bundled_pack_and_a_path_is_the_path(tmp_path: Path, monkeypatch):
    """A folder of the same name in the working directory does not take its place by accident."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "intake").mkdir()

    assert pack_folder("intake").name == "intake"
    assert pack_folder("intake").resolve() != (tmp_path / "intake").resolve()
    assert pack_folder("./intake").resolve() == (tmp_path / "intake").resolve()


def test_what_is_no_pack_is_named(tmp_path: Path):
    """A missing folder, a file, an empty name."""
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(NotFoundError) as caught:
        pack_folder(str(tmp_path / "none"))
    assert all(name in caught.value.hint for name in bundled_packs())
    for name in (str(file), "", "a\0b"):
        with pytest.raises(InputError):
            pack_folder(name)


def test_the_folders_name_is_the_hint(tmp_path: Path, monkeypatch):
    """Also for `.`."""
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")

    assert read_pack_folder(".") == ({}, "mine")
