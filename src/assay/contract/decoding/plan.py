"""Say what an answer may look like, for models that can be held to it.

In      a contract, the prompt that was built from it, the material it was built from
Out     DecodingPlan: output schema with closed labels, quotable sentences, allowed anchors
Pure    no clock, no randomness, no I/O: equal inputs give equal plans
Spec    000, "Hard requirements" 1-3; 003, "Score precision"; 004 P4.2

A plan adds nothing to the prompt and decides nothing: it only narrows what a model can
write. The gate judges what was written all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from assay.contract.decoding.bounded_schema import (
    close_schema,
    covers,
    inline_references,
    is_share,
    places,
)
from assay.contract.signs import find_signs
from assay.core.text.sentences import sentences
from assay.core.text.spans import Shown, is_evidence
from assay.gate.labels import NO_EXAMPLES, Examples, LexiconEntry
from assay.gate.marked import LABELS, QUOTE

if TYPE_CHECKING:
    from assay.contract.contract import Contract
    from assay.contract.material import Built, Material
    from assay.gate.labels import LabelSet

QUOTE_CHARS: Final = 200
"""Longest quotable piece, in code points; specification 000 caps evidence snippets there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSlot:
    """A place in the output that holds a label of one set."""

    pattern: str
    """Pointer pattern of the label string, as in `/intents/*/label`."""

    set: LabelSet
    """Which labels may stand there, with their descriptions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A piece of a shown text that may be quoted word for word."""

    source: str
    """Name of the text, a key of `DecodingPlan.texts`."""

    start: int
    """First code point in the shown text."""

    stop: int
    """First code point no longer covered."""

    text: str
    """The slice itself, at most QUOTE_CHARS code points, without white space at its ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingPlan:
    """Everything a constrained model may know beside the prompt.

    Patterns are pointer patterns over the output (`*` one level), one for each concrete
    place of the schema, never `**`.
    """

    schema: Mapping[str, Any] = field(default_factory=dict)
    """The output schema, closed: labels as `enum`, `maxItems` on every array, `maxLength` on
    every free string. Empty when the answer is plain text."""

    labels: tuple[LabelSlot, ...] = ()
    """The label slots, in the order of the schema."""

    scores: tuple[str, ...] = ()
    """Numbers that are written with exactly two decimals, from 0.00 to 1.00."""

    quotes: tuple[str, ...] = ()
    """Strings that must be one of `sentences`."""

    texts: Mapping[str, str] = field(default_factory=dict)
    """What this attempt shows of each source, in search order."""

    sentences: tuple[Quote, ...] = ()
    """What may be quoted, in the order of the texts."""

    lexicon: Mapping[str, Mapping[str, LexiconEntry]] = field(default_factory=dict)
    """Label set -> label -> entry; for `extractive`."""

    examples: Examples = NO_EXAMPLES
    """Sentences that show the labels; for `extractive`."""

    signals: tuple[str, ...] = ()
    """Signs that were found without a model (a machine wrote the mail), in words."""

    signs: tuple[tuple[tuple[str, ...], int], ...] = ()
    """Labels of which a sign of danger in the texts asks for one, with the place in `sentences` of
    what says so."""

    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Pattern -> the only value allowed there (an echoed session id)."""

    question: str | None = None
    """What a grounded answer has to answer."""

    evidence: tuple[tuple[str, str], ...] = ()
    """(anchor, text) of what a grounded answer may cite, best first, as in ("C0", "…")."""

    titles: Mapping[str, str] = field(default_factory=dict)
    """Anchor -> what the source of that evidence is called, where it is known."""

    refusal: str | None = None
    """The exact text that stands for "the evidence does not say"."""


