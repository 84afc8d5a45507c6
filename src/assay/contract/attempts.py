"""Shorten what an attempt shows: first what others said, then the ends of the longest texts.

In      named texts, and a question "does this fit?"
Out     what is shown of every text: verbatim slices, in order; None when nothing fits
Pure    no clock, no randomness, no I/O: equal texts and answers give equal slices
Spec    000, "Retry policy" (attempt 2: a shortened input) and "Token budgets"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.core.text import Shown
from assay.sources.quoting import Block, blocks

Fits = Callable[[tuple[Shown, ...]], bool]
"""Does a prompt that shows this keep the budget? Showing less must never turn yes into no."""


def shorten(texts: Mapping[str, str], fits: Fits) -> tuple[Shown, ...] | None:
    """What a shortened attempt shows of *texts*, one Shown a text and in their order.

    Replies and forwards that a text carries along, signatures and disclaimers go first, from
    every text. If that does not fit yet, the longest texts are cut at sentence ends.
    """
    shown = tuple(Shown.whole(name, text) for name, text in texts.items())
    return shown if fits(shown) else None


def omitted(shown: Shown) -> tuple[Block, ...]:
    """The parts of a text that *shown* leaves out, with what they are; white space aside.

    `own` is the sender's text that was cut to fit.
    """
    return tuple(block for block in blocks(shown.original) if not shown.segments)
