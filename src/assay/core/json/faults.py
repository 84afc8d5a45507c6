"""Say why a text is not one JSON value under the strict rules.

In      a text that the parser refused, or whose numbers or depth are suspicious
Out     Refused: the code of the rule that it breaks first, and where
Pure    yes
Spec    000 H1; interfaces.md, "Strictness"

A second reading of the text, by hand, only for texts that are rejected anyway: whatever it
says, nothing is accepted because of it. What is no JSON at all (`json.invalid`,
`json.trailing`) is said before what JSON allows and we do not (`json.duplicate_key`,
`json.number`, `json.unicode`). Too many levels end the reading where they begin.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from json import loads
from math import isinf

from assay.core.text.refusals import opens_like_refusal

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader holds exactly."""

_SPACE = re.compile(r"[ \t\n\r]*+")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][+-]?[0-9]++)?")
_OBJECT = re.compile(r'[ \t\n\r]*+\{[ \t\n\r]*+(?:"|$)')
_WORD = re.compile(r"true|false|null")
_NO_NUMBER = re.compile(r"NaN|-?Infinity")
_MAX_INTEGER_DIGITS = len(str(MAX_INTEGER))


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A text that is not acceptable JSON, and which rule it breaks first."""

    code: str
    """A finding code: `output.empty`, `output.refusal`, or `json.…`."""

    message: str
    """What is wrong and where (line and column count from 1); never text of the reply."""


FENCES = ("```", "~~~")
"""How a text opens that is fenced as Markdown."""

FENCED = Refused(
    code="json.fenced", message="the reply is fenced as Markdown; it must be bare JSON"
)
REFUSAL = Refused(code="output.refusal", message="the model refused to answer")


class _FaultError(Exception):
    """Reading cannot go on."""

    def __init__(self, code: str, what: str, at: int) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.at = at


def is_lossy_integer(written: str) -> bool:
    """Whether a number with fraction or exponent is whole, and a double has other digits.

    Such are `9007199254740993.0` and `900719925474099300e-2`, which read as …992. `1e22`,
    `123e45` and whatever a program writes of its own doubles come back as they were.
    """
    match = _NUMBER.fullmatch(written)
    if match is None or (match[1] is None and match[2] is None):
        return False
    fraction = (match[1] or ".")[1:]
    whole = written.lstrip("-").partition(".")[0].lower().partition("e")[0]
    power = (match[2] or "e0")[1:]
    size = power.lstrip("+-").lstrip("0")
    if len(size) > _LONGEST_POWER:
        return False
    shift = int(size or "0") * (-1 if power.startswith("-") else 1)
    digits = (whole + fraction).rstrip("0")
    behind = len(digits) - len(whole) - shift
    value = abs(float(written))
    if behind > 0 or value <= MAX_INTEGER:
        return False
    return digits.lstrip("0") != _significant(repr(value))


def number_fault(written: str) -> str | None:
    """What is wrong with a number that is written as JSON writes it; None when nothing is.

    Example:
        >>> number_fault("9007199254740993")
        'an integer is beyond 2^53 - 1'
    """
    if not written.lstrip("-").isdigit():
        if isinf(float(written)):
            return "a number is too large for a double"
        return _BEYOND if is_lossy_integer(written) else None
    digits = written.lstrip("-")
    return _BEYOND if len(digits) > _MAX_INTEGER_DIGITS or int(digits) > MAX_INTEGER else None


def _significant(written: str) -> str:
    return written.partition("e")[0].replace(".", "").strip("0")


_LONGEST_POWER = 6
_BEYOND = "an integer is beyond 2^53 - 1"


def explain(text: str, *, max_depth: int, refusals: Sequence[str] = ()) -> Refused:
    """Why *text* is refused. Only to be asked about a text that is."""
    if not text.strip():
        return Refused(code="output.empty", message="the reply is empty")
    reader = _Reader(text, max_depth)
    try:
        stop = reader.value()
    except _FaultError as fault:
        if fault.code == "json.invalid":
            if text.lstrip().startswith(FENCES):
                return FENCED
            # An object that was cut off says nothing to anybody, whatever its key sounds like.
            if not _OBJECT.match(text) and opens_like_refusal(text, refusals):
                return REFUSAL
        return _refusal_fault(text, fault)
    if stop != len(text):
        return _refusal_fault(
            text, _FaultError("json.trailing", "something follows the JSON value", stop)
        )
    if reader.fault is not None:
        return _refusal_fault(text, reader.fault)
    return Refused(code="json.invalid", message="the reply is not one JSON text")


def _refusal_fault(text: str, fault: _FaultError) -> Refused:
    return Refused(code=fault.code, message=f"{fault.what} ({place_name(text, fault.at)})")


def place_name(text: str, at: int) -> str:
    """Where the code point *at* stands, in words.

    Example:
        >>> place_name("{\\n 1", 3)
        'line 2, column 2'
    """
    line = text.count("\n", 0, at) + 1
    return f"line {line}, column {at - text.rfind(chr(10), 0, at)}"


class _Reader:
    """One reading of one text; `fault` is the first thing that JSON allows and we do not."""

    def __init__(self, text: str, max_depth: int) -> None:
        self.text = text
        self.max_depth = max_depth
        self.fault: _FaultError | None = None

    def value(self) -> int:
        """Read one value with the white space around it; returns where it ends."""
        # Without recursion, as hostile texts nest deeply. An entry of `open_` is the set of
        # keys seen in that object, or None for an array.
        text, at = self.text, 0
        open_: list[set[str] | None] = []
        while True:
            at = self.space(at)
            start = text[at : at + 1]
            if start and start in "{[":
                if len(open_) == self.max_depth:
                    raise _FaultError(
                        "json.too_deep", f"more than {self.max_depth} levels are nested", at
                    )
                at = self.space(at + 1)
                if text[at : at + 1] == ("}" if start == "{" else "]"):
                    at += 1
                elif start == "{":
                    open_.append(set())
                    at = self.key(at, open_[-1])
                    continue
                else:
                    open_.append(None)
                    continue
            else:
                at = self.scalar(at)
            # A value has ended: close what it closes, or go on to the next one.
            while True:
                at = self.space(at)
                if not open_:
                    return at
                keys = open_[-1]
                mark = text[at : at + 1]
                if mark == ",":
                    at = self.space(at + 1)
                    if keys is not None:
                        at = self.key(at, keys)
                    break
                if mark != ("]" if keys is None else "}"):
                    what = "a comma or a closing bracket is expected" if mark else _UNFINISHED
                    raise _FaultError("json.invalid", what, at)
                open_.pop()
                at += 1

    def space(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        assert match is not None
        return match.end()

    def key(self, at: int, keys: set[str] | None) -> int:
        """Read a key and its colon."""
        if self.text[at : at + 1] != '"':
            what = "a key in double quotes is expected" if self.text[at:] else _UNFINISHED
            raise _FaultError("json.invalid", what, at)
        stop, key = self.string(at)
        assert keys is not None
        if key in keys:
            self.note("json.duplicate_key", "a key occurs twice in one object", at)
        keys.add(key)
        stop = self.space(stop)
        if self.text[stop : stop + 1] != ":":
            what = "a colon is expected" if self.text[stop:] else _UNFINISHED
            raise _FaultError("json.invalid", what, stop)
        return stop + 1

    def string(self, at: int) -> tuple[int, str]:
        match = _STRING.match(self.text, at)
        if match is None:
            raise _FaultError(
                "json.invalid", "a string does not end, or holds what a string may not", at
            )
        value: str = loads(match.group())
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                self.note("json.unicode", "a string holds a lone surrogate", at)
        return match.end(), value

    def scalar(self, at: int) -> int:
        text = self.text
        if text[at : at + 1] == '"':
            return self.string(at)[0]
        number = _NUMBER.match(text, at)
        if number is not None:
            self.judge_number(number)
            return number.end()
        word = _WORD.match(text, at)
        if word is not None:
            return word.end()
        strange = _NO_NUMBER.match(text, at)
        if strange is not None:
            self.note("json.number", "NaN and Infinity are no JSON numbers", at)
            return strange.end()
        raise _FaultError("json.invalid", "a value is expected" if text[at:] else _UNFINISHED, at)

    def judge_number(self, number: re.Match[str]) -> None:
        fault = number_fault(number[0])
        if fault is not None:
            self.note("json.number", fault, number.start())

    def note(self, code: str, what: str, at: int) -> None:
        if self.fault is None:
            self.fault = _FaultError(code, what, at)


_UNFINISHED = "the text ends before its JSON value does"
