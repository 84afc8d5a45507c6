"""Whose fault it is that a model refuses the first inputs: theirs, or the set-up's.

In      the exchanges of a run; its inputs in order
Out     Trust; the outcomes in order, or the end of the run
Pure    no: what it is given makes the calls
Spec    interfaces.md, "A fault of the set-up"

A code that is in no table, met by the first two distinct inputs before anything was answered,
is the set-up's: the run ends and both are left to be done. Met by an input alone it is that
input's. So an input in doubt waits, and its outcome with it, until another input has told.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from assay.errors import ModelUnavailableError
from assay.runtime.calls.context import Item
from assay.runtime.calls.execution import Execution, said_by
from assay.runtime.calls.inputs import Refused

Done = TypeVar("Done")

IN_DOUBT = frozenset({"bad_request", "crash"})
"""Kinds of fault that may be the set-up's, as long as nothing was answered."""


class FaultInDoubtError(ModelUnavailableError):
    """The model refused an input, by a code that is in no table, before it answered any."""


@dataclass(slots=True)
class Trust:
    """Whether the model of a run has answered: until then a fault may be the set-up's."""

    answered: bool = False

    def weigh(self, execution: Execution) -> None:
        """Take note of an exchange that ended.

        Raises:
            FaultInDoubtError: it failed by a code that is in no table, and none succeeded yet.

        Spec: interfaces.md, "A fault of the set-up"; 005-R21.
        """
        if execution.generation_status == "OK":
            self.answered = True
        elif execution.failure in IN_DOUBT and not self.answered:
            raise FaultInDoubtError(
                f"model {execution.model_name!r} refused the first inputs"
                f"{said_by(execution.faults[-1])}",
                hint="check model and settings; the inputs are left to be done",
            )


async def bring_in_order(
    items: Iterable[Item | Refused],
    bring: Callable[[Item | Refused], Awaitable[Done]],
    trust: Trust,
) -> AsyncIterator[Done]:
    """Yield what *bring* makes of each of *items*, in their order.

    Raises:
        FaultInDoubtError: two distinct inputs met it; what was not yielded is left to be done.

    Spec: interfaces.md, "A fault of the set-up".
    """
    held: list[Item | Refused] = []
    """From the first input in doubt on; what was settled meanwhile is found settled again."""
    doubted = ""
    for entry in items:
        try:
            done = await bring(entry)
        except FaultInDoubtError:
            if doubted not in ("", entry.digest):
                raise
            doubted = entry.digest
            held.append(entry)
            continue
        if held and not trust.answered:
            held.append(entry)
            continue
        for each in held:
            yield await bring(each)
        held.clear()
        yield done
    trust.answered = True  # there is no other input that could tell: the fault is this one's
    for each in held:
        yield await bring(each)
