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

from assay.core.pointer import PatternSet
from assay.core.text import Locator
from assay.gate.gate import Check, Finding, GateContext, LocatedAt
from assay.gate.labels import LabelRule
from assay.gate.snippets import EvidenceRule, lies_under


class Survey:
    """The rules, and one automaton for all of their patterns."""

    any_shape = True

    __slots__ = ("_evidence", "_labels", "_listed", "_patterns", "_rules", "_snippet")

    def __init__(self, labels: Sequence[LabelRule], evidence: EvidenceRule) -> None:
        self._rules: tuple[LabelRule | EvidenceRule, ...] = (*labels, evidence)
        self._labels = [rule.set.labels for rule in labels]
        self._listed = [rule.set.multi and not rule.set.repeats for rule in labels]
        self._snippet = len(labels)
        self._patterns = PatternSet.of(
            [*(rule.pattern for rule in labels), evidence.snippets, *evidence.required]
        )

    def __call__(
        self, output: dict[str, Any], context: GateContext
    ) -> Iterable[Finding | LocatedAt]:
        """What the rules give, in their order."""
        spans = self._spans(output, context)
        if spans is not None:
            return spans
        return (item for rule in self._rules for item in rule(output, context))

    def _spans(self, output: dict[str, Any], context: GateContext) -> list[LocatedAt] | None:
        """The spans of an output in which nothing is at fault; None when something may be."""
        labels, listed, snippet_number = self._labels, self._listed, self._snippet
        quotes: list[tuple[str, str]] = []
        wanting: list[tuple[str, int]] = []
        seen: set[tuple[int, str]] = set()
        for pointer, value, numbers in self._patterns.places(output):
            for number in numbers:
                if number > snippet_number:
                    wanting.append((pointer, len(quotes)))
                elif value.__class__ is not str:
                    return None
                elif number == snippet_number:
                    quotes.append((pointer, value))
                elif value not in labels[number]:
                    return None
                elif listed[number]:
                    if (number, value) in seen:
                        return None
                    seen.add((number, value))
        found = len(quotes)
        for pointer, at in wanting:
            if at == found or not lies_under(quotes[at][0], pointer):
                return None
        places = Locator(context.shown).places([snippet for _, snippet in quotes])
        spans: list[LocatedAt] = []
        for pointer, snippet in quotes:
            location = places.get(snippet)
            if location is None:
                return None
            spans.append(LocatedAt(pointer, *location))
        return spans


def together(checks: Iterable[Check]) -> tuple[Check, ...]:
    """*checks*, with label rules and the evidence rule among them as one `Survey` in front."""
    given = tuple(checks)
    labels = [check for check in given if isinstance(check, LabelRule)]
    evidence = [check for check in given if isinstance(check, EvidenceRule)]
    if len(evidence) != 1:
        return given
    rest = [check for check in given if not isinstance(check, LabelRule | EvidenceRule)]
    return (Survey(labels, evidence[0]), *rest)
