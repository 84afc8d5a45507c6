"""Help where it is asked for, and where a word is wrong."""

from __future__ import annotations

import re

import pytest

from assay.cli.main import VERBS
from tests.command import assay

pytestmark = pytest.mark.clause("007-T3")

GROUPS = ("audit", "calls", "pack", "review", "sessions", "templates")


@pytest.mark.parametrize("words", [(), *((group,) for group in GROUPS)], ids=str)
def test_a_group_alone_prints_its_help(tmp_path, words):
    """On standard output, with 0, and nothing on standard error."""
    alone = assay(tmp_path, *words)

    assert (0, "") == (alone.code, alone.err)
    assert alone.out == assay(tmp_path, *words, "--help").out
    assert alone.out.startswith(" ".join(("Usage: assay", *words)))
    assert "Commands:" in alone.out


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("rnu",), "'run'"),
        (("call",), "'calls'"),
        (("sesions",), "'sessions'"),
        (("calls", "lst"), "'list'"),
        (("review", "decied"), "'decide'"),
        (("pack", "verfy"), "'verify'"),
        (("calls", "list", "--limt", "1"), "'--limit'"),
    ],
)
def test_a_wrong_word_names_the_right_one(tmp_path, words, near):
    """In one line, with the help to look at."""
    done = assay(tmp_path, *words)

    assert 2 == done.code
    assert near in done.err
    assert "--help)" in done.err
    assert 1 == len(done.err.splitlines())


def test_the_help_that_is_named_is_that_of_the_command(tmp_path):
    """Not that of the whole program."""
    assert "(see assay calls list --help)" in assay(tmp_path, "calls", "list", "--x").err
    assert "(see assay --help)" in assay(tmp_path, "nothing-like-it").err


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("verb", [*VERBS, ""])
def test_help_fits_the_terminal(tmp_path, verb, width):
    """No line is longer than the terminal, but for a word that is; nor than can be read."""
    words = (verb, "--help") if verb else ("--help",)
    shown = assay(tmp_path, *words, COLUMNS=str(width)).out

    long = [line for line in shown.splitlines() if len(line) > min(width, 100)]
    assert [] == [line for line in long if len(line.split()) > 1 and width > 20]
    assert shown.startswith("Usage: assay")


def test_a_meaning_is_never_squeezed_beside_its_word(tmp_path):
    """At 40 characters it stands under it."""
    shown = assay(tmp_path, "run", "--help", COLUMNS="40").out

    assert re.search(r"\n  --strict\n    Leave with 30", shown)
    assert re.search(r"\n  --strict +Leave with 30", assay(tmp_path, "run", "--help").out)
