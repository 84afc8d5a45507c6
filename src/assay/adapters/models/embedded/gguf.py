"""Read what a GGUF file says of the model in it.

In      the beginning of a file, how long the file is
Out     Header: architecture, context length, quantisation, chat template, special tokens
Pure    yes: bytes in, values out; every count is checked against the bytes that are there
Spec    interfaces.md, "Models" (`embedded:FILE.gguf`); GGUF versions 2 and 3

The files come from anywhere. Nothing is believed before the bytes for it have been seen: no
count makes this reader allocate more than the beginning it was given, and a file that ends
before its last tensor is told from a whole one.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, Final

MAGIC: Final = b"GGUF"
VERSIONS: Final = (2, 3)

HEADER_BYTES: Final = 64 << 20
"""Longest header read; the vocabulary of a quarter of a million tokens takes a tenth of it."""

TEMPLATE_BYTES: Final = 256 << 10
"""Longest chat template; the longest known ones have a tenth of it."""

_MOST_TENSORS: Final = 1 << 17
_MOST_TOKENS: Final = 1 << 22
"""Longest array of texts, or of anything that is kept; the largest vocabularies have a 16th."""

_MOST_DIMENSIONS: Final = 4
_DEEPEST: Final = 2
"""Arrays of arrays are allowed by the format; no model has deeper ones."""

_PLAIN: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?"} | {
    10: "Q",
    11: "q",
    12: "d",
}
_STRING, _ARRAY = 8, 9

_QUANTISATIONS: Final = {
    **{0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1"},
    **{10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M"},
    **{16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS", 21: "Q2_K_S"},
    **{22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M"},
    **{28: "IQ2_S", 29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0"},
    **{37: "TQ2_0", 38: "MXFP4", 39: "NVFP4", 40: "Q1_0"},
}
"""`general.file_type` -> how the format's own tools write it."""

_BLOCKS: Final = {
    **{0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34)},
    **{9: (32, 40), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176)},
    **{14: (256, 210), 15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98)},
    **{19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1)},
    **{25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2)},
    **{34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18)},
}
"""Kind of tensor -> (values, bytes) of one block; kinds that are not here are not measured."""

THOUGHT_MARKS: Final = {"<think>": "</think>", "[THINK]": "[/THINK]"}
"""What a thought begins with -> what it ends with."""

_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED = 1, 2, 3, 4

_NO_TEXT: Final = frozenset({"bert", "nomic-bert", "jina-bert-v2", "clip", "whisper", "t5encoder"})
"""Architectures that write no text."""


class GgufError(ValueError):
    """The bytes are no GGUF file that can be used; the message says why, in words for people."""


class MoreBytesError(GgufError):
    """The header is longer than the bytes given; the file has more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """What a file says of its model. Every text in it is foreign."""

    version: int
    architecture: str
    name: str = ""
    licence: str = ""
    quantisation: str = ""
    """As in `Q4_K_M`; empty where the file does not say."""

    parameters: int = 0
    """Numbers in all tensors."""

    context_tokens: int = 0
    """What the model was trained for; 0 where the file does not say."""

    tokenizer: str = ""
    chat_template: str | None = None
    bos: str = ""
    """The token that begins a text; empty where there is none."""

    eos: str = ""
    add_bos: bool | None = None
    """None: the file leaves it to its tokenizer's custom."""

    special: Mapping[str, int] = field(default_factory=dict)
    """Every control token: its text and its number."""

    joined: tuple[str, ...] = ()
    """Tokens that a tokenizer makes of their text even where it is no markup of ours."""

    thoughts: tuple[int, ...] = ()
    """Numbers of the tokens with which a thought begins."""


def read_header(data: bytes, file_bytes: int) -> Header:
    """Read the header at the beginning of a file.

    Args:
        data: The first bytes of the file, at best HEADER_BYTES of them.
        file_bytes: Length of the whole file.

    Raises:
        GgufError: it is no GGUF, damaged, cut off, or holds no language model.
        MoreBytesError: *data* ends inside the header, and the file goes on.
    """
    reader = _Reader(data, file_bytes)
    version, tensors, entries = reader.read_start()
    values: dict[str, Any] = {}
    for _ in range(entries):
        key = reader.read_text()
        if key in values:
            raise GgufError(f"the key {key[:60]!r} stands there twice")
        values[key] = reader.read_value(key)
    parameters = _check_tensors(reader, tensors, values)
    return _header(version, values, parameters)


