"""How long and how often one request is tried again.

In      RetryPolicy; the faults of the tries, as they come
Out     seconds to wait before the same bytes are sent again, or that it is over
Pure    yes, but for the pace that it tells of refusals
Spec    004 R3; 000 "Retry policy"; 006-M5
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assay.errors import UsageError
from assay.protocols import ModelFault
from assay.runtime.calls.pace import Pace

PASSED_OVER = 32
"""How often a call may be refused for too many requests while others are answered, before that
counts as a failure of its own: what is too large for any minute is refused for ever."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How long and how often the same bytes are sent again."""

    max_tries: int = 4
    """Requests in all, the first one included; 1 turns retries off."""

    first_wait_s: float = 0.5
    """Wait before the second try; it doubles from try to try."""

    max_wait_s: float = 20.0
    """No wait is longer, unless the server itself asks for more."""

    max_total_s: float = 180.0
    """Limit of everything: tries and waits. A wait that would pass it is not begun."""

    per_try_s: float = 120.0
    """Wall-clock limit of one try, whatever trickles in meanwhile."""

    def __post_init__(self) -> None:
        if self.max_tries < 1:
            raise UsageError("max_tries must be 1 or more")
        if not (self.max_total_s > 0 and self.per_try_s > 0):
            raise UsageError("max_total_s and per_try_s must be greater than 0")
        if not (self.first_wait_s >= 0 and self.max_wait_s >= 0):
            raise UsageError("first_wait_s and max_wait_s must not be negative")

    def wait_s(self, tries: int, chance: float, retry_after_s: float | None) -> float:
        """Seconds to wait after try number *tries* (from 1) failed.

        Half of the exponential step is fixed and half is jitter, so that waits grow and yet
        do not meet; never less than the server asked for.
        """
        step = min(self.max_wait_s, self.first_wait_s * 2.0 ** (tries - 1))
        wait = step * (0.5 + 0.5 * min(1.0, max(0.0, chance)))
        return max(wait, retry_after_s or 0.0)


class Patience:
    """What is left of the tries and the time of one execution.

    A refusal for too many requests uses neither up while the provider answers others: then it is
    a matter of turns. Nor does waiting for one's turn.
    """

    def __init__(self, policy: RetryPolicy, pace: Pace) -> None:
        self._policy = policy
        self._pace = pace
        self._tries = 0
        self._spent_s = 0.0
        self._answers = pace.answers
        self._passed_over = 0

    @property
    def limit_s(self) -> float:
        """Wall-clock limit of the next try."""
        return min(self._policy.per_try_s, max(0.001, self._policy.max_total_s - self._spent_s))

    def weigh(
        self,
        fault: ModelFault,
        turn: int,
        *,
        now: float,
        took_s: float,
        jitter: Callable[[], float],
    ) -> float | None:
        """Seconds until the same bytes may be sent again; None: not again.

        Args:
            turn: The round of the pace that the try belonged to; the pace learns of a refusal.
            took_s: How long the try lasted.
        """
        policy = self._policy
        limited = fault.kind == "rate_limit"
        free = limited and self._is_passed_over()
        self._answers = self._pace.answers
        if free:
            self._passed_over += 1
        else:
            self._tries += 1
            self._spent_s += took_s
        if limited:
            wait = self._pace.slow_down(
                turn,
                now=now,
                retry_after_s=fault.retry_after_s,
                back_off=lambda refusals: policy.wait_s(max(refusals, self._tries), jitter(), None),
                patience_s=policy.max_total_s,
            )
        else:
            wait = policy.wait_s(self._tries, jitter(), fault.retry_after_s)
        spent_s = wait + (0.0 if free else self._spent_s)
        if not fault.transient or self._tries >= policy.max_tries or spent_s >= policy.max_total_s:
            return None
        if not free:
            self._spent_s = spent_s
        return wait

    def _is_passed_over(self) -> bool:
        """Others were answered since this call asked last, and it has not been so for ever."""
        return self._pace.answers > self._answers and self._passed_over < PASSED_OVER
