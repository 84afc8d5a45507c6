"""The gate on the growing text: what it costs, and how much of spoilt replies is not read.

The reply is that of `bench_gate`, in pieces as providers send them; `json.loads` of the whole is
the measure. Spoilt replies are the same one with one fault at a random place.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Sequence
from time import perf_counter_ns

from bench_gate import mail, reply

from assay.core.text.spans import Shown
from assay.gate.gate import GateContext, judge, prefix_watch
from assay.gate.prefix import PrefixWatch
from assay.wiring import load_pack

ROUNDS = 200
SPOILT = 400
PIECES = (4, 16, 64)


def main() -> int:
    """Print both tables."""
    subject, body = mail()
    text = reply(body)
    contract = load_pack("intake").contract("classify")
    context = GateContext(shown=(Shown.of_text("subject", subject), Shown.of_text("body", body)))

    def new_watch() -> PrefixWatch:
        return prefix_watch(context, contract.checks, schema=contract.schema)

    def hear(size: int) -> bool:
        watch = new_watch()
        return max(map(watch.hear, _pieces(text, size)))

    if hear(PIECES[0]):
        raise SystemExit("the good reply was stopped")
    base = _median(lambda: json.loads(text))
    gate = _median(
        lambda: judge(text, context, contract.checks, schema=contract.schema, finish_reason="stop")
    )
    fresh = _median(new_watch)
    print(f"stream: {len(text)} characters of output, {len(body)} of mail, {ROUNDS} rounds")
    print(f"{'':36}{'us':>10}{'us/1000 chars':>16}{'x json.loads':>14}")
    rows = [("json.loads", base), ("gate, whole reply", gate), ("a fresh watch", fresh)]
    rows += [(f"watch, pieces of {size}", _median(lambda s=size: hear(s))) for size in PIECES]
    for name, taken in rows:
        print(f"{name:36}{taken:10.1f}{taken / len(text) * 1000:16.1f}{taken / base:14.1f}")

    print(f"\n{SPOILT} spoilt replies of each kind, pieces of 4: share of characters not read")
    chance = random.Random(7)
    for name, spoil in _SPOILERS.items():
        saved, stopped = [], 0
        for _ in range(SPOILT):
            spoilt = spoil(text, chance)
            read = _heard(new_watch(), _pieces(spoilt, 4))
            stopped += read < len(spoilt)
            saved.append(1 - read / len(spoilt))
        print(f"{name:36}{sum(saved) / len(saved):10.0%}   stopped {stopped / SPOILT:.0%}")
    return 0


def _pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _heard(watch: PrefixWatch, pieces: Sequence[str]) -> int:
    heard = 0
    for piece in pieces:
        heard += len(piece)
        if watch.hear(piece):
            break
    return heard


def _median(run: Callable[[], object]) -> float:
    taken = []
    for _ in range(ROUNDS):
        start = perf_counter_ns()
        run()
        taken.append(perf_counter_ns() - start)
    return sorted(taken)[len(taken) // 2] / 1000


def _replace_one(text: str, chance: random.Random, old: str, new: str) -> str:
    places = [at for at in range(len(text)) if text.startswith(old, at)]
    at = chance.choice(places)
    return text[:at] + new + text[at + len(old) :]


_SPOILERS: dict[str, Callable[[str, random.Random], str]] = {
    "prose before the object": lambda text, _: f"Here is the JSON you asked for:\n{text}",
    "code fence": lambda text, _: f"```json\n{text}\n```",
    "a word of a quote changed": lambda text, chance: _replace_one(text, chance, " der ", " die "),
    "an unknown label": lambda text, chance: _replace_one(
        text, chance, '"label": "', '"label": "MY_'
    ),
    "a trailing comma": lambda text, chance: _replace_one(text, chance, "}", ",}"),
    "a property too many": lambda text, chance: _replace_one(
        text, chance, '"confidence"', '"why": "so", "confidence"'
    ),
    "prose after the object": lambda text, _: f"{text}\n\n{'I hope that this helps you. ' * 12}",
}


if __name__ == "__main__":
    sys.exit(main())
