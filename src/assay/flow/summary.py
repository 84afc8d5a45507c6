"""What later turns are told of earlier ones.

In      a memory whose turn has ended
Out     its summary with one item more, the oldest gone when there are too many; the slot's text
Pure    yes: no model is asked, equal turns give equal items
Spec    003 "Optional summary of earlier turns (≤20 items)"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.flow.graph import TurnRules
from assay.flow.slots import Filled, cost
from assay.flow.state import Memory, state_text


def with_turn(memory: Memory, number: int, turn_rules: TurnRules) -> tuple[Mapping[str, Any], ...]:
    """The summary once turn *number* has ended with `memory.reply`."""
    item = {
        "turn": number,
        "user": shorten_line(memory.message, turn_rules.summary_chars),
        "reply": shorten_line(memory.reply or "", turn_rules.summary_chars),
    }
    kept = (*memory.summary, item)
    return kept[max(0, len(kept) - turn_rules.summary_items) :]


def summary_slot(
    items: Sequence[Mapping[str, Any]], max_tokens: int, name: str, tokenizer: str
) -> Filled:
    """The latest items within *max_tokens*, oldest first; `omitted` numbers the turns left out.

    One JSON object a line, so that nothing a user said can look like another item. Characters
    are no measure: a text of one script takes many times the tokens of another.
    """
    lines = [state_text(item) for item in items]
    first, spent = len(lines), 0
    while first and (spent := spent + cost(lines[first - 1], tokenizer)) <= max_tokens:
        first -= 1
    return Filled(
        name=name,
        text="\n".join(lines[first:]),
        rows=len(lines),
        omitted=tuple(str(item["turn"]) for item in items[:first]),
    )


def shorten_line(text: str, most: int) -> str:
    """*text* in one line of at most *most* code points; `…` says that there was more."""
    line = " ".join(text[: most * 8].split())
    if len(line) > most or len(text) > most * 8:
        line = line[: most - 1].rstrip() + "…"
    return line
