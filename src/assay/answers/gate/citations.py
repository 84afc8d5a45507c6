"""The sentences of an answer and what each cites.

In      an answer, its markers, the words that captions may use, the anchors that were offered
Out     sentences with their markers; findings
Pure    yes; linear in the answer
Spec    004 P4, R5; 005-A1; interfaces.md, "Answers" (sentence rule)

Whatever a reader would read as text is a sentence, whatever it stands in or behind. Markup alone is
none, nor is the number of a list item that counts on.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal

from assay.answers.gate.captions import CaptionWords
from assay.answers.gate.markers import (
    MARKER,
    Marker,
    fold,
    look_alikes,
    markers,
    without_markers,
)
from assay.core.text.lines import fenced_blocks, lines
from assay.core.text.sentences import sentences
from assay.core.text.visible import says_words
from assay.gate.verdict import Finding

__all__ = [
    "MARKER",
    "Marker",
    "Sentence",
    "check_citations",
    "fold",
    "look_alikes",
    "markers",
    "read_sentences",
    "without_markers",
]

Kind = Literal["factual", "list_intro", "heading"]

_NUMBER = re.compile(r"\W*(\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]\W*\Z")
_COUNTED = re.compile(r"\W{0,8}(\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]")
_BLOCK_TAG = re.compile(
    r"</?(?:p|br|hr|h[1-6]|li|ul|ol|dl|dt|dd|div|tr|table|thead|tbody|caption|section|article|"
    r"header|footer|aside|blockquote|pre|details|summary|title|figure|figcaption|center)"
    r"(?=[\s/>])[^<>\n]{0,200}>|<!--|-->",
    re.IGNORECASE,
)
_BARE_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]{0,15}\s{0,4}/?>|<!--|-->")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})\s*([\w+#.-]{0,20})\s*\Z")
_UNDERLINE = re.compile(r"\s*-{3,}\s*\Z")
_CODE_NAMES: Final = frozenset(
    re.findall(
        r"\S+",
        "bash c c# c++ cpp csharp css console csv diff dockerfile go graphql html http ini java "
        "javascript js json jsonl jsx kotlin latex lua makefile markdown md mermaid php plaintext "
        "powershell proto python py r ruby rust scala sh shell sql swift text toml ts tsv tsx txt "
        "typescript xml yaml yml zsh",
    )
)
"""Names of languages behind a fence, which colour what follows and are not shown."""

_BLANK: Final = "_" * 20
"""A blank to be filled in is no rule: it stands for words."""

_DECORATION = " \t\n*_`\"'”»)|"
_FULL_STOPS: Final = tuple(".!。！｡।॥။።։۔។")
_SAME_LINE = re.compile(r"[ \t]*[^\s\[]")
ANSWER_WORDS: Final = (
    "yes|no|ja|nein|oui|non|si|sí|sì|sim|não|nee|tak|nie|да|нет|はい|いいえ|是的|是|不是|نعم|لا"
)
"""A question answered by one word."""

_ANSWERED = re.compile(rf"[\W_]{{0,8}}(?:{ANSWER_WORDS})[\W_]{{0,8}}", re.IGNORECASE)

_COLONS: Final = (":", "：", "﹕", "︓")
_LOWEST = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of an answer."""

    start: int
    stop: int
    anchors: tuple[str, ...]
    """Those of its markers, each once, in order; offered or not. In a fenced block without markers
    of its own sentence, those that cover the block."""

    kind: Kind
    """A heading or a list's introduction claims nothing; one that does is factual."""

    items: int = 0
    """For a line that introduces a list: how many items follow."""

    caption: bool = False
    """Whether it is written as a heading or an introduction, whatever it claims."""


def read_sentences(
    text: str, found: Sequence[Marker], caption_words: CaptionWords | None = None
) -> tuple[Sentence, ...]:
    """Cut *text* into sentences and say what each cites.

    Args:
        text: The answer.
        found: Its markers.
        caption_words: What headings and introductions may take their words from; None: nothing
            but what speaks of the answer's own form.

    Spec: 004 P4.1; 005-A1; interfaces.md, "Answers".
    """
    read = _Reading(text, found)
    read.cut_sentences()
    read.cover_blocks()
    return read.settle_captions(caption_words or CaptionWords())


