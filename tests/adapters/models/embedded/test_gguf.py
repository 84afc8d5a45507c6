"""Headers of GGUF files: what is in them, and what hostile ones come to."""

from __future__ import annotations

import struct
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.embedded.gguf import GgufError, Header, MoreBytesError, read_header
from tests.gguf_files import ARRAY, I32, PLAIN, TEXT, U8, U32, U64, changed, entry, gguf, text

pytestmark = pytest.mark.clause("006-M7")

WHOLE = gguf()


def read(data: bytes) -> Header:
    return read_header(data, len(data))


@pytest.mark.parametrize("version", [2, 3])
def test_a_header_says_what_the_model_is(version: int) -> None:
    """Names, sizes, template and special tokens come out as they stand."""
    header = read(gguf(version=version))

    assert header == Header(
        version=version,
        architecture="llama",
        name="Tiny",
        licence="mit",
        quantisation="Q4_K_M",
        parameters=8,
        context_tokens=2048,
        tokenizer="gpt2",
        chat_template="{{ messages[0].content }}",
        bos="<s>",
        eos="</s>",
        add_bos=True,
        special={"<s>": 0, "</s>": 1, "<think>": 3},
        joined=("<think>",),
        thoughts=(3,),
    )


def test_what_a_file_does_not_say_is_left_open() -> None:
    """Only architecture and vocabulary must be there; odd kinds of values count as absent."""
    header = read(
        gguf(
            changed(
                general__name=(U32, 7),
                general__license=None,
                general__file_type=(U32, 4_000_000),
                llama__context_length=(TEXT, "long"),
                tokenizer__ggml__bos_token_id=(U32, 99),
                tokenizer__ggml__eos_token_id=None,
                tokenizer__ggml__add_bos_token=None,
                tokenizer__ggml__token_type=None,
                tokenizer__chat_template=(TEXT, "  "),
            )
        )
    )

    assert ("", "", "", 0) == (
        header.name,
        header.licence,
        header.quantisation,
        header.context_tokens,
    )
    assert ("", "", None, None) == (header.bos, header.eos, header.add_bos, header.chat_template)
    assert {} == header.special


@given(st.integers(0, len(WHOLE) - 1))
def test_a_file_that_ends_early_is_never_taken_for_whole(end: int) -> None:
    """Wherever a download stopped, in the header or in the tensors, that is an error."""
    with pytest.raises(GgufError):
        read(WHOLE[:end])


@given(st.integers(0, len(WHOLE) - 33))
def test_a_header_that_goes_on_asks_for_more(end: int) -> None:
    """What ends inside the bytes given, but not inside the file, is to be read further."""
    try:
        found = read_header(WHOLE[:end], len(WHOLE))
    except MoreBytesError:
        return
    except GgufError:
        assert end < 4
        return
    assert found == read(WHOLE)


@given(st.binary(max_size=400))
def test_any_bytes_are_a_header_or_a_clear_error(data: bytes) -> None:
    """Nothing else is ever raised."""
    for each in (data, b"GGUF" + data, b"GGUF" + struct.pack("<I", 3) + data):
        with pytest.raises(GgufError):
            read(each)


@given(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))
def test_one_wrong_byte_is_a_header_or_a_clear_error(at: int, byte: int) -> None:
    """Damage is told or harmless; it never takes the reader down."""
    data = bytearray(WHOLE)
    data[at] = byte
    try:
        found = read(bytes(data))
    except GgufError:
        return
    assert found.architecture


def _start(tensors: int, entries: int) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, tensors, entries)


def _announcing(key: str, kind: int, count: int) -> bytes:
    return _start(0, 1) + text(key) + struct.pack("<IIQ", ARRAY, kind, count) + b"\0" * 64


@pytest.mark.parametrize(
    "data",
    [
        _start(2**63, 0),
        _start(0, 2**63),
        _start(0, 1) + struct.pack("<Q", 2**63) + b"key",
        _start(0, 1) + struct.pack("<Q", 2**64 - 1),
        _announcing("tokenizer.ggml.tokens", TEXT, 2**62),
        _announcing("tokenizer.ggml.tokens", TEXT, 2**33),
        _announcing("tokenizer.ggml.token_type", U8, 2**40),
        _announcing("other", U8, 2**63),
        _announcing("other", ARRAY, 2**50),
        _announcing("other", TEXT, 2**22),
    ],
)
def test_huge_counts_cost_nothing(data: bytes) -> None:
    """What is announced and not there is refused before memory is taken for it."""
    tracemalloc.start()
    try:
        with pytest.raises(GgufError):
            read_header(data, 2**63)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 1 << 20


def _nested(depth: int) -> bytes:
    inner = struct.pack("<IQ", ARRAY, 1) * depth
    return _start(0, 1) + text("x") + struct.pack("<I", ARRAY) + inner + b"\0" * 64


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "does not begin like a GGUF file"),
        (b"GGML" + WHOLE[4:], "does not begin like a GGUF file"),
        (b"PK\x03\x04" + b"\0" * 99, "does not begin like a GGUF file"),
        (gguf(version=1), "its version is 1"),
        (gguf(version=4), "its version is 4"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
        (_nested(9), "unknown kind"),
        (_start(0, 1) + text("x") + struct.pack("<I", 13), "unknown kind 13"),
        (_start(0, 1) + text(b"\xff\xfe") + b"\0" * 9, "no UTF-8"),
        (_start(0, 2) + entry("a", U32, 1) + entry("a", U32, 2), "stands there twice"),
        (gguf({}), "which architecture"),
        (gguf(changed(tokenizer__ggml__tokens=None)), "no vocabulary"),
        (gguf(changed(tokenizer__ggml__tokens=(ARRAY, (TEXT, [])))), "no vocabulary"),
        (gguf(changed(tokenizer__ggml__tokens=(ARRAY, (I32, [1])))), "no list of texts"),
        (gguf(changed(tokenizer__ggml__token_type=(ARRAY, (I32, [3])))), "not of one length"),
        (gguf(changed(split__count=(U32, 3))), "one of 3 parts"),
        (gguf(changed(general__type=(TEXT, "adapter"))), "a part of one"),
        (gguf(changed(general__architecture=(TEXT, "bert"))), "writes no text"),
        (gguf(changed(general__alignment=(U32, 0))), "alignment"),
        (gguf(changed(tokenizer__chat_template=(TEXT, "x" * 300_000))), "longer than 256 KiB"),
        (gguf(tensors=[("t", (1,) * 5, 0, 0)]), "5 dimensions"),
        (gguf(tensors=[("t", (2**60, 2**60), 0, 0)]), "cut off"),
        (gguf(tensors=[("t", (4,), 0, 2**60)]), "cut off"),
        (gguf(data=b"\0" * 31), "its last 1 bytes or more are missing"),
    ],
)
def test_what_cannot_be_used_says_why(data: bytes, why: str) -> None:
    """One sentence for people, for each kind of file that is none or another's."""
    with pytest.raises(GgufError, match=why):
        read(data)


@given(st.dictionaries(st.text(max_size=9), st.integers(0, 2**64 - 1), max_size=5))
def test_unknown_entries_change_nothing(more: dict[str, int]) -> None:
    """Files carry whatever their makers like; only what is known is read."""
    entries: dict[str, Any] = {f"x.{key}": (U64, number) for key, number in more.items()}

    assert read(WHOLE) == read(gguf({**entries, **PLAIN}))
