"""Slices for results and screens: nothing that is covered shows, everything else does."""

from __future__ import annotations

from string import ascii_lowercase

from hypothesis import given
from hypothesis import strategies as st

from assay.contract.masking import Mask, mask_slice, spelling_pattern

RANGES = st.tuples(st.integers(0, 25), st.integers(1, 6))


@given(st.lists(RANGES, max_size=6), st.integers(0, 26), st.integers(0, 26))
def test_a_covered_character_never_shows_and_the_others_all_do(
    ranges: list[tuple[int, int]], one: int, other: int
) -> None:
    """Masks overlap, lie inside each other, reach over the edges of the slice: what no mask covers
    stands there in its order. Masks that overlap within the slice have become one surrogate, those
    that only touch have not: they are two values."""
    start, stop = sorted((one, other))
    masks = [
        Mask(start=at, stop=min(26, at + length), surrogate=f"[{number}]")
        for number, (at, length) in enumerate(ranges)
    ]
    covered = {at for mask in masks for at in range(mask.start, mask.stop)}
    shown = mask_slice(ascii_lowercase, start, stop, masks)

    assert [char for char in shown if char.isalpha()] == [
        ascii_lowercase[at] for at in range(start, stop) if at not in covered
    ]
    touched = [mask for mask in masks if mask.start < stop and mask.stop > start]
    values, reached = 0, -1
    for mask in sorted(touched, key=lambda mask: max(mask.start, start)):
        values += max(mask.start, start) >= reached
        reached = max(reached, min(mask.stop, stop))
    assert values == shown.count("[")
    assert {part.split("]")[0] for part in shown.split("[")[1:]} <= {
        mask.surrogate.strip("[]") for mask in touched
    }


@given(st.text("aB1é", min_size=2, max_size=8), st.lists(st.sampled_from(" -./"), max_size=8))
def test_a_value_is_found_however_it_is_spaced_and_punctuated(value: str, marks: list[str]) -> None:
    """Between its letters and digits anything else may stand, in small or capital letters."""
    spelt = "".join(
        char + (marks[at] if at < len(marks) and at < len(value) - 1 else "")
        for at, char in enumerate(value)
    )
    pattern = spelling_pattern(value)
    assert pattern is not None

    assert pattern.fullmatch(spelt)
    assert pattern.fullmatch(spelt.swapcase())
    assert "<(S)>" == mask_slice(f"<({spelt})>", 0, len(spelt) + 4, (), [(pattern, "S")])


@given(st.text(max_size=1), st.sampled_from(["", "-", " .", "…"]))
def test_a_single_sign_is_no_value_to_look_for(sign: str, marks: str) -> None:
    """It would blot out half a text."""
    assert None is spelling_pattern(sign + marks)
