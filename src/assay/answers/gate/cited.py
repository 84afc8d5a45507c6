"""The chunks that stand behind a place of an answer, and whether they use a phrase themselves.

In      sentences with their markers, the texts of chunks
Out     texts; yes or no
Pure    yes; linear
Spec    005-A5; interfaces.md, "Answers" ("unless the cited chunks speak of it")
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property

from assay.answers.gate.citations import Sentence
from assay.answers.gate.content_words import plain_words
from assay.core.text.confusables import ShapeView

_ENDING = re.compile(r"(?<=\w{4})[aeinos]{1,4}\Z")
_DETERMINERS = frozenset(
    re.findall(
        r"\S+",
        "the a an this that these those my your our its der die das den dem des ein eine einen "
        "einem einer diese dieser dieses diesem diesen el la los las un una este esta le les l du "
        "des ce ces cette mon votre il lo i gli del dei delle nel questo questa o os as do da no "
        "na to in on of im",
    )
)


class CitedText:
    """One chunk, ready to be asked for phrases."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> str:
        return self.text.casefold()

    @cached_property
    def _phrases(self) -> str:
        return _plain_words(self.text)

    def says(self, phrase: str) -> bool:
        """Whether the words of *phrase* stand here in a row, whatever their endings."""
        plain = _plain_words(phrase)
        return bool(plain.strip()) and plain in self._phrases

    def has_tag(self, name: str) -> bool:
        """Whether a tag of that name stands here."""
        return any(f"{sign}{name}" in self.folded for sign in ("<", "</", "<|", "[", "[/"))

    def holds_word(self, name: str) -> bool:
        """Whether *name* stands here as a whole word."""
        return self._shapes.holds(name)

    @cached_property
    def _shapes(self) -> ShapeView:
        return ShapeView(self.text)


def _plain_words(text: str) -> str:
    """The words of *text* but determiners, without their endings, a space around each."""
    words = (_ENDING.sub("", word) for word in plain_words(text) if word not in _DETERMINERS)
    return f" {' '.join(words)} "


class CitedTexts:
    """What the sentences of an answer cite.

    Args:
        sentences: As `read_sentences` gives them; none: nothing is cited anywhere.
        texts: Anchor -> text of the chunk.
    """

    def __init__(
        self, sentences: Sequence[Sentence] = (), texts: Mapping[str, str] | None = None
    ) -> None:
        self._sentences = sentences
        self._starts = [sentence.start for sentence in sentences]
        self._texts = {anchor: CitedText(text) for anchor, text in (texts or {}).items()}

    def sentence_at(self, place: int) -> Sentence | None:
        """The sentence in which *place* lies."""
        at = bisect_right(self._starts, place) - 1
        if at < 0 or place >= self._sentences[at].stop:
            return None
        return self._sentences[at]

    def texts_at(self, place: int) -> Sequence[CitedText]:
        """The chunks that the sentence at *place* cites."""
        sentence = self.sentence_at(place)
        anchors = sentence.anchors if sentence else ()
        return [self._texts[anchor] for anchor in anchors if anchor in self._texts]
