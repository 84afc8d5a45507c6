"""The `assay` command: finds the verb, runs it, turns errors into lines and exit codes.

In      command line words
Out     exit code (interfaces.md, "Command line")
"""

from __future__ import annotations

import logging
import sys
import traceback
from importlib import import_module
from typing import Any

import click

from assay.cli.output import complain
from assay.cli.pack_warnings import show_pack_warnings
from assay.cli.terminal import PlainFormatter, plain_text, say
from assay.errors import AssayError, StoreUnavailableError, UsageError

VERBS = {
    "assemble": "assemble chunks into a prompt; calls no model",
    "ask": "a validated answer from files or retrieved chunks",
    "audit": "the record: log, verify, checkpoint, receipt, erase, export, retention",
    "backtest": "recorded calls against a candidate: which outcomes would turn",
    "calls": "recorded calls",
    "chat": "one turn of a staged conversation, or several",
    "doctor": "is this installation fit",
    "gate": "judge one model output; calls no model",
    "models": "what can be asked here, and why not",
    "pack": "make, verify, lock and draw packs",
    "redact": "the redacted view of a text",
    "render": "render a template",
    "replay": "rebuild recorded prompts and judge the replies again; calls no model",
    "review": "the human queue",
    "run": "run a pack over files or folders",
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


class _Verbs(click.Group):
    """Loads a verb's module only when it is used, so that every verb starts quickly."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        module, name = _HOMES.get(cmd_name, f"{cmd_name}.command").split(".")
        command = getattr(import_module(f"assay.cli.{module}"), name)
        assert isinstance(command, click.Command)
        command.name = cmd_name
        return command

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
    given = sys.argv[1:] if words is None else words
    sys.exit(run(given))


def run(words: list[str]) -> int:
    """Run one command; the exit code. Errors are said here and nowhere else."""
    as_json = "--json" in words
    _logs("--debug" in words)
    try:
        result: Any = application.main(args=words, prog_name="assay", standalone_mode=False)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.exceptions.Abort:
        return _end_interrupted()
    except click.ClickException as error:
        complain(UsageError(error.format_message(), hint="see --help"), as_json=as_json)
        return UsageError.exit_code
    except KeyboardInterrupt:
        return _end_interrupted()
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
    sys.stderr.buffer.write(plain_text(traceback.format_exc()).encode("utf-8"))
    sys.stderr.buffer.flush()


def _end_interrupted() -> int:
    say("interrupted: what was settled stays; run again to go on with the rest")
    return INTERRUPTED


if __name__ == "__main__":
    main()
