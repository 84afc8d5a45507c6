"""The `assay` command: finds the verb, runs it, turns errors into lines and exit codes.

In      command line words
Out     exit code (interfaces.md, "Command line")
Spec    007-T3, 007-T5, 007-T7
"""

from __future__ import annotations

import errno
import logging
import os
import sys
import traceback
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from assay.cli.help import Context, prepare_help
from assay.cli.interrupts import Terminated, leaving_on_signals
from assay.cli.output import complain
from assay.cli.pack_warnings import show_pack_warnings
from assay.cli.terminal import (
    NobodyReadsError,
    PlainFormatter,
    open_streams,
    say,
    silence_stdout,
)
from assay.errors import AssayError, ExecutionError, StoreUnavailableError, UsageError

VERBS = {
    "assemble": "assemble chunks into a prompt; calls no model",
    "ask": "a validated answer from files or retrieved chunks",
    "audit": "the record: log, verify, checkpoint, receipt, erase, export, retention",
    "backtest": "recorded calls against a candidate: which outcomes would turn",
    "calls": "recorded calls",
    "chat": "one turn of a staged conversation, or several",
    "completion": "print the script that completes commands in your shell",
    "doctor": "is this installation fit",
    "figures": "outcomes, findings, latency, cost of a record as one page or as PNG",
    "gate": "judge one model output; calls no model",
    "keys": "who may call the service, and as what",
    "mcp": "serve tools to agents over standard input and output",
    "models": "what can be asked here, and why not",
    "pack": "make, verify, lock and draw packs",
    "redact": "the redacted view of a text",
    "render": "render a template",
    "replay": "rebuild recorded prompts and judge the replies again; calls no model",
    "review": "the human queue",
    "run": "run a pack over files or folders",
    "serve": "the HTTP API and the pages",
    "sessions": "conversations and their cached state",
    "templates": "the template registry: versions, releases, drift",
    "validate": "judge an answer against its assembly",
}
"""Each verb is the command named `command` in the module of its name, or what `_HOMES` says."""

_HOMES = {
    "ask": "answers.ask",
    "assemble": "answers.assemble",
    "backtest": "replay.backtest",
    "chat": "sessions.chat",
    "replay": "replay.replay",
    "validate": "answers.validate",
}

INTERRUPTED = 130
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NOBODY_READS = 1
"""What was asked for was not all printed, and whoever asked knows."""


class _Verbs(click.Group):
    """Loads a verb's module only when it is used, so that every verb starts quickly."""

    context_class = Context

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As ever; a verb that does not exist names those that are written much like it."""
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            raise click.exceptions.NoSuchCommand(
                error.command_name, possibilities=VERBS, ctx=ctx
            ) from error

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        module, name = _HOMES.get(cmd_name, f"{cmd_name}.command").split(".")
        command = getattr(import_module(f"assay.cli.{module}"), name)
        assert isinstance(command, click.Command)
        command.name = cmd_name
        return prepare_help(command)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """Verbs from their table: nobody waits for all modules at a press of the tab key."""
        verbs = [
            CompletionItem(name, help=meaning)
            for name, meaning in sorted(VERBS.items())
            if name.startswith(incomplete)
        ]
        return verbs + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(VERBS.items()))


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"assay {version('assay')}")
        ctx.exit()


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and leave.",
)
def application() -> None:
    """Exact prompts, a strict gate for model output, and a record anyone can check."""


def main(words: list[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    open_streams()
    given = sys.argv[1:] if words is None else words
    with leaving_on_signals():
        code = run(given)
    try:
        sys.stdout.flush()
    except OSError:
        silence_stdout()
    sys.exit(code)


def run(words: list[str]) -> int:
    """Run one command; the exit code. Errors are said here and nowhere else."""
    as_json = "--json" in words
    _logs("--debug" in words)
    if "_ASSAY_COMPLETE" in os.environ:
        from assay.cli.completion import install_completion

        install_completion()
    try:
        result: Any = application.main(args=words, prog_name="assay", standalone_mode=False)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.exceptions.Abort as error:
        return _end_interrupted(error.__cause__)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help())
        return 0
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        page = "assay" if context is None else context.command_path
        complain(UsageError(error.format_message(), hint=f"see {page} --help"), as_json=as_json)
        return UsageError.exit_code
    except KeyboardInterrupt as error:
        return _end_interrupted(error)
    except NobodyReadsError:
        silence_stdout()
        return NOBODY_READS
    except AssayError as error:
        if "--debug" in words:
            _print_traceback()
        complain(error, as_json=as_json)
        return error.exit_code
    except MemoryError:
        complain(StoreUnavailableError("out of memory", hint="free some"), as_json=as_json)
        return StoreUnavailableError.exit_code
    except Exception as error:
        if "--debug" in words:
            _print_traceback()
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            full = ExecutionError("cannot write: no room is left", hint="make some and run again")
            complain(full, as_json=as_json)
            return full.exit_code
        # The text of a stranger's exception may quote an input: only its type is told.
        complain(
            AssayError(
                f"a fault in the program: {type(error).__name__}", hint="rerun with --debug"
            ),
            as_json=as_json,
        )
        return AssayError.exit_code
    return result if isinstance(result, int) else 0


def _logs(wanted: bool) -> None:
    """Logs (digests and counts, never text) go to standard error, for who asks for them."""
    # Libraries log too (a PDF reader about each odd file): the root speaks for all of them.
    root = logging.getLogger()
    handler = logging.StreamHandler() if wanted else logging.NullHandler()
    handler.setFormatter(PlainFormatter())
    root.addHandler(handler)
    if wanted:
        logging.getLogger("assay").setLevel(logging.DEBUG)
    else:
        show_pack_warnings()


def _print_traceback() -> None:
    """The traceback of the error at hand. Its message may quote an input: it is text, too."""
    for line in traceback.format_exc().splitlines():
        say(line)


def _end_interrupted(how: BaseException | None) -> int:
    say("interrupted: what was settled stays; run again to go on with the rest")
    return how.exit_code if isinstance(how, Terminated) else INTERRUPTED


if __name__ == "__main__":
    main()
