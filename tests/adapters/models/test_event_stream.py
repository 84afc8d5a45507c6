"""Server-sent events from bytes, however they are split."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.event_stream import EventReader, ServerEvent, StreamTooLargeError

LINES = st.lists(
    st.sampled_from(
        [
            "data: {}",
            "data:{}",
            "data",
            "data:  é",
            "data: 🦊\u2028x",
            "event: ping",
            ": keep-alive",
            "id: 3",
            "",
            "",
            "retry: 5",
        ]
    ),
    max_size=12,
)


def read(pieces: list[bytes], **bounds: int) -> list[ServerEvent]:
    reader = EventReader(**bounds)
    return [event for piece in pieces for event in reader.feed(piece)] + reader.close()


def split(body: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts)})
    return [body[a:b] for a, b in itertools.pairwise(places)]


@pytest.mark.clause("006-M4")
@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.lists(st.integers(0, 999)))
def test_any_split_of_the_bytes_gives_the_same_events(lines, end, mark, cuts):
    """Also within a character, a line end of two bytes, or the byte order mark."""
    body = ("\ufeff" * mark + "".join(line + end for line in lines)).encode()

    assert read([body]) == read(split(body, cuts))
    assert read([body]) == read([bytes([byte]) for byte in body])


@pytest.mark.clause("006-M4")
@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))))
def test_what_was_written_is_what_is_read(texts):
    """One event a text, data byte for byte."""
    body = b"".join(f"data: {text}\r\n\r\n".encode() for text in texts)

    assert [text.encode() for text in texts] == [event.data for event in read([body])]


@pytest.mark.parametrize(
    ("body", "events"),
    [
        (b"data: a\ndata: b\n\n", [("message", b"a\nb")]),
        (b"event: x\ndata: a\n\ndata: b\n\n", [("x", b"a"), ("message", b"b")]),
        (b"event: x\n\ndata: b\n\n", [("message", b"b")]),
        (b": ping\n\n: ping\r\n\r\n", []),
        (b"data: [DONE]", [("message", b"[DONE]")]),
        (b"data: \xc3\n\n", [("message", b"\xc3")]),
        (b"data\n\n", [("message", b"")]),
        (b"", []),
    ],
)
def test_events_are_what_the_standard_says(body, events):
    """Comments are none; data of several lines are one; the last may lack its blank line."""
    assert events == [(event.name, event.data) for event in read([body])]


def test_bounds_hold_for_an_event_and_for_the_stream():
    """A line that never ends, and a stream that never does."""
    with pytest.raises(StreamTooLargeError):
        read([b"data: " + b"x" * 50] * 3, max_event_bytes=120)
    with pytest.raises(StreamTooLargeError):
        read([b"data: x\n\n"] * 20, max_stream_bytes=100)
    assert 99 == len(read([b": keep\ndata: x\n\n"] * 99, max_event_bytes=20))
