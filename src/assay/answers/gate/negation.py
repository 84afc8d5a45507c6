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

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from assay.answers.gate.citations import ANSWER_WORDS, Sentence, without_markers
from assay.answers.gate.clause import ABSOLUTE, DENYING, Clause, Turn
from assay.answers.gate.content_words import (
    guess_text_language,
    is_other_language,
    likely_languages,
)
from assay.answers.gate.negation_words import follows
from assay.answers.gate.polarity import OF_THE_NEXT, read_clauses
from assay.answers.gate.support import Passages, measure_support, sentence_language
from assay.core.text.sentences import sentences as split_sentences
from assay.gate.verdict import Finding, Severity

_ANSWERED = re.compile(rf"[\W_]{{0,8}}(?:{ANSWER_WORDS})[*_]{{0,3}}[.,!:;–—。、،]", re.IGNORECASE)
"""`No,` answers the question and denies nothing of what follows."""

_MOST_HOLDERS: Final = 256
"""Clauses that are looked at for one word; a word that more of them hold tells nothing."""

_NEAR: Final = 0.5
"""A clause that shares at least this part of what the best one shares may turn a claim."""

_FURTHEST: Final = 0.35
"""And one that shares this part of it may be nothing but a denial: `but cats are not`."""

_NEARER: Final = 0.7
"""And one that shares this part of it may carry a denial of few words; of many, as before."""

_FEW_KEYS: Final = 6
"""A clause of more words is often drawn from several passages."""

_EQUAL: Final = 1e-9
"""Shares that differ by less are equal."""

