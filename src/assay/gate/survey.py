"""Labels and evidence in one walk over the output.

In      the label rules and the evidence rule of a contract
Out     Survey: a check that finds what they find
Pure    yes
Spec    000 H3 and evidence; interfaces.md, "The gate"

Only an output without fault is judged here from beginning to end. At the first doubt the
rules themselves are asked, so there is one place where each finding is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from assay.core.json.pointer import PatternSet, State, escape
from assay.core.text.spans import Locator
from assay.gate.gate import Check, Finding, GateContext, LocatedAt
from assay.gate.labels import LabelRule
from assay.gate.snippets import EvidenceRule

Quotes = list[tuple[str, str]]
"""JSON Pointer and snippet, in document order."""

Seen = set[tuple[int, str]]
"""Number of a label rule whose labels stand once, and a label that was there."""

_span = tuple.__new__  # a LocatedAt from a tuple, in half the time


class Survey:
    """The rules, and one automaton for all of their patterns."""

    any_shape = True

    __slots__ = ("_rules", "_start")

    def __init__(self, labels: Sequence[LabelRule], evidence: EvidenceRule) -> None:
        self._rules: tuple[LabelRule | EvidenceRule, ...] = (*labels, evidence)
        patterns = [*(rule.pattern for rule in labels), evidence.snippets, *evidence.required]
        self._start = _asked(PatternSet.of(patterns).start, labels, {})

    def __call__(
        self, output: dict[str, Any], context: GateContext
    ) -> Iterable[Finding | LocatedAt]:
        """What the rules give, in their order."""
        quotes: Quotes = []
        start = self._start
        if start.empty and _sound_object(output, start, "", quotes, set()):
            places = Locator(context.shown).places([snippet for _, snippet in quotes])
            try:
                return [
                    _span(LocatedAt, (pointer, *places[snippet])) for pointer, snippet in quotes
                ]
            except KeyError:
                pass  # a snippet is nowhere
        return (item for rule in self._rules for item in rule(output, context))


class _AskedStage:
    """A state of the automaton, with what the rules ask of a value there."""

    __slots__ = (
        "empty",
        "labelled",
        "labels",
        "listed",
        "named",
        "other",
        "plain",
        "quoted",
        "required",
        "snippet",
        "text",
    )

    def __init__(self, numbers: Sequence[int], rules: Sequence[LabelRule]) -> None:
        here = [number for number in numbers if number < len(rules)]
        sets = [frozenset(rules[number].set.labels) for number in here]
        self.labels: frozenset[str] = frozenset[str]().union(*sets[:1]).intersection(*sets)
        """Those that may stand here, when some rule speaks of this place."""
        self.labelled = bool(sets)
        self.listed = [n for n in here if rules[n].set.multi and not rules[n].set.repeats]
        """The rules for which a label stands once."""
        self.snippet = len(rules) in numbers
        self.text = self.labelled or self.snippet
        """Whether only a text can be right."""
        self.required = any(number > len(rules) for number in numbers)
        """Whether there must be a snippet here or further in."""
        self.plain = self.labelled and not self.snippet and not self.required
        """Whether a label stands here and nothing else is asked."""
        self.empty = not self.text and not self.required
        """Whether a value without parts is right, whatever it is."""
        self.named: dict[str, _AskedStage] = {}
        self.other: _AskedStage | None = None
        self.quoted = False
        """Whether all items of an array here are snippets and nothing else."""


def _asked(state: State, rules: Sequence[LabelRule], made: dict[State, _AskedStage]) -> _AskedStage:
    """*state* and all that it leads to."""
    if state not in made:
        asked = made[state] = _AskedStage(state.numbers, rules)
        for step, (_, after) in state.named.items():
            asked.named[step] = _asked(after, rules, made)
        if state.other is not None:
            item = asked.other = _asked(state.other, rules, made)
            asked.quoted = not state.digits and item.snippet and not item.labelled
    return made[state]


def _sound_object(
    node: dict[str, Any], state: _AskedStage, prefix: str, quotes: Quotes, seen: Seen
) -> bool:
    """Whether nothing under *node*, reached in *state*, is doubtful.

    Its snippets come into *quotes*. How deep it goes, the parser bounds.
    """
    named, other = state.named, state.other
    for key, child in node.items():
        asked = named.get(key, other)
        if asked is None:
            continue
        kind = child.__class__
        if kind is list or kind is dict:
            if asked.text:
                return False
            step = escape(key) if "~" in key or "/" in key else key
            before = len(quotes)
            if asked.quoted and kind is list:
                # The commonest array of all.
                for index, item in enumerate(child):
                    if item.__class__ is not str:
                        return False
                    quotes.append((f"{prefix}/{step}/{index}", item))
            else:
                walk = _sound_array if kind is list else _sound_object
                if not walk(child, asked, f"{prefix}/{step}", quotes, seen):
                    return False
            if asked.required and len(quotes) == before:
                return False
        elif asked.empty:
            continue
        elif kind is not str:
            return False
        elif not asked.plain:
            pointer = f"{prefix}/{escape(key)}"
            if not _sound_text(child, asked, pointer, quotes, seen):
                return False
        elif child not in asked.labels:
            return False
        else:
            for number in asked.listed:
                if (number, child) in seen:
                    return False
                seen.add((number, child))
    return True


def _sound_array(
    node: list[Any], state: _AskedStage, prefix: str, quotes: Quotes, seen: Seen
) -> bool:
    """As `_sound_object`."""
    named, asked = state.named, state.other
    for index, child in enumerate(node):
        if named:
            asked = named.get(str(index), state.other)
        if asked is None:
            continue
        kind = child.__class__
        if kind is dict or kind is list:
            if asked.text:
                return False
            before = len(quotes)
            walk = _sound_object if kind is dict else _sound_array
            if not walk(child, asked, f"{prefix}/{index}", quotes, seen):
                return False
            if asked.required and len(quotes) == before:
                return False
        elif not asked.empty and (
            kind is not str or not _sound_text(child, asked, f"{prefix}/{index}", quotes, seen)
        ):
            return False
    return True


def _sound_text(text: str, asked: _AskedStage, pointer: str, quotes: Quotes, seen: Seen) -> bool:
    """Whether a text may stand where *asked* is."""
    if asked.labelled:
        if text not in asked.labels:
            return False
        for number in asked.listed:
            if (number, text) in seen:
                return False
            seen.add((number, text))
    if asked.snippet:
        quotes.append((pointer, text))
    return asked.snippet or not asked.required


def together(checks: Iterable[Check]) -> tuple[Check, ...]:
    """*checks*, with label rules and the evidence rule among them as one `Survey` in front."""
    given = tuple(checks)
    labels = [check for check in given if isinstance(check, LabelRule)]
    evidence = [check for check in given if isinstance(check, EvidenceRule)]
    if len(evidence) != 1:
        return given
    rest = [check for check in given if not isinstance(check, LabelRule | EvidenceRule)]
    return (Survey(labels, evidence[0]), *rest)
