"""Hear one reply while it arrives: weigh it, count it, tell who watches.

In      the watch of a job (none for plain text), who is told of progress
Out     Listening, a `Listener`: says when to stop; what was heard, as facts for the record
Effects tells the progress hook of the context
Spec    interfaces.md, "Models" (`assay_stopped`); 004 R3 (answers are read to their end)

It reads along and changes nothing: what the model sent goes on byte for byte. Whatever goes wrong
here, the reply is read on and judged when it is whole.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from assay.contract.budget import STREAM, STREAM_ESTIMATE
from assay.contract.job import Job
from assay.contract.material import Built
from assay.core.text.tokens import count
from assay.gate.prefix import STOPPED, Watch
from assay.runtime.calls.context import Heard, Progress, RuntimeContext
from assay.runtime.calls.execution import Execution

_log = logging.getLogger("assay")


class Listening:
    """The listener of one exchange, retries included."""

    def __init__(
        self,
        first: Watch | None,
        new_watch: Callable[[], Watch | None],
        progress: Progress | None,
        heard: Heard,
    ) -> None:
        self._first = first
        self._new_watch = new_watch
        self._watch: Watch | None = None
        self._progress = progress
        self._about = heard
        self.tries = 0
        """Replies that began."""
        self.chars = 0
        """Code points of the latest."""
        self.pieces = 0
        """Pieces of the latest."""

    def begin(self) -> None:
        """See `Listener`: a new try is weighed from its first character on."""
        self.tries += 1
        self.chars = self.pieces = 0
        self._watch = None
        try:
            self._watch = self._first or self._new_watch()
        except Exception as error:
            _log.warning("a reply is not watched: %s", type(error).__name__)
        self._first = None
        self._tell("")

    def hear(self, piece: str) -> bool:
        """See `Listener`."""
        self.chars += len(piece)
        self.pieces += 1
        self._tell(piece)
        if self._watch is None:
            return False
        try:
            return self._watch.hear(piece)
        except Exception as error:
            # The type alone: a message may quote the reply.
            _log.warning("a reply is not watched any more: %s", type(error).__name__)
            self._watch = None
            return False

    def _tell(self, piece: str) -> None:
        progress = self._progress
        if progress is None:
            return
        heard = replace(
            self._about,
            tries=self.tries,
            chars=self.chars,
            unjudged=piece if progress.unjudged else "",
        )
        try:
            progress.hear(heard)
        except Exception as error:
            _log.warning("progress cannot be shown: %s", type(error).__name__)
            self._progress = None


def listen(context: RuntimeContext, job: Job, built: Built, attempt: int) -> Listening | None:
    """Who hears the reply to *built*; None where nobody needs it before it is whole."""
    first = job.watch(built)
    if first is None and context.progress is None:
        return None
    about = Heard(contract=job.reference, attempt=attempt)
    return Listening(first, lambda: job.watch(built), context.progress, about)


def add_stream_facts(execution: Execution, listening: Listening | None, allowed: int) -> Execution:
    """*execution* with what is known of its stream among its details; as it was without one.

    Args:
        allowed: Tokens that the reply might have had.
    """
    if listening is None or not listening.pieces or execution.raw is None:
        return execution
    stopped = execution.finish_reason == STOPPED
    facts: dict[str, Any] = {
        "stopped": stopped,
        "chars": listening.chars,
        "pieces": listening.pieces,
    }
    if stopped:
        received = received_tokens(execution)
        facts[STREAM_ESTIMATE] = received
        facts["saved_tokens_at_most"] = max(0, allowed - received)
    return replace(execution, details={**execution.details, STREAM: facts})


def received_tokens(execution: Execution) -> int:
    """Our own count of what arrived of a reply: an estimate, as each model counts its own way."""
    return count((execution.raw or b"").decode("utf-8", "replace"))