class _Reader:
    """A place in the bytes; every step forward is checked first."""

    def __init__(self, data: bytes, file_bytes: int) -> None:
        self._data = data
        self._file_bytes = max(file_bytes, len(data))
        self.at = 0

    @property
    def file_bytes(self) -> int:
        return self._file_bytes

    def read_start(self) -> tuple[int, int, int]:
        """(version, tensors, entries). Raises GgufError for what is none."""
        if self._data[:4] != MAGIC:
            raise GgufError("it does not begin like a GGUF file")
        self.at = 4
        (version,) = self.unpack("I")
        if version not in VERSIONS:
            (swapped,) = struct.unpack(">I", self._data[4:8])
            if swapped in VERSIONS:
                raise GgufError("it is written for big-endian machines")
            raise GgufError(f"its version is {version}; versions 2 and 3 can be read")
        tensors, entries = self.unpack("QQ")
        if tensors > _MOST_TENSORS or entries > _MOST_TENSORS:
            raise GgufError(f"it announces {tensors} tensors and {entries} entries")
        return version, tensors, entries

    def unpack(self, codes: str) -> tuple[Any, ...]:
        layout = struct.Struct("<" + codes)
        start = self._step(layout.size)
        return layout.unpack_from(self._data, start)

    def read_bytes(self) -> bytes:
        (length,) = self.unpack("Q")
        start = self._step(length)
        return self._data[start : self.at]

    def read_text(self) -> str:
        try:
            return self.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise GgufError("a text in it is no UTF-8") from error

    def read_value(self, key: str) -> Any:
        (kind,) = self.unpack("I")
        if kind in _PLAIN:
            return self.unpack(_PLAIN[kind])[0]
        if kind == _STRING:
            return self.read_text()
        if kind == _ARRAY:
            return self._read_array(key, 1)
        raise GgufError(f"the key {key[:60]!r} has a value of unknown kind {kind}")

    def _read_array(self, key: str, depth: int) -> Any:
        """Numbers as one tuple, texts as a list of bytes; whatever nobody reads is passed over."""
        kind, count = self.unpack("IQ")
        read = key in _READ
        if count > _MOST_TOKENS and (read or kind not in _PLAIN):
            raise GgufError(f"the key {key[:60]!r} announces {count} entries")
        if kind in _PLAIN:
            code = _PLAIN[kind]
            start = self._step(struct.calcsize(f"<{code}") * count)
            return struct.unpack_from(f"<{count}{code}", self._data, start) if read else None
        if kind == _STRING:
            self._expect(8 * count)
            if read:
                return [self.read_bytes() for _ in range(count)]
            for _ in range(count):
                self.read_bytes()
            return None
        if kind == _ARRAY and depth < _DEEPEST:
            self._expect(12 * count)
            for _ in range(count):
                self._read_array("", depth + 1)
            return None
        raise GgufError(f"the key {key[:60]!r} has an array of unknown kind {kind}")

    def _expect(self, length: int) -> None:
        """Raises unless *length* more bytes are there."""
        if self.at + length > self._file_bytes:
            raise GgufError("it is cut off or damaged: its header is longer than the file")
        if self.at + length > len(self._data):
            if len(self._data) >= HEADER_BYTES:
                raise GgufError(f"its header is longer than {HEADER_BYTES >> 20} MiB")
            raise MoreBytesError("more of the file is needed")

    def _step(self, length: int) -> int:
        self._expect(length)
        start = self.at
        self.at += length
        return start


_READ: Final = frozenset({"tokenizer.ggml.tokens", "tokenizer.ggml.token_type"})
"""The arrays that are looked at."""


