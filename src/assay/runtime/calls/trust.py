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

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from assay.contract.model_names import shown_model
from assay.errors import ModelUnavailableError
from assay.runtime.calls.execution import Execution, said_by
from assay.runtime.calls.window import Window


class Digested(Protocol):
    """What is brought: an input, known by the digest of its bytes."""

    @property
    def digest(self) -> str: ...


Done = TypeVar("Done")
Given = TypeVar("Given", bound=Digested)

IN_DOUBT = frozenset({"bad_request", "crash"})
"""Kinds of fault that may be the set-up's, as long as nothing was answered."""


class FaultInDoubtError(ModelUnavailableError):
    """The model refused an input, by a code that is in no table, before it answered any."""


@dataclass(slots=True)
class Trust:
    """Whether the model of a run has answered: until then a fault may be the set-up's."""

    answered: bool = False
    of_run: Trust | None = None
    """That of the whole run, for one of several inputs that are under way at once: it answers for
    this input when an input before it was answered."""

    def weigh(self, execution: Execution) -> None:
        """Take note of an exchange that ended.

        Raises:
            FaultInDoubtError: it failed by a code that is in no table, and none succeeded yet.

        Spec: interfaces.md, "A fault of the set-up"; 005-R21.
        """
        if execution.generation_status == "OK":
            self.answered = True
        elif execution.failure in IN_DOUBT and not self._is_told():
            raise FaultInDoubtError(
                f"model {shown_model(execution.model_name)!r} refused the first inputs"
                f"{said_by(execution.faults[-1])}",
                hint="check model and settings; the inputs are left to be done",
            )

    def _is_told(self) -> bool:
        return self.answered or (self.of_run is not None and self.of_run.answered)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pacing:
    """How many inputs are under way at once, and when no more are begun."""

    parallel: int = 1
    may_begin: Callable[[int], bool] = lambda _: True
    """Told how many inputs are begun and not done: may one more be begun? One alone always may."""

    halted: Callable[[], bool] = lambda: False
    """True once somebody asked for the end: what is under way is settled, nothing else begun."""

    resting: Callable[[], int] = lambda: 0
    """How many calls only wait. Once all that are under way do, a halted run leaves them."""


async def bring_in_order(
    items: AsyncIterator[Given],
    bring: Callable[[Given, Trust], Awaitable[Done]],
    pacing: Pacing = Pacing(),
) -> AsyncGenerator[Done]:
    """Yield what *bring* makes of each of *items*, in their order.

    Which outcomes there are, and whether the run ends, does not depend on how many inputs are
    under way at once: whose a fault is, is told from the inputs in their order.

    Raises:
        FaultInDoubtError: two distinct inputs met it; what was not yielded is left to be done.

    Spec: interfaces.md, "A fault of the set-up".
    """
    run = Trust()
    held: list[Given] = []
    """From the first input in doubt on; what was settled meanwhile is found settled again."""
    doubted = ""

    async def begin(item: Given) -> tuple[Done, Trust]:
        own = Trust(of_run=run)
        return await bring(item, own), own

    window = Window(
        items,
        begin,
        name=lambda item: item.digest,
        parallel=pacing.parallel,
        may_begin=lambda count: count == 0 or pacing.may_begin(count + len(held)),
        halted=pacing.halted,
        resting=pacing.resting,
        may_fail=FaultInDoubtError,
    )
    try:
        while (place := await window.hand_out()) is not None:
            try:
                done, own = place.work.result()
            except FaultInDoubtError:
                if not run.answered:
                    if doubted not in ("", place.entry.digest):
                        raise
                    doubted = place.entry.digest
                    held.append(place.entry)
                    continue
                done, own = await begin(place.entry)  # the input before it has told meanwhile
            run.answered |= own.answered
            if held and not run.answered:
                held.append(place.entry)
                continue
            for each in held:
                yield (await begin(each))[0]
            held.clear()
            yield done
        if held and not pacing.halted():
            run.answered = True  # there is no other input that could tell: it is this one's fault
            for each in held:
                yield (await begin(each))[0]
    except Exception:
        await window.settle()
        raise
    finally:
        await window.close()
