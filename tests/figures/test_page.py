"""The page of figures: what it asks for, what it shows, who can read it."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from assay.adapters.stores.open import open_store
from assay.figures.charts import ticks_up_to
from assay.figures.page import STYLE, csv_text, figures_page
from assay.figures.panel import Table
from assay.figures.panels import panels_of
from assay.figures.record_figures import CurrencyCost
from assay.figures.sheet import panel_svgs, sheet_svg
from assay.figures.style import DARK, LIGHT, SURFACES
from assay.figures.words import ENGLISH, PANELS
from assay.runtime.figures.count import count_figures
from assay.runtime.figures.filter import FiguresFilter
from assay.testing import FrozenClock
from tests.runtime.figures.recorded_calls import Call, Exchange, cost, put_calls

START = datetime(2026, 1, 17, 8, tzinfo=UTC)
HOSTILE = "</svg></style><script>alert('x')</script>\"'&<img src=x onerror=y>\x00\u202e"


def figures_of(place, *calls, which=None):
    async def work():
        clock = FrozenClock()
        async with await open_store(f"sqlite:///{place / 'a.db'}", clock=clock) as store:
            if calls:
                await put_calls(store, clock, *calls)
            return await count_figures(store, which)

    return asyncio.run(work())


def some_calls(name=""):
    return [
        Call(
            id=f"c{n}",
            at=START + timedelta(days=n),
            contract=f"{name}/triage",
            outcome=("accepted", "needs_review", "no_evidence", None)[n % 4],
            exchanges=(
                Exchange(
                    model=f"openai:{name}{n % 9}",
                    latency_ms=(10, 900, 60_000)[n % 3],
                    codes=("json.fenced", f"own.{name}{n}"),
                    cost=cost("0.1", ("USD", "EUR", "CHF", f"X{name}")[n % 4]) if n % 5 else None,
                    redactions={f"EMAIL{name}{n % 7}": n + 1},
                ),
            ),
        )
        for n in range(40)
    ]


class Page(HTMLParser):
    """Elements and attributes of a page, its headings and tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.headings: list[str] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.headings.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            return
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


@pytest.mark.clause("007-F1")
def test_the_page_asks_for_nothing_and_runs_nothing(tmp_path):
    """No element that fetches or runs, no address but its own, and a policy that says so."""
    page = figures_page(figures_of(tmp_path, *some_calls()))
    read = Page(page)

    assert not {"script", "img", "link", "iframe", "object", "use", "form"} & {
        tag for tag, _ in read.elements
    }
    addresses = [
        value
        for _, attributes in read.elements
        for name, value in attributes.items()
        if name in ("href", "src", "action", "xlink:href")
    ]
    assert addresses
    assert all(each.startswith(("#", "data:text/csv")) for each in addresses)
    assert not re.search(r"url\((?!#)|@import|https?:", STYLE)
    policy = next(a["content"] for _, a in read.elements if a.get("http-equiv"))
    assert "default-src 'none'" in policy
    digest = b64encode(sha256(page.split("<style>")[1].split("</style>")[0].encode()).digest())
    assert f"'sha256-{digest.decode()}'" in policy
    assert not any("style" in attributes for _, attributes in read.elements)


@pytest.mark.clause("007-F1")
def test_equal_records_give_equal_bytes(tmp_path):
    """The page names the end of the record that it shows, and no moment of its own."""
    pages = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        figures = figures_of(tmp_path / name, *some_calls())
        pages.append((figures_page(figures), sheet_svg(figures), figures.last))

    assert pages[0][2][1] in pages[0][0]
    unsalted = [
        (page.replace(last[1], "…"), svg.replace(last[1], "…")) for page, svg, last in pages
    ]
    assert unsalted[0] == unsalted[1]


@pytest.mark.clause("007-F1")
def test_every_picture_has_its_table_and_the_same_numbers(tmp_path):
    """Twelve pictures, each with a heading that is its address; tables are the figures."""
    figures = figures_of(tmp_path, *some_calls())
    page = Page(figures_page(figures))

    assert [a["id"] for tag, a in page.elements if tag == "section"] == list(PANELS)
    assert 8 == sum(tag == "details" for tag, _ in page.elements)  # the others have no row
    assert ["all", "10", "10", "10", "10"] in page.rows
    for at, period in enumerate(figures.periods):
        row = [period, *(str(counts[at]) for counts in figures.outcomes.values())]
        assert row in page.rows
    saved = [unquote(a["href"].partition(",")[2]) for t, a in page.elements if "download" in a]
    assert list(csv.reader(io.StringIO(saved[0])))[-1] == ["all", "10", "10", "10", "10"]


@pytest.mark.clause("007-F1")
def test_findings_are_words_first_and_code_second(tmp_path):
    """What the code means stands before it, in the picture and in the table."""
    page = Page(figures_page(figures_of(tmp_path, *some_calls())))

    assert re.search(r"The reply is wrapped.*? · json\.fenced", page.text)
    assert ["The reply is wrapped in a Markdown fence", "json.fenced", "40"] in page.rows


@pytest.mark.clause("007-F2")
def test_what_is_not_priced_is_told_and_currencies_stand_apart(tmp_path):
    """The sentence says how many exchanges are missing; the table has a column each."""
    page = Page(figures_page(figures_of(tmp_path, *some_calls())))

    assert "8 exchanges of unknown price, not in these amounts." in page.text
    assert "3 of 4 currencies are drawn" in page.text
    assert ["from", "CHF", "EUR", "USD", "X"] in page.rows


