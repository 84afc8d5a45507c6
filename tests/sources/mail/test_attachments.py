"""Whatever a mail carries: texts by names that are unique, short and on one line."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.sources.mail.attachments import MAX_READ, read_attachments
from assay.sources.mail.mime import Part

PARTS = st.builds(
    Part,
    media=st.sampled_from(
        ["text/plain", "text/html", "application/pdf", "application/octet-stream", "image/png"]
    ),
    charset=st.sampled_from([None, "utf-8", "us-ascii", "latin-1", "nonsense"]),
    name=st.sampled_from(["", "a.txt", "a (2).txt", "b.pdf", "../up.txt"]) | st.text(max_size=30),
    data=st.binary(max_size=60) | st.text(max_size=40).map(str.encode),
    damaged=st.booleans(),
)


@given(st.lists(PARTS, max_size=6))
@settings(max_examples=60)
def test_every_attachment_has_a_fact_under_a_name_of_its_own(parts):
    """Unique, one line, without separators of paths or sources; what has a text is said to."""
    carried = read_attachments(parts)
    names = [fact["name"] for fact in carried.facts]

    assert len(parts) == len(names) == len(set(names))
    assert all(name and name.splitlines() == [name] for name in names)
    assert not set("/\\:|") & set("".join(names))
    assert max(map(len, names), default=0) <= 120 + len(" (6)")
    assert [len(part.data) for part in parts] == [fact["bytes"] for fact in carried.facts]
    assert set(carried.texts) <= {fact["name"] for fact in carried.facts if fact["read"]}
    assert all(text.strip() for text in carried.texts.values())


@given(st.lists(PARTS, max_size=3))
@settings(max_examples=30)
def test_equal_attachments_give_equal_texts(parts):
    """In the order of the mail, with the same facts and notes."""
    assert read_attachments(parts) == read_attachments(list(parts))


def test_no_more_are_read_than_the_limit_says():
    """The last ones are left out, and a note says so."""
    part = Part(media="text/plain", charset=None, name="a.txt", data=b"x", damaged=False)
    exact, over = (read_attachments([part] * number) for number in (MAX_READ, MAX_READ + 1))

    assert (MAX_READ, []) == (len(exact.texts), exact.notes)
    assert (MAX_READ, ["attachment.too_many"]) == (len(over.texts), [n.code for n in over.notes])
