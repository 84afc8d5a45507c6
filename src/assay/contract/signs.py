"""Signs of danger in the input that an output may not pass over.

In      Sign: patterns by language; what the attempt was shown of every source; an output
Out     a finding `rule.NAME` for each sign that is there and that no label of the output answers
Pure    yes; work is linear in the texts
Spec    005-M11; interfaces.md, "Packs" (`signs`)

A sign does not depend on a model: it is looked for in the whole original texts, in a view without
case, accents, typography and line breaks. It adds nothing to an output and repairs nothing: where
the output does not name what the sign stands for, the reply is rejected, and after the last
attempt a person decides, who may overrule the sign. What earlier mails said (quotes), signatures
and disclaimers carry no sign, unless the sign is of the kind that counts `everywhere`.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, Final, Self

import re2

from assay.contract.attempts import spoken_segments
from assay.contract.material import ATTACHMENT
from assay.core.json.pointer import PointerPattern
from assay.core.text.folding import EVIDENCE, FoldedText, fold
from assay.core.text.spans import Shown
from assay.errors import InputError
from assay.gate.gate import GateContext
from assay.gate.verdict import Finding
from assay.sources.mail.quoting import blocks

MAX_PATTERN_BYTES: Final = 64 << 20
"""What RE2 may use for the patterns of one sign; without look-around its time is linear."""

_SPREAD: Final = {
    "ä": "ae",
    "ö": "oe",
    "ü": "ue",
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "ø": "o",
    "ł": "l",
    "đ": "d",
    "ı": "i",
    "´": "'",
    "`": "'",
}
_GONE: Final = "\x00"
_BROKEN_WORD: Final = re.compile(r"- (?<=[^\W\d_]- )(?=[^\W\d_])")
"""A word that was broken over two lines, in the view where these are one."""

_NO_STOP: Final = re.compile(
    r"\.(?:(?<=\d\.)|(?<=\b[a-z]\.)|(?<=\b(?:dr|mr|ms|hr|fr|nr|no|st|ca)\.)"
    r"|(?<=\b(?:mrs|bzw|ggf|etc|usw|tel|art|abs)\.)|(?<=\b(?:evtl|inkl)\.))"
    r"(?= ?[\da-z])"
)
"""A full stop that ends no sentence, in the finished view: patterns end at those that do.
Both begin with the character they are about, so that the search goes from one to the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """What one danger sounds like; make it with `Sign.compile`."""

    name: str
    """The finding's code is `rule.` and this."""

    everywhere: bool = False
    """Also in quotes and signatures: nobody would forgive missing it there."""

    patterns: tuple[str, ...]
    exceptions: tuple[str, ...] = ()
    """What sounds like it and is not: such a stretch is not looked at."""

    _sought: Any = field(repr=False, compare=False)
    _except: Any = field(repr=False, compare=False)

    @classmethod
    def compile(
        cls,
        *,
        name: str,
        patterns: Iterable[str],
        exceptions: Iterable[str] = (),
        everywhere: bool = False,
    ) -> Self:
        """
        Args:
            patterns: RE2, over the view that `SignView` gives: small letters without accents,
                `ae` for `ä`, `ss` for `ß`, one space for any white space.

        Raises:
            InputError: one of them is no RE2 pattern, or matches the empty text.
        """
        sought, spared = tuple(patterns), tuple(exceptions)
        if not sought:
            raise InputError(f"sign {name!r} has no pattern")
        return cls(
            name=name,
            everywhere=everywhere,
            patterns=sought,
            exceptions=spared,
            _sought=_compile_any(name, sought),
            _except=_compile_any(name, spared) if spared else None,
        )

    def places(self, view: SignView) -> Iterator[tuple[int, int]]:
        """Where the sign stands in the text of *view*, in code points of the original."""
        text = view.text
        if self._except is not None:
            text = self._except.sub(lambda match: _GONE * len(match.group()), text)
        for match in self._sought.finditer(text):
            yield view.original_span(*match.span())


class SignView:
    """A text as signs are looked for in it, with the way back."""

    def __init__(self, text: str) -> None:
        self._folded: FoldedText = fold(text, EVIDENCE)
        # A NUL marks what is left out; the texts of a call hold none of their own.
        self._plain = _BROKEN_WORD.sub(_GONE * 2, self._folded.text.replace(_GONE, " "))
        text = self._plain.translate(_table_of(self._plain)).replace(_GONE, "")
        self.text = _NO_STOP.sub(" ", text)
        self._origins: list[int] | None = None

    def original_span(self, start: int, stop: int) -> tuple[int, int]:
        """The range of the original that `text[start:stop]` stands for; *stop* is greater."""
        if self._origins is None:
            self._origins = self._find_origins()
        return self._folded.span(self._origins[start], self._origins[stop - 1] + 1)

    def _find_origins(self) -> list[int]:
        """For each code point of the view the one of the folded text that it comes from."""
        table = _table_of(self._plain)
        origins: list[int] = []
        for at, char in enumerate(self._plain):
            if char != _GONE:
                origins += [at] * len(table.get(ord(char), char))
        return origins


