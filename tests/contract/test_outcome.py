"""Three ways to end and no fourth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.contract.outcome import Outcome, Reason
from assay.errors import InputError


@given(
    st.sampled_from(["accepted", "no_evidence", "needs_review"]),
    st.one_of(st.none(), st.sampled_from([str(reason) for reason in Reason]), st.text(max_size=5)),
)
def test_a_status_goes_with_its_reasons_only(status: str, reason: str | None) -> None:
    """Accepted has no reason; missing evidence has its own and no other status has that; what a
    person decides has any other of the pinned reasons."""
    allowed = {
        "accepted": {None},
        "no_evidence": {"no_evidence"},
        "needs_review": {str(each) for each in Reason} - {"no_evidence"},
    }
    if reason in allowed[status]:
        made = Outcome(status=status, reason=reason)  # type: ignore[arg-type]
        assert {"outcome": status, "reason": reason} == made.to_dict()
    else:
        with pytest.raises(InputError):
            Outcome(status=status, reason=reason)  # type: ignore[arg-type]