@pytest.mark.clause("007-F4")
def test_names_of_a_record_are_text(tmp_path):
    """Packs, models, codes, classes and currencies may hold anything."""
    which = FiguresFilter(pack=HOSTILE)
    figures = figures_of(tmp_path, *some_calls(HOSTILE), which=which)
    page = figures_page(figures, store=HOSTILE)
    read = Page(page)

    assert figures.calls == 40
    assert not {"script", "img"} & {tag for tag, _ in read.elements}
    assert not [n for _, attributes in read.elements for n in attributes if n.startswith("on")]
    assert not re.search("[\x00\u202e]", page)
    for svg in (sheet_svg(figures), *panel_svgs(figures).values()):
        assert "<script" not in svg
        assert "<img" not in svg


@pytest.mark.clause("007-F4")
def test_a_cell_is_no_formula_for_a_spreadsheet():
    """What would be one begins with an apostrophe."""
    table = Table(columns=("a",), rows=(("=1+1",), ("-x",), ("plain",)))

    assert "a\r\n'=1+1\r\n'-x\r\nplain\r\n" == csv_text(table)


@pytest.mark.clause("007-F3")
def test_an_empty_page_says_what_will_stand_there(tmp_path):
    """And the command that fills it, for this store."""
    page = Page(figures_page(figures_of(tmp_path), store="sqlite:///a.db"))

    assert "Here will stand outcomes" in page.text
    assert "assay run intake MAIL… --store sqlite:///a.db" in page.text


@pytest.mark.clause("007-F3")
def test_a_filter_that_finds_nothing_is_no_empty_record(tmp_path):
    """It says that none of the calls was asked for."""
    which = FiguresFilter(pack="other")
    page = Page(figures_page(figures_of(tmp_path, Call(id="a"), which=which)))

    assert ENGLISH("chart.none_title") in page.text
    assert "Only calls of the pack other." in page.text


@pytest.mark.clause("007-F3")
def test_headings_are_in_order_and_pictures_have_names(tmp_path):
    """One first heading, then one for each picture; what a picture shows is said in words too."""
    page = Page(figures_page(figures_of(tmp_path, *some_calls())))
    ids = {attributes.get("id") for _, attributes in page.elements}
    pictures = [attributes for tag, attributes in page.elements if tag == "svg"]

    assert ["h1", *["h2"] * 12] == page.headings
    assert 8 == len(pictures)
    assert all(each["role"] == "img" and each["aria-label"] for each in pictures)
    assert all(each["aria-describedby"] in ids for each in pictures)
    assert all(a["scope"] in ("col", "row") for tag, a in page.elements if tag == "th")


def brightness(colour):
    """Relative luminance as WCAG 2 has it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.clause("007-F3")
@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("surface", SURFACES)
def test_every_colour_can_be_read(colours, surface):
    """4.5:1 or more on each surface, but for lines that only part."""
    for name, colour in colours.items():
        if name not in (*SURFACES, "line"):
            pair = sorted([brightness(colour), brightness(colours[surface])])
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, name


@pytest.mark.clause("007-F3")
def test_no_two_series_differ_by_colour_alone(tmp_path):
    """Stacked series have different fillings, lines different dashes."""
    panels = {panel.name: panel for panel in panels_of(figures_of(tmp_path, *some_calls()))}

    for name in ("outcomes", "redactions"):
        drawing = panels[name].drawing
        bars = re.findall(
            r'class="([fo])-\w+"(?: fill="([^"]*)")?/>', drawing.partition("<text")[2]
        )
        assert len(set(bars)) >= 4
    assert {"0", "1", "2"} <= set(re.findall(r"dash(\d)", panels["latency"].drawing))


@pytest.mark.clause("007-F1")
@pytest.mark.parametrize("most", [0, 1, 2, 7, 10, 99, 1234, 10**9, 0.004])
def test_ticks_are_few_and_hold_the_largest(most):
    """Two to six round numbers, the last of which is not below what is drawn."""
    ticks = ticks_up_to(most, least=1 if most >= 1 else 0)

    assert 2 <= len(ticks) <= 6
    assert ticks[-1] >= most
    assert most < 1 or all(tick == int(tick) for tick in ticks)


@pytest.mark.clause("007-F1")
def test_a_page_of_years_is_small(tmp_path):
    """A hundred periods, forty rows a table: under 60 KB."""
    calls = [Call(id=f"c{n}", at=START + timedelta(days=n)) for n in range(90)]

    assert len(figures_page(figures_of(tmp_path, *calls))) < 60_000


@pytest.mark.clause("007-F2")
@pytest.mark.parametrize("amount", ["0", "1E-18", "1E+15"])
def test_amounts_of_any_size_are_drawn(tmp_path, amount):
    """Nothing overflows, and the table has every digit."""
    whole = figures_of(tmp_path, Call(id="a"))
    spent = Decimal(amount)
    cost = CurrencyCost(currency="USD", amounts=(spent,), total=spent, estimated=False)
    page = Page(figures_page(replace(whole, costs=(cost,))))

    assert ["all", f"{spent:f}"] in page.rows
    assert not any("nan" in (a.get("d") or "") for _, a in page.elements)
