"""What an answer must not say about itself: ids, its sources as such, its reasoning, a refusal
in other words.

In      an answer and what it cites; the ids of the evidence; the frozen refusal
Out     findings
Pure    yes; linear in the answer
Spec    004 P5, R5 "refusal exact match"; 005-A5; interfaces.md, "Answers"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final
from unicodedata import normalize

from assay.answers.gate import commentary_phrases as phrases
from assay.answers.gate.cited import CitedTexts
from assay.answers.gate.markers import without_markers
from assay.core.text.confusables import ShapeView
from assay.core.text.folding import REMOVED, marks_in_order
from assay.gate.verdict import Finding

_FIELD = re.compile(
    r"\b(?:chunk|knowledge)[_ ]ids?\b|\bsource_reference\b|\bsimilarity_score\b", re.IGNORECASE
)
_NOTHING_CITED: Final = CitedTexts()
_INVISIBLE = re.compile(f"[{REMOVED}]")

_PROMPT_NOUN = re.compile(
    r"\bprompts\b|\bprompt(?:ing|ed)?\s+(?:engineer|templat|generat|librar|inject|string|cach|text)|"
    r"\b(?:the|an?|this|your|my|each|system|user|shell|command|first|original|im|dem|den|der|el|"
    r"del|le|du|il|o|do)\s+(?:[\w-]+\s+){0,2}prompt\b(?!\s+(?:\w+ment|\w+ly|"
    r"response|reply|delivery|notification|action|decision|notice|service|return)s?\b)",
    re.IGNORECASE,
)
"""A prompt as a thing: a prompt payment is none."""

_METHODS = re.compile(
    r"step[\s-]by[\s-]step|chain[\s-]of[\s-]thought|</?thinking>|schritt\s+für\s+schritt"
)
_QUOTES = "\"'“”„‚‘’«»‹›「」『』`"
_NEAR: Final = 60
"""How far around a phrase its lead and its quotation marks are looked for."""

_APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'"})
_REFUSAL_CODE = re.compile(r"no[\s_-]*evidence\s*[:.]|(?<![^\W_])no_+evidence(?!\w)", re.IGNORECASE)
_SQUASH = re.compile(r"[\W_]+")


def refusal_place(text: str, refusal: str) -> tuple[int, int] | None:
    """Where *text* refuses in words like those of *refusal*; None if it does not.

    Meant for texts that are not the refusal itself: the exact string within an answer, and the
    string with another case, punctuation or white space.
    """
    match = _REFUSAL_CODE.search(text)
    if match is not None:
        return match.start(), len(text)
    sentence = refusal.partition(": ")[2]
    place = text.find(sentence)
    if place >= 0:
        return place, place + len(sentence)
    if _squash(sentence) in _squash(text):
        return 0, len(text)
    return None


def _squash(text: str) -> str:
    return _SQUASH.sub("", normalize("NFKC", marks_in_order(text))).casefold()


def check_metadata(
    text: str, ids: Iterable[str], cited: CitedTexts = _NOTHING_CITED
) -> Iterator[Finding]:
    """Ids of the evidence as whole words, and the names of its fields.

    Args:
        text: The answer.
        ids: Chunk ids and knowledge ids of the selected evidence.
        cited: What its sentences cite: what a cited chunk says itself may be repeated.

    Look-alike letters and invisible characters hide no id.

    Spec: 004 P5; 005-A5, A6; interfaces.md, "Answers".
    """
    bare = without_markers(text)
    view = ShapeView(bare)
    for name in dict.fromkeys(ids):
        for start, stop in view.whole_words(name):
            if not any(each.holds_word(name) for each in cited.texts_at(start)):
                yield _reject("answer.metadata", start, stop, "shows an id of the evidence")
    for match in _FIELD.finditer(bare):
        if not _is_said(match[0], match, cited):
            yield _reject("answer.metadata", *match.span(), "names a field of the evidence")


def check_commentary(text: str, cited: CitedTexts = _NOTHING_CITED) -> Iterator[Finding]:
    """Talk of the evidence, the prompt or the system, and reasoning traces.

    Args:
        text: The answer.
        cited: What its sentences cite; what a cited chunk speaks of itself is no commentary.

    Spec: 004 P5; 005-A5; interfaces.md, "Answers".
    """
    for place in ShapeView(text).whole_words("Evidence"):
        yield _reject("answer.meta_commentary", *place, "names the evidence as such")
    plain = text.translate(_APOSTROPHES)
    for family, is_excused in _META:
        for match in family.finditer(plain):
            if not is_excused(plain, match, cited):
                yield _reject(
                    "answer.meta_commentary", *match.span(), "talks of prompt, context or sources"
                )
    for family, is_excused in _TRACES:
        for match in family.finditer(plain):
            if not is_excused(plain, match, cited):
                yield _reject("answer.reasoning_trace", *match.span(), "shows its reasoning")
    yield from _hidden_phrases(plain)


def _hidden_phrases(plain: str) -> Iterator[Finding]:
    """Phrases that characters without width hide from a search, though from no reader."""
    bare = _INVISIBLE.sub("", plain)
    if bare == plain:
        return
    for code, families in (("answer.meta_commentary", _META), ("answer.reasoning_trace", _TRACES)):
        for family, _ in families:
            if len(family.findall(bare)) > len(family.findall(plain)):
                yield _reject(code, 0, len(plain), "hides a phrase by characters without width")


def _is_quotation(plain: str, match: re.Match[str], cited: CitedTexts) -> bool:
    """The words of a chunk between quotation marks."""
    before = plain[max(match.start() - _NEAR, 0) : match.start()]
    behind = plain[match.end() : match.end() + _NEAR]
    quoted = any(sign in before for sign in _QUOTES) and any(sign in behind for sign in _QUOTES)
    return quoted and _is_said(match[0], match, cited)


def _is_report(_plain: str, match: re.Match[str], cited: CitedTexts) -> bool:
    """A report that stands in a chunk too."""
    return _is_said(match[0], match, cited)


def _is_topic(plain: str, match: re.Match[str], cited: CitedTexts) -> bool:
    """A thing that a chunk speaks of, in a phrase that does not report what it says."""
    start, stop = match.span()
    lead = phrases.LEAD.search(plain, max(start - _NEAR, 0), start)
    tail = phrases.TAIL.match(plain, stop)
    if lead or tail:
        start, stop = lead.start() if lead else start, tail.end() if tail else stop
        return _is_said(plain[start:stop], match, cited)
    if "prompt" in match[0].casefold():
        return any(_PROMPT_NOUN.search(each.text) for each in cited.texts_at(match.start()))
    return _is_said(match[0], match, cited)


def _is_said(phrase: str, match: re.Match[str], cited: CitedTexts) -> bool:
    return any(each.says(phrase) for each in cited.texts_at(match.start()))


def _is_named_tag(plain: str, match: re.Match[str], cited: CitedTexts) -> bool:
    """A tag that a chunk has too, within a sentence and not around any."""
    name = match[0].strip("<>[]/| ").casefold()
    sentence = cited.sentence_at(match.start())
    if sentence is None or not any(each.has_tag(name) for each in cited.texts_at(match.start())):
        return False
    line = max(sentence.start, plain.rfind("\n", 0, match.start()) + 1)
    if not any(map(str.isalnum, plain[line : match.start()])):
        return False
    opening = plain.rfind(f"<{name}", sentence.start, match.start())
    return not match[0].startswith("</") or (opening >= 0 and match.start() - opening <= _NEAR)


def _is_method(_plain: str, match: re.Match[str], cited: CitedTexts) -> bool:
    """A way of reasoning that a chunk speaks of."""
    return any(_METHODS.search(each.folded) for each in cited.texts_at(match.start()))


_Excuse = Callable[[str, re.Match[str], CitedTexts], bool]
_META: Final[Sequence[tuple[re.Pattern[str], _Excuse]]] = (
    (phrases.SELF, _is_quotation),
    (phrases.REPORT, _is_report),
    (phrases.TOPIC, _is_topic),
)
_TRACES: Final[Sequence[tuple[re.Pattern[str], _Excuse]]] = (
    (phrases.TAG, _is_named_tag),
    (phrases.METHOD, _is_method),
    (phrases.ALOUD, _is_quotation),
)


def _reject(code: str, start: int, stop: int, message: str) -> Finding:
    return Finding(code=code, start=start, stop=stop, message=message)
