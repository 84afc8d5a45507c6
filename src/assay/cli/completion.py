"""What a shell completes after `assay`: verbs, options, packs, contracts, models, files.

In      the words of the line so far, as the shell's script hands them over
Out     what the word under the cursor may become; `assay completion` prints the script
Effects reads the variables of the shell's script
Spec    007-D1; interfaces.md, "Command line"

Click makes the scripts and finds the options; `candidates.py` knows what a PACK or a model may
be. Here stands that any other word may be a file, and that bash cuts words at `:` and `=`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from assay.cli.options import common_options
from assay.cli.output import emit
from assay.cli.terminal import write_exactly
from assay.errors import UsageError

if TYPE_CHECKING:
    Item = CompletionItem[Any]

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_ASSAY_COMPLETE"
"""Set by the scripts: what is asked for, and for which shell."""

VARIABLES = {
    "COMP_CWORD": "Set by the script of a shell's completion: the place of the word under the "
    "cursor.",
    "COMP_WORDS": "Set by the script of a shell's completion: the words of the line.",
    "SHELL": "The shell whose script `assay completion` prints unless one is named.",
}
"""What is read here and nowhere else."""

_BREAKS = re.compile(r"[:=]+")
"""A word of its own to bash (COMP_WORDBREAKS), though it stands within one."""


# --- shells --------------------------------------------------------------------------------------


def _or_files(found: list[Item], begun: str) -> list[Item]:
    """What nothing else is known of may be a file; an option or the name of a model is none."""
    if found or begun.startswith("-") or re.match(r"\w+:", begun):
        return found
    return [CompletionItem(begun, type="file")]


class _Bash(BashComplete):
    """Words that bash cut at `:` and `=` are put together again, and what is found is cut."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Words before the cursor, and the word under it."""
        place = int(os.environ["COMP_CWORD"])
        pieces = split_arg_string(os.environ["COMP_WORDS"])
        pieces = [*pieces[1 : place + 1], *([""] if place >= len(pieces) else [])]
        words = list(_whole_words(pieces))
        return words[:-1], words[-1] if words else ""

    def get_completions(self, args: list[str], incomplete: str) -> list[Item]:
        """What click and the parameters know; else files."""
        given = _after_equals(args, incomplete)
        found = _or_files(super().get_completions(*given), given[1])
        kept = max(incomplete.rfind(":"), incomplete.rfind("=")) + 1
        already = kept - (len(incomplete) - len(given[1]))
        for item in found:
            if item.type == "plain":
                item.value = item.value[max(already, 0) :]
        return found


class _Zsh(ZshComplete):
    def get_completions(self, args: list[str], incomplete: str) -> list[Item]:
        """What click and the parameters know; else files."""
        return _or_files(super().get_completions(args, incomplete), incomplete)


class _Fish(FishComplete):
    def get_completions(self, args: list[str], incomplete: str) -> list[Item]:
        """What click and the parameters know; else files."""
        return _or_files(super().get_completions(args, incomplete), incomplete)


def _whole_words(pieces: Iterable[str]) -> Iterator[str]:
    word: str | None = None
    joins = False
    for piece in pieces:
        is_break = _BREAKS.fullmatch(piece) is not None
        if word is not None and (is_break or joins):
            word += piece
        else:
            if word is not None:
                yield word
            word = piece
        joins = is_break
    if word is not None:
        yield word


def _after_equals(args: list[str], begun: str) -> tuple[list[str], str]:
    """`--model=ext` as `--model ext`."""
    option, equals, value = begun.partition("=")
    if equals and option.startswith("--"):
        return [*args, option], value
    return args, begun


def install_completion() -> None:
    """Put our reading of the words in the place of click's own, for each shell."""
    shells: tuple[type[ShellComplete], ...] = (_Bash, _Zsh, _Fish)
    for shell in shells:
        add_completion_class(shell)


# --- the command ---------------------------------------------------------------------------------


@click.command()
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@common_options
def command(shell: str | None, as_json: bool) -> None:
    """Print the script that completes `assay` in a shell (default: the shell you are in).

    bash: eval "$(assay completion bash)" in ~/.bashrc. zsh: the same with zsh in ~/.zshrc, after
    compinit. fish: assay completion fish > ~/.config/fish/completions/assay.fish. Each takes the
    `assay` that is on the PATH.
    """
    wanted = shell or Path(os.environ.get("SHELL", "")).name
    if wanted not in SHELLS:
        raise UsageError("which shell is not known", hint=f"name it: {', '.join(SHELLS)}")
    install_completion()
    kind = get_completion_class(wanted)
    root = click.get_current_context().find_root().command
    assert kind is not None
    script = kind(root, {}, "assay", VARIABLE).source()
    document = {"shell": wanted, "script": script}
    emit(document, as_json=as_json, human=lambda _: write_exactly(script))