def plan(contract: Contract, built: Built, material: Material) -> DecodingPlan:
    """Derive the plan of one attempt from its contract and from what it shows.

    Args:
        contract: Schema, labels, evidence rule and scores are read, nothing else.
        built: What the attempt shows; only that can be quoted.
        material: Signs, evidence and question; and the state whose session is echoed.
    """
    schema = inline_references(contract.schema.document)
    described = list(places(schema))
    known = dict(described)  # of several ways to describe a place the last one counts
    slots = tuple(
        LabelSlot(pattern=place, set=rule.set)
        for place in known
        for rule in contract.labels
        if covers(rule.pattern.text, place) and known[place].get("type") not in _NO_TEXT
    )
    slots += tuple(
        LabelSlot(pattern=place, set=contract.label_sets[node[LABELS]])
        for place, node in described
        if node.get(LABELS) in contract.label_sets
    )
    quotable = tuple(quote for quote in quotables(built.shown) if is_evidence(quote.text))
    quotes: tuple[str, ...] = ()
    evidenced: tuple[str, ...] = ()
    if contract.evidence is not None:
        snippets, required = contract.evidence.snippets.text, contract.evidence.required
        quotes = tuple(
            place
            for place in known
            if covers(snippets, place) and known[place].get("type") not in _NO_TEXT
        )
        evidenced = tuple(
            place for place in known if any(covers(each.text, place) for each in required)
        )
    marked = {place: tuple(node[QUOTE]) for place, node in described if QUOTE in node}
    if marked:
        quotes = (*quotes, *marked)
        quotable = tuple(quote for quote in quotable if _may_serve(quote, marked))
    exact = [pattern.text for pattern in contract.scores]
    return DecodingPlan(
        schema=close_schema(
            schema,
            labels={slot.pattern: slot.set.labels for slot in slots},
            quotes=quotes,
            evidenced=evidenced if quotable else (),
        ),
        labels=slots,
        scores=tuple(
            place
            for place, node in known.items()
            if any(covers(pattern, place) for pattern in exact) or is_share(node)
        ),
        quotes=quotes,
        texts={shown.name: shown.text for shown in built.shown},
        sentences=quotable,
        lexicon=contract.lexicon,
        examples=contract.examples,
        signals=material.signals,
        signs=tuple(_signs_of(contract, built, quotable)),
        fixed=_echoed_values(schema, built, material),
        question=material.question,
        evidence=tuple(material.quotes.items()),
    )


def plan_answer(question: str, evidence: Sequence[tuple[str, str]], refusal: str) -> DecodingPlan:
    """The plan of a grounded answer: plain text, each sentence ends in an allowed anchor.

    Args:
        question: As it was asked.
        evidence: (anchor, text) in the order of the prompt; an anchor is `C0`, `C1` ….
        refusal: The only text allowed instead of an answer.

    Spec: 004 P2.1, P4
    """
    return DecodingPlan(question=question, evidence=tuple(evidence), refusal=refusal)


def quotables(texts: Sequence[Shown]) -> Iterator[Quote]:
    """The sentences of what was shown, none across two slices of the original.

    A sentence over QUOTE_CHARS comes in pieces that end at word ends.
    """
    for shown in texts:
        at = 0
        for start, stop in shown.segments:
            piece = shown.original[start:stop]
            for first, last in sentences(piece):
                for begin, end in _pieces(piece, first, last):
                    yield Quote(
                        source=shown.name, start=at + begin, stop=at + end, text=piece[begin:end]
                    )
            at += len(piece) + 1


_NO_TEXT: Final = ("object", "array", "number", "integer", "boolean", "null")


def _pieces(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """text[start:stop] in trimmed pieces of at most QUOTE_CHARS."""
    while True:
        while start < stop and text[start].isspace():
            start += 1
        while start < stop and text[stop - 1].isspace():
            stop -= 1
        if start == stop:
            return
        end = min(stop, start + QUOTE_CHARS)
        if end < stop and not text[end].isspace():
            space = next((i for i in range(end - 1, start, -1) if text[i].isspace()), end)
            end = space
        last = end
        while text[last - 1].isspace():
            last -= 1
        yield start, last
        start = end


def _may_serve(quote: Quote, marked: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether every marked place takes a quote of this source; a plan has one list for all."""
    named = [set(sources) for sources in marked.values() if sources]
    shared = set.intersection(*named) if named else set()
    return not shared or quote.source in shared


def _signs_of(
    contract: Contract, built: Built, sentences_shown: Sequence[Quote]
) -> Iterator[tuple[tuple[str, ...], int]]:
    """What answers each sign of the texts as they are shown, at the first place for answers."""
    if contract.signs is None:
        return
    answers = {sign.name: answers for sign, answers in contract.signs.signs}
    for view in built.shown:
        whole = Shown.of_text(view.name, view.text)
        for sign, _, (start, stop) in find_signs([s for s, _ in contract.signs.signs], [whole]):
            for at, quote in enumerate(sentences_shown):
                if quote.source == view.name and quote.start < stop and start < quote.stop:
                    yield answers[sign.name][0][1], at
                    break


def _echoed_values(schema: Mapping[str, Any], built: Built, material: Material) -> dict[str, Any]:
    """Values that only one reply can have: the session's id, and a reply id of this prompt.

    A reply id is new for every prompt, and prompts of different turns differ.
    """
    names: Mapping[str, Any] = schema.get("properties", {})
    fixed: dict[str, Any] = {}
    session = (material.state or {}).get("session_id")
    if "session_id" in names and isinstance(session, str):
        fixed["/session_id"] = session
    if "response_id" in names:
        fixed["/response_id"] = f"r{built.attempt}-{built.prompt.sha256[-16:]}"
    return fixed
