"""What the fuzzers share: their options, and how work grows when its input becomes longer."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import process_time
from typing import TypeVar

Input = TypeVar("Input")

ROUNDS = 5
"""So often is a piece of work done to know how long it takes at best."""

ENOUGH_S = 1.0
"""Longer than this in all, and no further round is made."""


STEEP = 3.5
"""Work that grows by more than this for twice the input is not linear, on any machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """How long one kind of work takes for an input, and for one of twice the length."""

    name: str
    once: float
    twice: float

    @property
    def ratio(self) -> float:
        """2 is linear."""
        return self.twice / max(self.once, 1e-4)


def make_parser(doc: str) -> argparse.ArgumentParser:
    """The options that every fuzzer has."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60, help="for so long (60)")
    parser.add_argument("--seed", type=int, default=1, help="what chance starts from (1)")
    return parser


def measure_growth(name: str, work: Callable[[Input], object], once: Input, twice: Input) -> Growth:
    """The growth of *work* from an input to *twice* of it."""
    return Growth(name=name, once=_measure(work, once), twice=_measure(work, twice))


def print_growth(growths: Iterable[Growth], most: int = 60) -> None:
    """A table of *growths*, the steepest first, and no more than *most* of them."""
    print(f"\n{'time for twice the input, by that for once (2 is linear)':<62}{'once, ms':>10}")
    for each in sorted(growths, key=lambda growth: -growth.ratio)[:most]:
        print(f"{each.ratio:>8.2f}  {each.name[:50]:<52}{each.once * 1e3:>10.1f}")


def _measure(work: Callable[[Input], object], given: Input) -> float:
    """Seconds of this process for the quickest of a few rounds."""
    times: list[float] = []
    while len(times) < ROUNDS and sum(times) < ENOUGH_S:
        begun = process_time()
        work(given)
        times.append(process_time() - begun)
    return min(times)
