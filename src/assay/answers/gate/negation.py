"""A claim that is turned round against the passage that carries it.

In      the sentences of an answer, the cited chunks
Out     findings
Pure    yes; linear in answer and chunks
Spec    005-A4; interfaces.md, "Answers" (grounding.negation)

Each clause is held against the clauses of the cited chunks that share most of its words, not
against the whole chunk: a long chunk has a `not` somewhere. Where several share equally many,
one that agrees is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from assay.answers.gate.citations import Sentence, without_markers
from assay.answers.gate.content_words import (
    guess_text_language,
    likely_languages,
)
from assay.answers.gate.negation_words import follows
from assay.answers.gate.polarity import OF_THE_NEXT, Clause, Turn, read_clauses
from assay.answers.gate.support import Passages, sentence_language
from assay.core.text.sentences import sentences as split_sentences
from assay.gate.gate import Finding, Severity

_MOST_HOLDERS: Final = 256
"""Clauses that are looked at for one word; a word that more of them hold tells nothing."""

_NEAR: Final = 0.5
"""A clause that shares at least this part of what the best one shares may carry a denial."""

_AFFIXES: Final = ("un", "non", "in", "im", "ir", "il", "dis", "mis", "nicht", "des", "anti")
_ABSOLUTE: Final = frozenset({("amount", "all"), ("frequency", "always")})
"""Poles that a passage must speak of: a claim of all is more than a claim."""

_MOST_KEYS: Final = 40
"""A clause of more words is a list; which number belongs to what is not looked for there."""

_SHORTEST: Final = 4
"""Letters of a word that an affix denies."""


@dataclass(slots=True)
class ClauseIndex:
    """The clauses of one chunk, to be found by what they speak of."""

    clauses: list[Clause] = field(default_factory=list)
    holders: dict[str, list[int]] = field(default_factory=dict)

    def add(self, clause: Clause) -> None:
        number = len(self.clauses)
        self.clauses.append(clause)
        for key in clause.keys:
            holders = self.holders.setdefault(key, [])
            if len(holders) < _MOST_HOLDERS:
                holders.append(number)

    def scores(self, keys: frozenset[str]) -> dict[int, int]:
        """How many of *keys* each clause holds, those that hold any."""
        found: dict[int, int] = {}
        for key in keys:
            for number in self.holders.get(key, ()):
                found[number] = found.get(number, 0) + 1
        return found


def index_clauses(text: str, language: str | None) -> ClauseIndex:
    """Read the clauses of a chunk."""
    index = ClauseIndex()
    for start, stop in split_sentences(text):
        for clause in read_clauses(text[start:stop], language):
            index.add(clause)
    return index


def check_negation(
    text: str, sentences: Sequence[Sentence], passages: Passages, *, severity: Severity
) -> Iterator[Finding]:
    """Hold what each cited sentence denies and turns against the passage that carries it.

    Args:
        text: The answer.
        sentences: Its sentences, as `read_sentences` gives them.
        passages: The evidence.
        severity: What a claim that was turned round does.

    Spec: 005-A4.
    """
    bare = without_markers(text)
    whole = guess_text_language(bare)
    known: dict[tuple[str, str | None], ClauseIndex] = {}
    for number, sentence in enumerate(sentences, start=1):
        body = bare[sentence.start : sentence.stop]
        spoken = sentence_language(body, whole)
        cited = [
            each
            for each in sentence.anchors
            if each in passages.texts and not passages.differs(each, body, spoken)
        ]
        if not cited:
            continue
        why = None
        for language in _languages(body, whole, [passages.texts[each] for each in cited]):
            for each in cited:
                if (each, language) not in known:
                    known[each, language] = index_clauses(passages.texts[each], language)
            why = why or _why_turned(body, language, [known[each, language] for each in cited])
        if why:
            yield Finding(
                code="grounding.negation",
                severity=severity,
                start=sentence.start,
                stop=sentence.stop,
                message=f"sentence {number} {why}",
            )


def _languages(body: str, whole: str | None, chunks: Sequence[str]) -> tuple[str | None, ...]:
    """What a sentence is read in: all that it may be in, where it cannot be told."""
    told = sentence_language(body, whole)
    if told:
        return (told,)
    likely = dict.fromkeys((*likely_languages(body), *likely_languages(f"{body} {chunks[0]}")))
    return tuple(likely) or (None,)


def _why_turned(body: str, language: str | None, indexes: Sequence[ClauseIndex]) -> str | None:
    for clause in read_clauses(body, language):
        best, near = _carriers(clause, indexes)
        why = _compare(clause, best, near)
        if why:
            return why
    return None


def _carriers(clause: Clause, indexes: Sequence[ClauseIndex]) -> tuple[list[Clause], list[Clause]]:
    """The clauses that share most with *clause*, and those that share nearly as much."""
    scored = [
        (score, index.clauses[number])
        for index in indexes
        for number, score in index.scores(clause.keys).items()
    ]
    most = max((score for score, _ in scored), default=0)
    best = [found for score, found in scored if score == most]
    return best, [found for score, found in scored if score >= most * _NEAR]


def _compare(clause: Clause, best: Sequence[Clause], near: Sequence[Clause]) -> str | None:
    """Why *clause* says another thing than what carries it; None when it does not."""
    if best and all(_contradicts(clause, carrier) for carrier in best):
        return "turns round what the passage says that it cites"
    if any(_denies_in_short(clause, carrier, best) for carrier in near):
        return "turns round what the passage says that it cites"
    if clause.denies and not any(_grounds_denial(each) for each in near):
        return "denies what no passage that it cites denies"
    if clause.excepts and not any(each.excepts or each.denies or each.limits for each in near):
        return "makes an exception that no passage makes that it cites"
    if clause.limits and not any(_grounds_limit(each) for each in near):
        return "limits what no passage limits that it cites"
    said = {turn[:2] for turn in clause.turns} & _ABSOLUTE
    if any(all(axis != turn.axis for each in near for turn in each.turns) for axis, _ in said):
        return "says of all what no passage says of all that it cites"
    return None


def _grounds_denial(carrier: Clause) -> bool:
    return carrier.denies or carrier.excepts or any(map(_is_denied_word, carrier.keys))


def _grounds_limit(carrier: Clause) -> bool:
    modal = any(turn[:2] == ("modality", "must") for turn in carrier.turns)
    return carrier.limits or carrier.excepts or carrier.denies or modal


def _is_denied_word(key: str) -> bool:
    return key.startswith(_AFFIXES) or key.endswith(("less", "los", "frei"))


def _contradicts(clause: Clause, carrier: Clause) -> bool:
    if clause.whole:
        return clause.denies != carrier.denies
    return (
        _has_sides_changed(clause, carrier)
        or _has_numbers_changed(clause, carrier)
        or _is_opposed(clause, carrier)
        or _is_denied(clause, carrier)
        or _has_opposite_word(clause, carrier)
    )


def _has_sides_changed(clause: Clause, carrier: Clause) -> bool:
    """`B is cheaper than A` where the passage says `A is cheaper than B`."""
    if clause.sides is None or carrier.sides is None or clause.denies != carrier.denies:
        return False
    same_pole = {turn[:2] for turn in clause.turns} & {turn[:2] for turn in carrier.turns}
    (left, right), (first, second) = clause.sides, carrier.sides
    return bool(same_pole and left & second and right & first and not left & first)


def _has_numbers_changed(clause: Clause, carrier: Clause) -> bool:
    """`A costs 9 and B costs 5` where the passage says `A costs 5 and B costs 9`.

    Only where the clause says nothing but what its passage says, and where each of two
    stretches of the passage has a number or a name of its own: lists and sums are no such case.
    """
    most = max(len(each.keys) + len(each.stretches) for each in (clause, carrier))
    if most > _MOST_KEYS or not clause.keys <= carrier.keys:
        return False
    for stretch in clause.stretches:
        for number in filter(_is_number, stretch):
            beside = [each for each in carrier.stretches if number in each]
            if not beside or any(each <= stretch for each in beside):
                continue
            apart = stretch.difference(*beside)
            if any(
                not apart.isdisjoint(other) and any(map(_is_number, other - stretch))
                for other in carrier.stretches
            ):
                return True
    return False


def _is_number(key: str) -> bool:
    return any(map(str.isdigit, key))


def _is_opposed(clause: Clause, carrier: Clause) -> bool:
    """They stand on different poles of one axis."""
    for axis in {turn.axis for turn in clause.turns}:
        pairs = [
            (one.pole, other.pole)
            for one in clause.turns
            for other in carrier.turns
            if one.axis == axis == other.axis and _are_about_one(one, other)
        ]
        if pairs and not any(follows(axis, said, read) for said, read in pairs):
            return True
    return False


def _are_about_one(one: Turn, other: Turn) -> bool:
    """Whether two poles stand beside a common word, or one beside none."""
    if not one.beside or not other.beside:
        return one.axis not in OF_THE_NEXT
    return not one.beside.isdisjoint(other.beside)


def _is_denied(clause: Clause, carrier: Clause) -> bool:
    """The passage denies, or excepts, what the clause asserts."""
    if clause.denies or clause.excepts:
        return False
    whole = clause.keys <= carrier.keys
    for denial in carrier.denials:
        if not denial.scope:
            continue
        reached = [key in clause.keys for key in denial.scope]
        if any(reached) if denial.excepts else all(reached) or (whole and reached[0]):
            return True
    return False


def _denies_in_short(clause: Clause, carrier: Clause, best: Sequence[Clause]) -> bool:
    """`…, but cats are not`: a clause that is nothing but a denial of what the claim is of."""
    if clause.denies or not carrier.denials or carrier.turns or not carrier.keys <= clause.keys:
        return False
    return all(carrier.keys.isdisjoint(each.keys) for each in best)


def _has_opposite_word(clause: Clause, carrier: Clause) -> bool:
    """`legal` where the passage says `illegal`, or the other way round."""
    if clause.denies or carrier.denies:
        return False
    mine, theirs = clause.keys - carrier.keys, carrier.keys - clause.keys
    return _any_affixed(mine, theirs) or _any_affixed(theirs, mine)


def _any_affixed(plain: frozenset[str], affixed: frozenset[str]) -> bool:
    return any(
        len(key) >= _SHORTEST and f"{affix}{key}" in affixed for key in plain for affix in _AFFIXES
    )
