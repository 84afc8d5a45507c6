"""One outcome as HTML: what it shows, what it leaves out, and that foreign text stays text."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.figures.outcome_html import AROUND, MOST_MARKS, Mark, find_marks, outcome_html

pytestmark = pytest.mark.clause("007-F5")

VOID = {"br", "meta", "hr"}


class Reader(HTMLParser):
    """Tags of a page in order, its text, and whether every element is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.marked: list[str] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "mark":
            self.marked.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if "mark" in self.open:
            self.marked[-1] += data


def drawn(**how):
    return outcome_html(**{"title": "a.eml", "status": "accepted", **how})


def mark(start, stop, label="WATER", source="body"):
    return Mark(source=source, start=start, stop=stop, label=label)


def test_evidence_is_marked_in_its_text_with_its_label():
    """The piece that a label stands on is a mark, and the label is said in words before it."""
    page = Reader(drawn(texts={"body": "Claim: a broken pipe."}, marks=[mark(9, 20)]))

    assert page.marked == ["broken pipe"]
    assert "1 WATER" in page.text


def test_overlapping_marks_are_cut_where_they_cover_each_other():
    """Each piece of the text stands once, in as many lines as marks cover it."""
    drawing = drawn(texts={"body": "abcdef"}, marks=[mark(0, 4, "A"), mark(2, 6, "B")])

    assert Reader(drawing).marked == ["ab", "cd", "ef"]
    assert re.findall(r'class="(m\d)" title="([^"]+)"', drawing) == [
        ("m1", "1 A"),
        ("m2", "1 A, 2 B"),
        ("m1", "2 B"),
    ]


def test_long_texts_are_cut_around_the_marks_and_say_how_much():
    """Left out and shown together are the whole text."""
    text = "x" * 5000 + "pipe" + "y" * 7000
    page = Reader(drawn(texts={"body": text}, marks=[mark(5000, 5004)]))

    assert page.marked == ["pipe"]
    gone = [int(each.replace(",", "")) for each in re.findall(r"… ([\d,]+) char", page.text)]
    assert gone == [5000 - AROUND, 7000 - AROUND]


def test_a_text_without_marks_shows_its_beginning():
    """Nobody scrolls past a mail of a megabyte."""
    assert len(drawn(texts={"body": "z" * 10**6})) < 10_000


def test_marks_that_no_text_can_show_are_listed():
    """A mark beyond the text or of another source is told, not drawn at a wrong place."""
    marks = [mark(2, 99, "FAR"), mark(0, 2, "ELSEWHERE", source="subject"), mark(2, 2, "EMPTY")]
    page = Reader(drawn(texts={"body": "abcd"}, marks=marks))

    assert page.marked == []
    assert "FAR: body 2–99 lies outside the text" in page.text
    assert "ELSEWHERE: subject 0–2 is none of the texts" in page.text


def test_findings_are_words_first_and_code_second():
    """The message stands before its code; a note says that it is one."""
    finding = {"code": "evidence.not_found", "severity": "note", "path": "/a", "message": "Gone."}
    page = Reader(drawn(status="needs_review", reason="gate.rejected", findings=[finding]))

    assert "Gone (note) evidence.not_found /a" in page.text
    assert "! needs review gate.rejected" in page.text


def test_a_result_has_words_for_yes_no_and_nothing():
    """No literal of a programming language stands in it."""
    page = Reader(drawn(result={"below_threshold": True, "also": False, "none": None, "few": []}))

    assert not re.search("True|False|None|true|false|null", page.text)
    assert "below_thresholdyes" in page.text


def test_marks_are_found_in_an_audited_result_once():
    """The label is that of the object around the evidence; a repeated object is one mark."""
    entry = {"source": "body", "start": 1, "stop": 3, "digest": "sha256:0", "snippet_redacted": "x"}
    intent = {"label": "WATER", "confidence": 0.9, "evidence": [entry]}
    result = {
        "classify": {
            "intents": [intent],
            "primary_intent": intent,
            "urgency": {"level": "high", "evidence": [{**entry, "start": 2}]},
            "entities": [{"value": "x", "entity_type": "DATE", "evidence": [entry]}],
        }
    }

    assert find_marks(result) == (mark(1, 3), mark(2, 3, "urgency"), mark(1, 3, "DATE"))


HOSTILE = "</style><script>alert(1)</script>\"'&<img src=x onerror=y>\x00\x1b[2J\u202e\ud800"


def test_foreign_text_is_never_markup():
    """Names, codes, labels and texts may hold anything: no tag and no attribute comes of it."""
    finding = {"code": HOSTILE, "severity": HOSTILE, "path": HOSTILE, "message": HOSTILE}
    page = drawn(
        title=HOSTILE,
        status=HOSTILE,
        reason=HOSTILE,
        detail=HOSTILE,
        findings=[finding],
        result={HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]},
        texts={HOSTILE: HOSTILE},
        marks=[mark(0, 5, HOSTILE, source=HOSTILE), mark(0, 5, HOSTILE)],
    )
    read = Reader(page)

    assert not {"script", "img", "link", "iframe"} & set(read.tags)
    assert not {name for name in read.attributes if name.startswith("on")} | (
        {"src", "href"} & read.attributes
    )
    assert page.isprintable() or "\n" not in page
    assert not re.search("[\x00\x1b\u202e\ud800]", page)
    page.encode("utf-8")


def test_ten_thousand_marks_are_cut_and_counted():
    """The rest is said as a number."""
    page = Reader(
        drawn(texts={"body": "ab" * 10_000}, marks=[mark(n, n + 1) for n in range(10_000)])
    )

    assert "and 9,800 marks more" in page.text
    assert len(page.marked) == MOST_MARKS


@given(
    text=st.text(st.characters(exclude_characters="\r"), max_size=60),
    places=st.lists(st.tuples(st.integers(-2, 62), st.integers(-2, 62)), max_size=8),
)
def test_a_short_text_is_shown_whole_whatever_is_marked(text, places):
    """Without its tags the shown text is the text, and every mark covers what it says."""
    marks = [mark(start, stop, "L") for start, stop in places]
    page = outcome_html(title="t", status="accepted", texts={"body": text}, marks=marks)

    shown = page.partition('dir="auto">')[2].partition("</div>")[0]
    shown = re.sub(r'<span class="tag">[^<]*</span>', "", shown)
    seen = html.unescape(re.sub("<[^>]*>", "", shown))
    assert len(seen) == len(text)
    assert all(a == b or a == "·" for a, b in zip(seen, text, strict=True))