_AFFIXES: Final = ("un", "non", "in", "im", "ir", "il", "dis", "mis", "nicht", "des", "anti")
_SUFFIXES: Final = ("less", "los", "frei")
_UNTIL: Final = frozenset({("time", "before"), ("bound", "under")})
_BY_DEFAULT: Final = frozenset({"default", "standard", "standardmassig", "defaut", "domysl"})
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

    def scores(self, keys: frozenset[str]) -> dict[int, float]:
        """What each clause holds of *keys*; a key that many clauses hold tells less."""
        found: dict[int, float] = {}
        for key in sorted(keys):
            holders = self.holders.get(key, ())
            for number in holders:
                found[number] = found.get(number, 0) + 1 + 1 / len(holders)
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
        answered = _ANSWERED.match(body)
        body = body[answered.end() :] if answered else body
        spoken = sentence_language(body, whole)
        cited = [
            each
            for each in sentence.anchors
            if each in passages.texts and _can_compare(body, spoken, passages, each)
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


def _can_compare(body: str, language: str | None, passages: Passages, anchor: str) -> bool:
    """Whether a chunk is in the language of a sentence, or part of it is: half its words."""
    if not is_other_language(body, passages.language(anchor)):
        return True
    found = measure_support(body, language, passages, [anchor])
    return found.own_held > 0 and 2 * found.own_held >= found.own_words


def _languages(body: str, whole: str | None, chunks: Sequence[str]) -> tuple[str | None, ...]:
    """What a sentence is read in: all that it may be in, where it cannot be told."""
    told = sentence_language(body, whole)
    if told:
        return (told,)
    likely, guess = likely_languages(body), guess_text_language(chunks[0])
    if guess and (guess in likely or not likely):
        return (guess,)
    return likely or likely_languages(chunks[0]) or (None,)


def _why_turned(body: str, language: str | None, indexes: Sequence[ClauseIndex]) -> str | None:
    for clause in read_clauses(body, language):
        why = _compare(clause, _carriers(clause, indexes))
        if why:
            return why
    return None


class Carriers(NamedTuple):
    """The clauses of the passages that speak of what a clause speaks of."""

    best: Sequence[Clause]
    """Those that share most with it."""

    nearer: Sequence[Clause]
    near: Sequence[Clause]
    every: Sequence[Clause]
    """Those that share anything: `but cats are not` shares one word."""


def _carriers(clause: Clause, indexes: Sequence[ClauseIndex]) -> Carriers:
    scored = [
        (score, index.clauses[number])
        for index in indexes
        for number, score in index.scores(clause.keys).items()
    ]
    most = max((score for score, _ in scored), default=0)
    least = (most - 1, most * _NEAR, most * _FURTHEST, 0.0)
    if len(clause.keys) <= _FEW_KEYS:
        least = (most - _EQUAL, most * _NEARER, most * _FURTHEST, 0.0)
    return Carriers(*([found for score, found in scored if score >= share] for share in least))


def _compare(clause: Clause, carriers: Carriers) -> str | None:
    """Why *clause* says another thing than what carries it; None when it does not."""
    best, nearer, near, every = carriers
    if clause.doubles and any(_grounds_limit(each) for each in near):
        return None
    if best and all(_contradicts(clause, carrier) for carrier in best):
        return "turns round what the passage says that it cites"
    if any(_denies_in_short(clause, carrier, best) for carrier in every):
        return "turns round what the passage says that it cites"
    if clause.denies and not any(_grounds_denial(each, clause) for each in nearer):
        return "denies what no passage that it cites denies"
    excepts = any(denial.excepts for denial in clause.denials)
    if excepts and not any(map(_grounds_exception, near)):
        return "makes an exception that no passage makes that it cites"
    if clause.limits and not any(_grounds_limit(each) for each in near):
        return "limits what no passage limits that it cites"
    said = {turn[:2] for turn in clause.turns} & ABSOLUTE
    if any(all(axis != turn.axis for each in near for turn in each.turns) for axis, _ in said):
        return "says of all what no passage says of all that it cites"
    return None


def _grounds_denial(carrier: Clause, clause: Clause) -> bool:
    free = any(turn.pole == "free" for turn in carrier.turns)
    return (
        carrier.may_deny
        or not carrier.keys.isdisjoint(_BY_DEFAULT)
        or _is_of_exception(clause, carrier)
        or (free and not any(turn.axis == "charge" for turn in clause.turns))
        or _says_without(carrier.keys, clause.keys)
    )


def _says_without(denied: frozenset[str], plain: frozenset[str]) -> bool:
    """`unlimited` beside `limit`, `borderless`."""
    return _any_affixed(plain, denied) or any(key.endswith(_SUFFIXES) for key in denied)


def _grounds_exception(carrier: Clause) -> bool:
    """What is so by default has exceptions."""
    excepts = carrier.excepts or carrier.denies or carrier.limits
    return excepts or not carrier.keys.isdisjoint(_BY_DEFAULT)


def _grounds_limit(carrier: Clause) -> bool:
    modal = any(turn[:2] == ("modality", "must") for turn in carrier.turns)
    return carrier.limits or carrier.excepts or carrier.denies or modal


def _contradicts(clause: Clause, carrier: Clause) -> bool:
    if clause.whole:
        return clause.denies != carrier.denies or _is_opposed(clause, carrier)
    if carrier.doubles and not clause.denies and _speaks_of_condition(clause, carrier):
        return False
    if _is_of_exception(clause, carrier) and (clause.denies or _is_opposed(clause, carrier)):
        return False
    return (
        _has_sides_changed(clause, carrier)
        or _has_numbers_changed(clause, carrier)
        or _is_opposed(clause, carrier)
        or _is_denied(clause, carrier)
        or _denies_what_stands(clause, carrier)
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
    if not clause.keys <= carrier.keys or max(len(clause.keys), len(carrier.keys)) > _MOST_KEYS:
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


def _is_of_exception(clause: Clause, carrier: Clause) -> bool:
    """The clause speaks of what the passage excepts, so it may say the opposite."""
    return any(
        denial.excepts and not clause.keys.isdisjoint(denial.scope) for denial in carrier.denials
    )


def _speaks_of_condition(clause: Clause, carrier: Clause) -> bool:
    """`A receipt is needed` where the passage says `not valid without a receipt`."""
    scopes = [denial.scope for denial in carrier.denials if denial.excepts]
    scopes += [tuple(turn.beside) for turn in carrier.turns if turn[:2] == ("company", "without")]
    return any(not clause.keys.isdisjoint(scope) for scope in scopes)


def _is_condition(axis: str, clause: Clause, carrier: Clause) -> bool:
    """`May only with consent` is `must have consent`; `open until 10` is `closes at 10`."""
    poles = {turn.pole for each in (clause, carrier) for turn in each.turns if turn.axis == axis}
    if axis == "modality":
        return poles == {"may", "must"} and (clause.limits or carrier.limits)
    until = any(turn[:2] in _UNTIL for each in (clause, carrier) for turn in each.turns)
    return axis == "open" and until and any(map(_is_number, clause.keys & carrier.keys))


def _is_opposed(clause: Clause, carrier: Clause) -> bool:
    """They stand on different poles of one axis."""
    for axis in {turn.axis for turn in clause.turns}:
        pairs = [
            (one.pole, other.pole)
            for one in clause.turns
            for other in carrier.turns
            if one.axis == axis == other.axis and _are_about_one(one, other)
        ]
        if pairs and _is_condition(axis, clause, carrier):
            continue
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


def _denies_what_stands(clause: Clause, carrier: Clause) -> bool:
    """The clause denies what the passage asserts, which denies or excepts another thing."""
    turns = carrier.may_deny or carrier.excepts or not carrier.keys.isdisjoint(_BY_DEFAULT)
    if not turns or not clause.keys <= carrier.keys:
        return False
    reached = {key for denial in carrier.denials for key in denial.scope}
    reached.update(*(turn.beside for turn in carrier.turns if turn.pole in DENYING))
    said = [denial for denial in clause.denials if denial.scope and not denial.excepts]
    return bool(said) and reached.isdisjoint(clause.keys)


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