class _Reading:
    """An answer while it is cut."""

    def __init__(self, text: str, found: Sequence[Marker]) -> None:
        self.text = text
        self.found = found
        self.layout = lines(text)
        self.starts = [line.start for line in self.layout]
        self.blocks = fenced_blocks(text, self.layout)
        self.places = [marker.start for marker in found]
        self.read: list[Sentence] = []
        self.levels: list[int] = []
        """Of each sentence: 1 to 7 for a heading, 0 for anything else."""

        self._in_block = {place for first, last in self.blocks for place in range(first, last + 1)}
        self._block_starts = {first for first, _ in self.blocks}
        self._counted = ""
        self._marker = 0

    def cut_sentences(self) -> None:
        """Fill `read` with all that a reader would read."""
        for start, stop in _pieces(self.text):
            anchors = self._anchors_until(stop)
            body = MARKER.sub("", self.text[start:stop])
            place, last = self._line(start), self._line(stop - 1)
            if not self._says(body, place, last):
                self._give(anchors)
                continue
            counted = _COUNTED.match(body)
            self._counted = counted[1] if counted else self._counted
            kind, items = self._kind(place, last, (start, stop), body)
            self.read.append(
                Sentence(
                    start=start,
                    stop=stop,
                    anchors=anchors,
                    kind=kind,
                    items=items,
                    caption=kind != "factual",
                )
            )
            self.levels.append(self._level(place) if kind == "heading" else 0)

    def _line(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1

    def _anchors_until(self, stop: int) -> tuple[str, ...]:
        anchors: dict[str, None] = {}
        while self._marker < len(self.found) and self.found[self._marker].start < stop:
            anchors[self.found[self._marker].anchor] = None
            self._marker += 1
        return tuple(anchors)

    def _give(self, anchors: tuple[str, ...]) -> None:
        """Markers by themselves belong to the sentence before them."""
        if anchors and self.read:
            whole = tuple(dict.fromkeys((*self.read[-1].anchors, *anchors)))
            self.read[-1] = replace(self.read[-1], anchors=whole)

    def _says(self, body: str, place: int, last: int) -> bool:
        """Whether a reader would read *body* as saying something."""
        if not says_words(_BARE_TAG.sub(" ", body)):
            return _BLANK in body
        fence = _FENCE.match(body)
        if fence and self.layout[place].kind == "rule":
            return bool(fence[1]) and fence[1].casefold() not in _CODE_NAMES
        number = _NUMBER.match(body)
        if number is None or last + 1 >= len(self.layout):
            return True
        goes_on = _counts_on(self._counted, number[1])
        self._counted = number[1] if goes_on else self._counted
        return not goes_on

    def _kind(self, first: int, last: int, span: tuple[int, int], body: str) -> tuple[Kind, int]:
        if first in self._in_block:
            return "factual", 0
        line = self.layout[last]
        plain = _BARE_TAG.sub("", body).rstrip(_DECORATION)
        ends_line = not self.text[span[1] : line.stop].strip(_DECORATION)
        starts_line = not self.text[line.start : span[0]].strip(_DECORATION)
        if plain.endswith(_COLONS) and ends_line:
            items = self._items(last + 1)
            if items or last + 1 in self._block_starts:
                return "list_intro", items
        whole = first == last and ends_line and starts_line
        if whole and self._is_heading(first) and not plain.endswith(_FULL_STOPS):
            return "heading", 0
        return "factual", 0

    def _is_heading(self, place: int) -> bool:
        line = self.layout[place]
        if line.kind == "heading":
            return True
        # Underlined by dashes, and a paragraph of its own: elsewhere dashes are a rule.
        following = self.layout[place + 1] if place + 1 < len(self.layout) else None
        return (
            line.kind == "text"
            and line.blank_before
            and following is not None
            and following.kind == "rule"
            and not following.blank_before
            and _UNDERLINE.match(self.text, following.start, following.stop) is not None
        )

    def _level(self, place: int) -> int:
        line = self.layout[place]
        head = self.text[line.start : line.stop].lstrip()
        hashes = len(head) - len(head.lstrip("#"))
        if hashes:
            return min(hashes, 6)
        if head[0] in "*_":
            return _LOWEST
        return _LOWEST + 1 if head[0] == "|" else 2

    def _items(self, at: int) -> int:
        """How many list items follow, one after another."""
        number = 0
        while at < len(self.layout) and self.layout[at].kind == "item":
            number += 1
            at += 1
        return number

    def cover_blocks(self) -> None:
        """Give a fenced block's markers, and those of the lines around it, to all of the block.

        What stands behind the opening fence is not in it.
        """
        begins = [sentence.start for sentence in self.read]
        for first, last in self.blocks:
            start = self.layout[max(first - 1, 0)].start
            stop = self.layout[min(last + 1, len(self.layout) - 1)].stop
            inside = self.found[bisect_left(self.places, start) : bisect_left(self.places, stop)]
            anchors = tuple(dict.fromkeys(marker.anchor for marker in inside))
            begin = bisect_left(begins, self.layout[first].stop)
            for at in range(begin, bisect_left(begins, self.layout[last].stop)):
                if not self.read[at].anchors:
                    self.read[at] = replace(self.read[at], anchors=anchors)

    def settle_captions(self, words: CaptionWords) -> tuple[Sentence, ...]:
        """All sentences; a caption that claims something, or that cites, is factual."""
        sections = self._sections()
        settled: list[Sentence] = []
        for at, sentence in enumerate(self.read):
            claims = False
            if sentence.kind != "factual":
                caption = MARKER.sub("", self.text[sentence.start : sentence.stop])
                cited = self._anchors_between(at + 1, sections[at])
                claims = not words.claims_nothing(caption, cited, sentence.items)
            cites = bool(sentence.anchors)
            settled.append(replace(sentence, kind="factual") if claims or cites else sentence)
        return tuple(settled)

    def _sections(self) -> list[int]:
        """Of each sentence: the first one that is no longer in the section it opens."""
        ends = [0] * len(self.read)
        next_of_level = [len(self.read)] * (_LOWEST + 3)
        next_caption = len(self.read)
        for at in range(len(self.read) - 1, -1, -1):
            level = self.levels[at]
            ends[at] = min(next_of_level[1 : level + 1]) if level else next_caption
            if level:
                next_of_level[level] = at
            if self.read[at].kind != "factual":
                next_caption = at
        return ends

    def _anchors_between(self, first: int, last: int) -> list[str]:
        """What the sentences from *first* to before *last* cite."""
        if first >= last:
            return []
        begin = bisect_left(self.places, self.read[first].start)
        end = self.read[last].start if last < len(self.read) else len(self.text)
        return [marker.anchor for marker in self.found[begin : bisect_left(self.places, end)]]


def _join_answers(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of *text*; `Yes.` belongs to the one behind it, as `Yes,` does."""
    begun: int | None = None
    for start, stop in sentences(text):
        begin = start if begun is None else begun
        if _ANSWERED.fullmatch(text, begin, stop) and _SAME_LINE.match(text, stop):
            begun = begin
            continue
        yield begin, stop
        begun = None


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of *text*, cut where markup of blocks starts or ends."""
    for start, stop in _join_answers(text):
        if "<" not in text[start:stop] and "-->" not in text[start:stop]:
            yield start, stop
            continue
        cuts = {start, stop}
        for match in _BLOCK_TAG.finditer(text, start, stop):
            cuts |= set(match.span())
        for first, last in pairwise(sorted(cuts)):
            if not text[first:last].isspace():
                yield first, last


def _counts_on(before: str, number: str) -> bool:
    """Whether *number* is the first of a list, or follows *before*."""
    if number.isdigit():
        return int(number) == (int(before) + 1 if before.isdigit() else 1)
    if number.casefold() in {"a", "i"}:
        return True
    if len(number) == len(before) == 1 and ord(number) == ord(before) + 1:
        return True
    return set(number) <= set("ivx") and set(before) <= set("ivx") and bool(before)


def check_citations(
    text: str,
    found: Sequence[Marker],
    read: Sequence[Sentence],
    offered: Collection[str],
) -> Iterator[Finding]:
    """Malformed and unknown markers, and sentences without any.

    Args:
        text: The answer.
        found: Its markers.
        read: Its sentences.
        offered: The anchors of the assembly.

    An anchor without brackets is no marker: what it should support is uncited.

    Spec: 004 P4; interfaces.md, "Answers".
    """
    for start, stop in look_alikes(text):
        yield Finding(
            code="citation.malformed",
            start=start,
            stop=stop,
            message="reads like a marker and is none",
        )
    for marker in found:
        if marker.anchor not in offered:
            yield Finding(
                code="citation.unknown_anchor",
                start=marker.start,
                stop=marker.stop,
                message=f"[{marker.anchor}] was not offered",
            )
    for number, sentence in enumerate(read, start=1):
        if sentence.kind == "factual" and not sentence.anchors:
            yield Finding(
                code="sentence.uncited",
                start=sentence.start,
                stop=sentence.stop,
                message=f"sentence {number} cites nothing",
            )
