"""What nobody sees in a text is written out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.text.controls import CONTROLS, replace_controls, show_unseen


@pytest.mark.clause("009-P3")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\tc", "a\nb\tc"),
        ("\x1b[31mred", "␛[31mred"),
        ("safe\u202eevil", "safe⟨U+202E⟩evil"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("zero\u200bwidth\ufeff", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
        ("Grüße, 你好, שלום, 👩\u200d🔬", "Grüße, 你好, שלום, 👩\u200d🔬"),
    ],
)
def test_what_is_not_seen_is_written_out_and_nothing_else(text, shown):
    """Letters of all scripts stay; signs that are joined stay joined."""
    assert shown == show_unseen(text)


@pytest.mark.clause("007-F4", "009-P3")
@given(st.text(st.characters()))
def test_what_controls_a_reader_is_in_no_text_that_is_shown(text):
    """Whichever way it is shown; where offsets lead into it, at its length."""
    replaced, written = replace_controls(text), show_unseen(text)

    assert len(text) == len(replaced)
    assert CONTROLS.search(replaced + written) is None
    assert (text == replaced) == (CONTROLS.search(text) is None)
    assert written == show_unseen(written)
