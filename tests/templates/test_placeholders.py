"""A body that is taken apart holds what was put together, and says where each name stands."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import TemplateError
from assay.templates.placeholders import Piece, take_apart

NAMES = st.sampled_from(["a", "labels.kind", "input.body_2", "B"])
LITERALS = st.text("ab }\n.#\u00e4\U0001f600", min_size=1, max_size=6)
BLANKS = st.sampled_from(["", " ", "\t", " \t "])


@given(
    st.lists(st.one_of(LITERALS, st.just("{{"), st.tuples(NAMES, BLANKS, BLANKS)), max_size=10),
    st.integers(1, 9),
)
def test_what_was_put_together_comes_apart_again(parts: list[object], first_line: int) -> None:
    """Literal text whole, doubled braces as two, each variable where it stands; line and column,
    counted from 1 in code points, are those of its first place."""
    body, pieces = "", []
    places: dict[str, tuple[int, int]] = {}
    for part in parts:
        if isinstance(part, tuple):
            name, before, after = part
            line = first_line + body.count("\n")
            places.setdefault(name, (line, len(body) - (body.rfind("\n") + 1) + 1))
            body += f"{{{{{before}{name}{after}}}}}"
            pieces.append(Piece("", name))
        else:
            body += "{{{{" if part == "{{" else str(part)
            pieces.append(Piece(str(part), None))
    merged: list[Piece] = []
    for literal, group in groupby(pieces, key=lambda piece: piece.name is None):
        together = list(group)
        merged += [Piece("".join(p.text for p in together), None)] if literal else together

    assert (tuple(merged), places) == take_apart(body, first_line)


@given(st.text("ab{}.# \n", max_size=14))
def test_any_body_is_taken_apart_or_refused_at_a_place(body: str) -> None:
    """A refusal names an opening of two braces by line and column."""
    refused: TemplateError | None = None
    pieces: tuple[Piece, ...] = ()
    try:
        pieces, _ = take_apart(body)
    except TemplateError as error:
        refused = error
    if refused is not None:
        assert refused.line is not None
        assert refused.column is not None
        line = body.split("\n")[refused.line - 1]
        assert line[refused.column - 1 :].startswith("{{")
    else:
        written = (
            f"{{{{{piece.name}}}}}" if piece.name else piece.text.replace("{{", "{{{{")
            for piece in pieces
        )
        assert pieces == take_apart("".join(written))[0]


@pytest.mark.parametrize("body", ["{{a.}}", "{{1}}", "{{a\n}}", "{{ä}}", "{{a b}}", "{{", "{{a}"])
def test_what_only_looks_like_a_placeholder_is_refused(body: str) -> None:
    """Names are identifiers joined by dots, on one line."""
    with pytest.raises(TemplateError):
        take_apart(body)