def _check_tensors(reader: _Reader, count: int, values: Mapping[str, Any]) -> int:
    """How many numbers all tensors hold. Raises GgufError when the file ends before they do."""
    total, last = 0, 0
    for _ in range(count):
        reader.read_bytes()
        (dimensions,) = reader.unpack("I")
        if not 0 <= dimensions <= _MOST_DIMENSIONS:
            raise GgufError(f"a tensor has {dimensions} dimensions")
        numbers = prod(reader.unpack("Q" * dimensions))
        kind, offset = reader.unpack("IQ")
        total += numbers
        values_a_block, bytes_a_block = _BLOCKS.get(kind, (1, 0))
        last = max(last, offset + numbers // values_a_block * bytes_a_block)
    alignment = values.get("general.alignment", 32)
    if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20:
        raise GgufError("its alignment is no number that can be")
    begin = -(-reader.at // alignment) * alignment
    if begin + last > reader.file_bytes:
        missing = begin + last - reader.file_bytes
        raise GgufError(f"it is cut off: its last {missing} bytes or more are missing")
    return total


def _header(version: int, values: Mapping[str, Any], parameters: int) -> Header:
    architecture = _text(values, "general.architecture")
    if not architecture:
        raise GgufError("it does not say which architecture it has")
    _refuse_others(architecture, values)
    tokens, kinds = _vocabulary(values)
    special = {
        text: number
        for number, (text, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind in (_UNKNOWN, _CONTROL, _USER_DEFINED) and len(text) > 1
    }
    template = values.get("tokenizer.chat_template")
    if isinstance(template, str) and len(template.encode("utf-8")) > TEMPLATE_BYTES:
        raise GgufError(f"its chat template is longer than {TEMPLATE_BYTES >> 10} KiB")
    add_bos = values.get("tokenizer.ggml.add_bos_token")
    context = _number(values, f"{architecture}.context_length", 0)
    return Header(
        version=version,
        architecture=architecture,
        name=_text(values, "general.name"),
        licence=_text(values, "general.license"),
        quantisation=_QUANTISATIONS.get(_number(values, "general.file_type", -1), ""),
        parameters=parameters,
        context_tokens=context if 0 < context < 1 << 31 else 0,
        tokenizer=_text(values, "tokenizer.ggml.model"),
        chat_template=template if isinstance(template, str) and template.strip() else None,
        bos=_token(values, "tokenizer.ggml.bos_token_id", tokens),
        eos=_token(values, "tokenizer.ggml.eos_token_id", tokens),
        add_bos=add_bos if isinstance(add_bos, bool) else None,
        special=special,
        joined=tuple(
            text
            for text, kind in zip(tokens, kinds, strict=True)
            if kind == _USER_DEFINED and len(text) > 1 and not text.isspace()
        ),
        thoughts=tuple(number for number, text in enumerate(tokens) if text in THOUGHT_MARKS),
    )


def _refuse_others(architecture: str, values: Mapping[str, Any]) -> None:
    """Raises GgufError for files that are no whole language model."""
    kind = _text(values, "general.type") or "model"
    if kind != "model":
        raise GgufError(f"it holds no language model but a part of one ({kind[:20]!r})")
    if architecture in _NO_TEXT or f"{architecture}.pooling_type" in values:
        raise GgufError(f"it holds no language model: {architecture[:40]!r} writes no text")
    parts = _number(values, "split.count", 0)
    if parts > 1:
        raise GgufError(f"it is one of {parts} parts of a model; join them into one file first")
    if not values.get("tokenizer.ggml.tokens"):
        # Only what is read of an array is there, so an empty one counts as none.
        raise GgufError("it has no vocabulary")


def _vocabulary(values: Mapping[str, Any]) -> tuple[list[str], tuple[int, ...]]:
    """(text, kind) of every token; tokens whose bytes are no text are kept as something else."""
    raw = values["tokenizer.ggml.tokens"]
    if not isinstance(raw, list):
        raise GgufError("its vocabulary is no list of texts")
    kinds = values.get("tokenizer.ggml.token_type")
    if kinds is None:
        kinds = (_NORMAL,) * len(raw)
    if not isinstance(kinds, tuple) or len(kinds) != len(raw):
        raise GgufError("its vocabulary and the kinds of its tokens are not of one length")
    return [token.decode("utf-8", "replace") for token in raw], kinds


def _token(values: Mapping[str, Any], key: str, tokens: list[str]) -> str:
    number = _number(values, key, -1)
    return tokens[number] if 0 <= number < len(tokens) else ""


def _text(values: Mapping[str, Any], key: str) -> str:
    found = values.get(key)
    return found if isinstance(found, str) else ""


def _number(values: Mapping[str, Any], key: str, default: int) -> int:
    found = values.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else default
