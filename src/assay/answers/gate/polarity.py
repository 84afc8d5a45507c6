"""Which way a clause turns: its poles, its denials and what they reach.

In      one sentence, its language
Out     Clause values: what it speaks of, where it stands on each axis, what it denies
Pure    yes; linear
Spec    005-A4

A denial beside a word of an axis moves the claim to the other pole (`not allowed` is
forbidden, `not before` is after); any other denial reaches the next content words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import Final

from assay.answers.gate.clause import DENYING, Clause, Denial, Turn, stands_on_denial
from assay.answers.gate.content_words import content_words
from assay.answers.gate.marked_words import (
    COMPARING,
    REACH,
    Word,
    is_sign,
    mark_words,
    split_words,
)
from assay.answers.gate.negation_words import (
    CONTRASTS,
    EXCEPTIONS,
    LINKS,
    OTHERWISE,
    deny,
)
from assay.answers.gate.turning_words import POLES
from assay.answers.gate.unspaced_words import (
    UNSPACED,
    denies_unspaced,
    unspaced_poles,
    without_denials,
)
from assay.core.text.word_sets import word_set

_BY_SCRIPT: Final = (("ru", re.compile("[а-я]")), ("ar", re.compile("[ء-ي]")))
"""Whose denials are looked for where the language cannot be told."""

_BACK: Final = 3
"""Words between a share and what it compares: `15 % of the cards more`."""

_SCOPE: Final = 2
"""Content words that a free denial reaches."""

_FAR: Final = 24
"""Words that are looked through for them."""

_MOST_TURNS: Final = 64
"""Poles of one clause that are kept; no sentence of a language has more."""

OF_THE_NEXT: Final = frozenset({"rank", "company"})
"""Axes of words that speak of the words behind them: `more`, `with`."""

_OF_GRAMMAR: Final = frozenset(
    {"modality", "amount", "frequency", "time", "bound", "rank", "company"}
)
"""Axes of small words; those of the others say what a text is about."""

_NOT_BACKWARDS: Final = frozenset({"bound", "time", "company", "rank", "amount"})
"""Axes of words that a denial behind them does not reach."""

_NEXT_ALONE: Final = frozenset({"bound", "time", "company"})
"""Axes of words that a denial moves only where it stands just before them: who gives nothing to
children under 12 gives nothing to those over 12 either."""

_MEASURED: Final = frozenset({"bound", "time", "rank"})
"""Axes of words that a denial makes their opposites and nothing more: `not before`."""

_VERB_FIRST: Final = frozenset({"de", "fr", "nl"})
"""Languages whose denial stands behind any verb, not only behind `may` and `must`."""


def read_clauses(text: str, language: str | None) -> Iterator[Clause]:
    """The clauses of a sentence; `but` and a semicolon begin another.

    Example:
        >>> [clause] = read_clauses("Dogs are not allowed.", "en")
        >>> sorted(clause.keys), [(turn.axis, turn.pole) for turn in clause.turns]
        (['dog', '~modality'], [('modality', 'no')])
    """
    spoken = language or next((code for code, script in _BY_SCRIPT if script.search(text)), "en")
    if spoken in UNSPACED:
        yield _read_unspaced(text, spoken)
        return
    for words in _split(split_words(text), spoken):
        mark_words(words, spoken)
        if any(word.key or word.turn or word.denies for word in words):
            yield _clause(words, spoken)


def _read_unspaced(text: str, language: str) -> Clause:
    denies = denies_unspaced(text, language)
    words = content_words(without_denials(text, language), language)
    return Clause(
        keys=frozenset(word.key for word in words if not word.grammar),
        turns=frozenset(Turn(*place) for place in unspaced_poles(text, language)),
        denials=(),
        denies=denies,
        may_deny=denies,
        excepts=False,
        limits=False,
        whole=True,
    )


def _split(words: Sequence[str], language: str) -> Iterator[list[Word]]:
    """Clauses as words, each with the number of its stretch; commas and links end one."""
    contrasts = CONTRASTS.get(language, frozenset())
    links = LINKS.get(language, frozenset())
    exceptions = EXCEPTIONS.get(language, frozenset())
    clause: list[Word] = []
    part = 0
    for word in words:
        if word == ";" or (word,) in contrasts:
            if clause:
                yield clause
            clause, part = [], 0
        elif _ends_stretch(word, links) and not (clause and (clause[-1].text, word) in exceptions):
            part += 1
        else:
            clause.append(Word(word, part))
    if clause:
        yield clause


def _ends_stretch(word: str, links: frozenset[tuple[str, ...]]) -> bool:
    return (word,) in links or is_sign(word)


def _clause(words: list[Word], language: str) -> Clause:
    denied = [at for at, word in enumerate(words) if word.denies]
    moved = {target: at for at in denied if (target := _pole_near(words, at, language)) is not None}
    bounds: set[int] = set()
    for target, at in moved.items():
        words[at].spent = True
        word = words[target]
        assert word.turn is not None
        if word.turn.axis in _MEASURED:
            bounds.add(at)
        pole = deny(word.turn.axis, word.turn.pole, word.text, POLES[word.turn.axis])
        word.turn = Turn(word.turn.axis, pole)
    placed = islice(((at, word.turn) for at, word in enumerate(words) if word.turn), _MOST_TURNS)
    turns = {turn._replace(beside=frozenset(_near_keys(words, at))) for at, turn in placed}
    keys = {word.key for word in words if word.key} | {f"~{turn.axis}" for turn in turns}
    unspent = [at for at in denied if not words[at].spent]
    free = list(unspent)
    free += [at for at, word in enumerate(words) if word.excepts and word.text not in OTHERWISE]
    return Clause(
        keys=frozenset(keys),
        turns=frozenset(turns),
        denials=tuple(Denial(_scope(words, at), words[at].excepts) for at in sorted(free)),
        denies=any(at not in bounds for at in denied) or stands_on_denial(turns),
        may_deny=bool(denied) or any(turn.pole in DENYING for turn in turns),
        doubles=len(denied) + len(free) - len(unspent) > 1,
        excepts=any(word.excepts for word in words),
        limits=any(word.limits for word in words),
        sides=_sides(words),
        stretches=tuple(_stretches(words)),
    )


def _stretches(words: Sequence[Word]) -> Iterator[frozenset[str]]:
    for _, group in groupby(words, key=lambda word: word.part):
        keys = frozenset(word.key for word in group if word.key)
        if keys:
            yield keys


def _sides(words: Sequence[Word]) -> tuple[frozenset[str], frozenset[str]] | None:
    """What a comparison compares: `A is cheaper | than | B`."""
    for at, word in enumerate(words):
        if word.compares and any(each.turn for each in words[max(0, at - REACH) : at]):
            left = {each.key for each in words[:at] if each.key}
            right = {each.key for each in words[at:] if each.key}
            return frozenset(left - right), frozenset(right - left)
    return None


_OWN_REACH: Final = word_set(
    "lack lacks lacking instead rather fail fails failed statt anstelle unable hardly"
)
"""Denials that are about the words behind them and move no pole."""


def _pole_near(words: Sequence[Word], at: int, language: str) -> int | None:
    """The pole that the denial at *at* moves: just before it, else the next in its stretch."""
    part, denial = words[at].part, words[at]
    if (denial.turn and denial.turn.axis == "company") or denial.text in _OWN_REACH:
        return None
    before = range(at - 1, max(-1, at - 3), -1)
    after = range(at + 1, min(len(words), at + 1 + REACH))
    further = range(at - 3, max(-1, at - 3 - REACH), -1)
    for places in (before, after, further):
        for place in places:
            word = words[place]
            if word.part != part:
                break
            if word.turn and _is_out_of_reach(word, word.turn, place - at):
                continue
            if (
                word.turn
                and not word.denies
                and (place > at or word.turn.axis == "modality" or language in _VERB_FIRST)
            ):
                return place
    return None


def _is_out_of_reach(word: Word, turn: Turn, distance: int) -> bool:
    if distance < 0:
        return turn.axis in _NOT_BACKWARDS
    return distance > 1 and turn.axis in _NEXT_ALONE and word.text not in COMPARING


def _near_keys(words: Sequence[Word], at: int) -> Iterator[str]:
    """The two content words on each side of a pole, in its stretch; of some axes those behind."""
    part, turn = words[at].part, words[at].turn
    ahead = range(at + 1, min(len(words), at + _FAR))
    back = range(at - 1, max(-1, at - _FAR), -1)
    next_alone = turn is not None and turn.axis in OF_THE_NEXT
    if turn is not None and turn.axis == "rank":
        before = (word.key for word in words[max(0, at - _BACK) : at] if word.key)
        yield from (key for key in before if any(map(str.isdigit, key)))
    for places in (ahead,) if next_alone else (ahead, back):
        left = _SCOPE
        for place in places:
            if words[place].part != part or not left:
                break
            near = words[place].turn
            key = words[place].key
            if near and near.axis not in _OF_GRAMMAR:
                key = f"~{near.axis}"
            if key:
                left -= 1
                yield key


def _scope(words: Sequence[Word], at: int) -> tuple[str, ...]:
    """The content words that a denial reaches: the next two of its stretch, else those before."""
    part = words[at].part
    ahead = range(at + 1, min(len(words), at + _FAR))
    back = range(at - 1, max(-1, at - _FAR), -1)
    for places in (ahead, back):
        found: list[str] = []
        for place in places:
            word = words[place]
            if word.part != part or len(found) == _SCOPE:
                break
            if word.key:
                found.append(word.key)
        if found:
            return tuple(found)
    return ()