Answers = tuple[tuple[PointerPattern, tuple[str, ...]], ...]
"""Places of an output, each with the labels that answer a sign there, the likeliest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignsRule:
    """Each sign that stands in the input is answered by a label of the output."""

    any_shape: ClassVar[bool] = False

    signs: tuple[tuple[Sign, Answers], ...]
    """Each sign with the places at which one of these labels answers it."""

    cut_holds: bool = False
    """The pack holds an input whose own words were cut (`shortened: review`): a sign in such words
    is no fault of a reply that could not know it."""

    def __call__(self, output: dict[str, Any], context: GateContext) -> Iterator[Finding]:
        """A finding `rule.NAME` for each sign that nothing answers; its first place is named."""
        open_signs = [sign for sign, answers in self.signs if not _is_answered(output, answers)]
        for sign, source, (start, stop) in find_signs(
            open_signs, context.shown, cut_holds=self.cut_holds
        ):
            yield Finding(
                code=f"rule.{sign.name}",
                message=f"the {source} shows this sign at code points {start} to {stop},"
                " and no label of the output stands for it",
            )


def find_signs(
    signs: Sequence[Sign], shown: Sequence[Shown], *, cut_holds: bool = False
) -> Iterator[tuple[Sign, str, tuple[int, int]]]:
    """The first place of each sign that stands in the texts: which, where, from and to.

    Args:
        shown: The texts in search order, each with what was shown of it.
        cut_holds: Leave out what stands in own words that were not shown.
    """
    waiting = list(signs)
    attachments = 0
    for view in shown:
        attached = view.name.startswith(ATTACHMENT)
        attachments += attached
        # The sender chose the name of a file: it is not repeated.
        name = f"attachment {attachments}" if attached else view.name
        if not waiting:
            return
        reader = _TextReader(view, cut_holds=cut_holds)
        for sign in tuple(waiting):
            place = reader.first_place(sign)
            if place is not None:
                waiting.remove(sign)
                yield sign, name, place


@lru_cache(maxsize=4)
def _view_of(text: str) -> SignView:
    return SignView(text)


@lru_cache(maxsize=32)
def _places_in(sign: Sign, text: str) -> tuple[tuple[int, int], ...]:
    """The places of *sign*: every attempt of a call, and every decision on it, asks again."""
    return tuple(sign.places(_view_of(text)))


class _TextReader:
    """One text, in which several signs are looked for."""

    def __init__(self, view: Shown, *, cut_holds: bool) -> None:
        self._view = view
        self._cut_holds = cut_holds
        self._spoken: tuple[tuple[int, int], ...] | None = None

    def first_place(self, sign: Sign) -> tuple[int, int] | None:
        for start, stop in _places_in(sign, self._view.original):
            own = self._is_spoken(start, stop)
            if not own and not sign.everywhere:
                continue
            if own and self._cut_holds and not self._is_shown(start, stop):
                continue
            return start, stop
        return None

    def _is_spoken(self, start: int, stop: int) -> bool:
        if self._spoken is None:  # taking a text apart costs more than looking for signs
            text = self._view.original
            carried = [(b.start, b.stop) for b in blocks(text) if b.kind == "forwarded"]
            self._spoken = tuple(sorted([*spoken_segments(text), *carried]))
        return _overlaps(self._spoken, start, stop)

    def _is_shown(self, start: int, stop: int) -> bool:
        return _overlaps(self._view.segments, start, stop)


def _overlaps(segments: Sequence[tuple[int, int]], start: int, stop: int) -> bool:
    """Whether the range meets one of *segments*, which are in order and do not overlap."""
    after = bisect_right(segments, start, key=lambda segment: segment[1])
    return after < len(segments) and segments[after][0] < stop


def _is_answered(output: dict[str, Any], answers: Answers) -> bool:
    return any(
        value.__class__ is str and value in labels
        for pattern, labels in answers
        for _, value in pattern.find(output)
    )


def _compile_any(name: str, patterns: Sequence[str]) -> Any:
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_PATTERN_BYTES
    for pattern in patterns:
        try:
            empty = re2.compile(pattern, options).search("") is not None
        except re2.error as error:
            raise InputError(
                f"sign {name!r}: {pattern!r} is no RE2 pattern",
                hint="RE2 has no look-around and no back-references",
            ) from error
        if any(not char.isascii() for char in map(chr, _table_of(pattern))):
            raise InputError(
                f"sign {name!r}: {pattern!r} holds letters that no text has where it is looked at",
                hint="write `ae` for `ä`, `e` for `é`, `l` for `ł`",
            )
        if empty:
            raise InputError(f"sign {name!r}: {pattern!r} matches where nothing stands")
    return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns), options)


def _table_of(text: str) -> Mapping[int, str]:
    """What each character of *text* becomes: only those that become something else."""
    table: dict[int, str] = {}
    for char in set(text):
        low = char.lower()
        if low in _SPREAD:
            table[ord(char)] = _SPREAD[low]
            continue
        spread = unicodedata.normalize("NFKD", low).casefold()
        kept = "".join(part for part in spread if not unicodedata.combining(part))
        if kept != char:
            table[ord(char)] = kept
    return table
