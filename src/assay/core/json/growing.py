"""Strict JSON read while it arrives: what can no longer become one JSON text is named at once.

In      pieces of a text, cut anywhere; somebody who is told of each key and value
Out     GrowingFault at the first code point after which no continuation is JSON as we take it
Pure    yes
Spec    000 H1; interfaces.md, "Strictness"

One pass over the text, whatever its pieces: nothing is read twice. Where it stops, and why, does
not depend on where the text was cut.
"""

from __future__ import annotations

import re
from typing import Any, Final, Protocol

from assay.core.json.faults import number_fault

__all__ = ["GrowingFault", "GrowingJson", "JsonReader"]

_SPACE = re.compile(r"[ \t\n\r]*").match
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*').match
_ESCAPES: Final = {
    '"': '"',
    "\\": "\\",
    "/": "/",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_HEX = frozenset("0123456789abcdefABCDEF")

(
    _VALUE,  # a value is expected
    _FIRST_ITEM,  # a value, or the end of an empty array
    _FIRST_KEY,  # a key, or the end of an empty object
    _KEY,
    _COLON,
    _AFTER,  # a comma, or the end of what is open
    _END,  # nothing but white space
    _STRING,
    _ESCAPE,
    _UNICODE,
    _NUMBER,
    _WORD,
) = range(12)

_DIGITS = "0123456789"
_STEPS: Final[dict[str, dict[str, str]]] = {
    "minus": {"0": "zero", **dict.fromkeys("123456789", "whole")},
    "zero": {".": "point", "e": "power", "E": "power"},
    "whole": {**dict.fromkeys(_DIGITS, "whole"), ".": "point", "e": "power", "E": "power"},
    "point": dict.fromkeys(_DIGITS, "fraction"),
    "fraction": {**dict.fromkeys(_DIGITS, "fraction"), "e": "power", "E": "power"},
    "power": {"+": "sign", "-": "sign", **dict.fromkeys(_DIGITS, "digits")},
    "sign": dict.fromkeys(_DIGITS, "digits"),
    "digits": dict.fromkeys(_DIGITS, "digits"),
}
"""Which code point may follow where in a number."""

_WHOLE_NUMBER = frozenset({"zero", "whole", "fraction", "digits"})
_WORDS: Final[dict[str, tuple[str, str, Any]]] = {
    "t": ("true", "boolean", True),
    "f": ("false", "boolean", False),
    "n": ("null", "null", None),
    "N": ("NaN", "", None),
    "I": ("Infinity", "", None),
}
_NO_WORD = "-Infinity"


class GrowingFault(Exception):  # noqa: N818 - a verdict on a text, no error of the program
    """No continuation is acceptable."""

    def __init__(self, code: str, message: str, path: str = "", at: int = -1) -> None:
        super().__init__(code)
        self.code = code
        """A finding code."""
        self.message = message
        self.path = path
        """JSON Pointer into what was read; empty for faults of the text itself."""
        self.at = at
        """Code point where the text itself is at fault; -1 when a value is."""


class JsonReader(Protocol):
    """Is told of keys and values as they come, and may raise GrowingFault."""

    def begins(self, kind: str) -> bool:
        """A value of *kind* begins: `object`, `array`, `string`, `number`, `boolean`, `null`, or
        "" for what is none; whether a string is wanted piece by piece."""
        ...

    def key(self, name: str) -> None:
        """A key of the innermost object has ended."""
        ...

    def grows(self, more: str) -> None:
        """The string under way goes on with *more*; only where it is wanted so."""
        ...

    def ends(self, value: Any, written: str) -> None:
        """A string, number, boolean or null has ended; *written* is the number as it stands."""
        ...

    def closes(self) -> None:
        """The innermost object or array has ended."""
        ...


class GrowingJson:
    """One text, read as it grows."""

    __slots__ = (
        "_expected",
        "_grows",
        "_heard",
        "_high",
        "_in_key",
        "_keys",
        "_max_depth",
        "_parts",
        "_place",
        "_reader",
        "_started",
        "_state",
        "_token",
        "_value",
        "has_key",
    )

    def __init__(self, reader: JsonReader, *, max_depth: int) -> None:
        self._reader = reader
        self._max_depth = max_depth
        self._state = _VALUE
        self._heard = 0
        """Code points before the piece under way."""
        self._keys: list[set[str] | None] = []
        """For each open object the keys seen in it; None for an array."""
        self._parts: list[str] = []
        """Of the string or number under way."""
        self._in_key = False
        self._grows = False
        self._high = 0
        """The first half of a surrogate pair that waits for its second, else 0."""
        self._token = ""
        """Hex digits of an escape."""
        self._place = ""
        """Where in a number."""
        self._expected = ""
        """The rest of the word under way."""
        self._value: Any = None
        self._started = 0
        self.has_key = False
        """Whether the key of some object has begun."""

    def hear(self, text: str) -> None:
        """Read on. Raises GrowingFault; then there is no more to be read."""
        at, stop = 0, len(text)
        while at < stop:
            state = self._state
            if state == _STRING:
                plain = _PLAIN(text, at)
                if not at and plain.end() == stop:  # type: ignore[union-attr]
                    self._add(text, 0)  # the commonest piece: some words of a string
                    break
                at = self._string(text, at)
            elif state == _NUMBER:
                at = self._number(text, at)
            elif state in (_ESCAPE, _UNICODE):
                self._escape(text[at], at)
                at += 1
            elif state == _WORD:
                at = self._word(text, at)
            else:
                space = _SPACE(text, at)
                assert space is not None
                at = space.end()
                if at < stop:
                    self._structure(text[at], at)
                    at += 1
        self._heard += stop

    # Between the values.

    def _structure(self, char: str, at: int) -> None:
        state = self._state
        if state == _AFTER:
            self._next(char, at)
        elif state == _VALUE or (state == _FIRST_ITEM and char != "]"):
            self._begin(char, at)
        elif state in (_KEY, _FIRST_KEY) and char == '"':
            self.has_key = True
            self._open_string(at, in_key=True)
        elif state == _COLON and char == ":":
            self._state = _VALUE
        elif (state == _FIRST_KEY and char == "}") or state == _FIRST_ITEM:
            self._close()
        elif state == _END:
            raise self._fault("json.trailing", "something follows the JSON value", at)
        elif state == _COLON:
            raise self._fault("json.invalid", "a colon is expected", at)
        else:
            raise self._fault("json.invalid", "a key in double quotes is expected", at)

    def _next(self, char: str, at: int) -> None:
        in_array = self._keys[-1] is None
        if char == ",":
            self._state = _VALUE if in_array else _KEY
        elif char == ("]" if in_array else "}"):
            self._close()
        else:
            raise self._fault("json.invalid", "a comma or a closing bracket is expected", at)

    def _begin(self, char: str, at: int) -> None:
        if char == '"':
            self._grows = self._reader.begins("string")
            self._open_string(at, in_key=False)
        elif char in ("{", "["):
            if len(self._keys) == self._max_depth:
                what = f"more than {self._max_depth} levels are nested"
                raise self._fault("json.too_deep", what, at)
            self._reader.begins("object" if char == "{" else "array")
            self._keys.append(set() if char == "{" else None)
            self._state = _FIRST_KEY if char == "{" else _FIRST_ITEM
        elif char in _DIGITS or char == "-":
            self._reader.begins("number")
            self._parts = [char]
            self._started = self._heard + at
            self._place = "minus" if char == "-" else "zero" if char == "0" else "whole"
            self._state = _NUMBER
        elif char in _WORDS:
            word, kind, self._value = _WORDS[char]
            self._reader.begins(kind)
            self._started = self._heard + at
            self._token, self._expected = kind, word[1:]
            self._state = _WORD
        else:
            raise self._fault("json.invalid", "a value is expected", at)

    def _close(self) -> None:
        self._keys.pop()
        self._reader.closes()
        self._state = _AFTER if self._keys else _END

    # Strings.

    def _open_string(self, at: int, *, in_key: bool) -> None:
        self._in_key = in_key
        self._parts = []
        self._started = self._heard + at
        self._state = _STRING

    def _string(self, text: str, at: int) -> int:
        plain = _PLAIN(text, at)
        assert plain is not None
        stop = plain.end()
        if stop > at:
            self._add(text[at:stop] if at or stop < len(text) else text, at)
        if stop == len(text):
            return stop
        char = text[stop]
        if char == '"':
            self._end_string(stop)
        elif char == "\\":
            self._state = _ESCAPE
        else:
            raise self._fault("json.invalid", "a string holds a control character", stop)
        return stop + 1

    def _add(self, more: str, at: int) -> None:
        if self._high:
            raise self._fault("json.unicode", "a string holds a lone surrogate", at)
        self._parts.append(more)
        if self._grows and not self._in_key:
            self._reader.grows(more)

    def _escape(self, char: str, at: int) -> None:
        if self._state == _UNICODE:
            if char not in _HEX:
                raise self._fault("json.invalid", "an escape is not four hex digits", at)
            self._token += char
            if len(self._token) == 4:
                self._state = _STRING
                self._code_point(int(self._token, 16), at)
        elif char == "u":
            self._token = ""
            self._state = _UNICODE
        elif char in _ESCAPES:
            self._state = _STRING
            self._add(_ESCAPES[char], at)
        else:
            raise self._fault("json.invalid", "a string holds an escape that JSON lacks", at)

    def _code_point(self, unit: int, at: int) -> None:
        if 0xDC00 <= unit < 0xE000 and self._high:
            pair = 0x10000 + ((self._high - 0xD800) << 10) + (unit - 0xDC00)
            self._high = 0
            self._add(chr(pair), at)
        elif 0xD800 <= unit < 0xDC00 and not self._high:
            self._high = unit
        elif 0xD800 <= unit < 0xE000:
            raise self._fault("json.unicode", "a string holds a lone surrogate", at)
        else:
            self._add(chr(unit), at)

    def _end_string(self, at: int) -> None:
        if self._high:
            raise self._fault("json.unicode", "a string holds a lone surrogate", at)
        value = "".join(self._parts)
        if not self._in_key:
            self._state = _AFTER if self._keys else _END
            self._reader.ends(value, "")
            return
        keys = self._keys[-1]
        assert keys is not None
        if value in keys:
            what = "a key occurs twice in one object"
            raise GrowingFault("json.duplicate_key", what, at=self._started)
        keys.add(value)
        self._state = _COLON
        self._reader.key(value)

    # Numbers and words.

    def _number(self, text: str, at: int) -> int:
        start, place = at, self._place
        while at < len(text):
            after = _STEPS[place].get(text[at])
            if after is None:
                break
            place = after
            at += 1
        self._place = place
        self._parts.append(text[start:at])
        if at == len(text):
            return at
        if place == "minus" and text[at] == "I":
            self._token, self._expected = "", _NO_WORD[2:]
            self._state = _WORD
            return at + 1
        if place not in _WHOLE_NUMBER:
            raise self._fault("json.invalid", "a number is not written as JSON writes it", at)
        self._end_number()
        return at

    def _end_number(self) -> None:
        written = "".join(self._parts)
        fault = number_fault(written)
        if fault is not None:
            raise GrowingFault("json.number", fault, at=self._started)
        self._state = _AFTER if self._keys else _END
        self._reader.ends(_number_value(written), written)

    def _word(self, text: str, at: int) -> int:
        if text[at] != self._expected[0]:
            raise self._fault("json.invalid", "a value is expected", at)
        self._expected = self._expected[1:]
        if not self._expected:
            if not self._token:
                what = "NaN and Infinity are no JSON numbers"
                raise GrowingFault("json.number", what, at=self._started)
            self._state = _AFTER if self._keys else _END
            self._reader.ends(self._value, "")
        return at + 1

    def _fault(self, code: str, what: str, at: int) -> GrowingFault:
        return GrowingFault(code, what, at=self._heard + at)


def _number_value(written: str) -> int | float:
    return int(written) if written.lstrip("-").isdigit() else float(written)
