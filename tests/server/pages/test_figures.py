"""The pages of figures: twelve charts of one size, each with its table."""

from __future__ import annotations

import re

import httpx
import pytest

from assay.adapters.stores.open import open_store
from assay.figures.style import LIGHT
from assay.figures.words import PANELS, words_in
from assay.runtime.figures.filter import FiguresFilter
from assay.server.kept_figures import FRESH, FiguresCache
from assay.server.pages.frame import asset
from assay.testing import FrozenClock
from tests.runtime.figures.recorded_calls import put_month
from tests.runtime.tiny import GOOD, TEXT, UNKNOWN_LABEL, opened, script, tiny_pack
from tests.server.pages.browser import Looking, sign_in
from tests.server.serving import run_aside, serving

ENGLISH_WORDS = re.compile(
    r"\b(the|of|and|per|were|calls?|from|by|accepted|needs|review|output|exchanges)\b"
)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    place = tmp_path_factory.mktemp("figures")
    with serving(place, script(place, GOOD, UNKNOWN_LABEL, GOOD, *[UNKNOWN_LABEL] * 2)) as found:
        inputs = [
            {"name": str(at), "text": f"There is water in the cellar. {at}"} for at in range(3)
        ]
        done = found.as_role().post("/v1/runs", json={"pack": "tiny", "inputs": inputs})
        assert 200 == done.status_code
        yield found


@pytest.mark.clause("009-V5")
def test_twelve_charts_of_one_size_lead_to_their_tables(browser, service):
    """Each is a link to its own page, which has the numbers and a CSV of them."""
    with Looking(browser, service, "viewer") as looking:
        page = looking.open("/figures")
        boxes = [each.bounding_box() for each in page.locator("svg.chart").all()]
        links = page.locator(".panel h2 a").all_inner_texts()
        looking.require_fit()
        looking.keep_shots("figures")
        page.get_by_role("link", name="Outcomes").click()
        page.wait_for_url(re.compile("/figures/outcomes"))
        cells = page.locator("tbody td").all_inner_texts()
        looking.require_fit()
        looking.keep_shots("figure")
        with page.expect_download() as saved:
            page.get_by_role("link", name="Save as CSV").click()
        text = saved.value.path().read_text(encoding="utf-8")

    assert 1 == len({(round(box["width"]), round(box["height"])) for box in boxes})
    assert [words_in("en")(f"chart.name.{name}") for name in PANELS] == links
    assert ["2", "1"] == cells
    assert text.splitlines()[0] == "from,accepted,needs review"


@pytest.fixture(scope="module")
def month(tmp_path_factory):
    """A service whose record has something in every picture."""
    place = tmp_path_factory.mktemp("month")
    with serving(place, script(place, GOOD)) as found:
        run_aside(fill(found.store))
        yield found


async def fill(url):
    clock = FrozenClock()
    async with await open_store(url, clock=clock) as store:
        await put_month(store, clock)


@pytest.mark.clause("009-V5", "007-F8", "007-F9", "007-F10")
def test_every_picture_is_drawn_and_has_a_page(browser, month):
    """Of one size, each on its page with a table whose rows are as many as its CSV has."""
    with Looking(browser, month, "viewer") as looking:
        page = looking.open("/figures")
        boxes = [each.bounding_box() for each in page.locator("svg.chart").all()]
        looking.require_fit()
        looking.keep_shots("figures-month")
        rows, written = [], []
        for name in PANELS:
            page.goto(f"/figures/{name}")
            looking.require_fit()
            looking.keep_shots(f"figure-{name}")
            rows.append(page.locator("table.numbers tr").count())
            text = page.request.get(f"/figures/{name}/table.csv").text()
            written.append(len(text.splitlines()))

    assert 12 == len(boxes)
    assert 1 == len({(round(box["width"]), round(box["height"])) for box in boxes})
    assert rows == written
    assert min(rows) >= 3


@pytest.mark.clause("009-V5", "007-F11")
def test_german_pages_have_german_charts(browser, month):
    """Headings, sentences, axes, what findings mean, heads of tables and of the CSV."""
    with Looking(browser, month, language="de") as looking:
        page = looking.open("/figures")
        texts = [page.locator("main").inner_text()]
        texts += page.locator("svg.chart text").all_text_contents()
        looking.require_fit()
        looking.keep_shots("figures-month-de")
        for name in PANELS:
            page.goto(f"/figures/{name}")
            texts.append(page.locator("main").inner_text())
            address = f"/figures/{name}/table.csv"
            texts.append(page.request.get(address, headers={"accept-language": "de"}).text())
            looking.keep_shots(f"figure-{name}-de")
        looking.require_fit()

    assert [] == [text for text in texts if ENGLISH_WORDS.search(text)]
    assert any("Das Label steht nicht in der Liste" in text for text in texts)
    assert any(text.startswith("ab,entschieden,Antwort blieb") for text in texts)


@pytest.mark.clause("009-V5")
def test_figures_are_filtered_by_pack_and_time(browser, service):
    """What matches nothing says so, in German too; hostile names are text."""
    with Looking(browser, service, language="de") as looking:
        page = looking.open("/figures?pack=tiny&since=2020-01-01T00:00")
        some = page.locator("svg.chart").count()
        assert page.get_by_role("heading", name="Schwärzungen").is_visible()
        looking.require_fit()
        looking.keep_shots("figures-de")
        page.goto("/figures/findings?pack=%3Cscript%3Ealert(1)%3C/script%3E")
        none = page.locator(".empty").inner_text()

    assert some >= 4
    assert "Kein Aufruf gehört zu diesem Paket" in none


def test_an_unknown_figure_is_not_there(service):
    """Neither its page nor its table; a time that is none is said to be none."""
    with httpx.Client(base_url=service.address, headers={"accept": "text/html"}) as client:
        client.cookies.set("assay_session", sign_in(service.store, "Ann", "viewer"))
        said = [
            client.get(path).status_code
            for path in ("/figures/x", "/figures/x/table.csv", "/figures?since=x", "/figures/cost")
        ]

    assert [404, 404, 422, 200] == said


@pytest.mark.clause("009-V5")
def test_a_count_is_kept_for_a_minute(tmp_path):
    """What happens meanwhile is counted by the next one; each view has a count of its own."""
    run_aside(_count_again(tmp_path))


async def _count_again(tmp_path):
    clock, cache = FrozenClock(), FiguresCache()
    everything, tiny = FiguresFilter(), FiguresFilter(pack="other")
    async with opened(tmp_path, GOOD, GOOD) as runtime:
        store = runtime.store

        async def count(which: FiguresFilter = everything) -> tuple[int, str]:
            kept = await cache.find(store, clock, which, wait_s=30)
            assert kept is not None
            return kept.figures.calls, kept.as_of.isoformat()

        none = await count()
        assert [each async for each in runtime.run(tiny_pack(), [TEXT])]
        same, other = await count(), await count(tiny)
        await clock.sleep(FRESH.total_seconds() + 1)
        one = await count()

    assert (0, none, 0, 1) == (none[0], same, other[0], one[0])
    assert one[1] > none[1]


def test_the_sheet_has_a_colour_for_every_class_of_the_charts():
    """Charts bring classes, and no colour of their own."""
    sheet = asset("style.css").decode()
    for name in LIGHT:
        if name not in ("paper", "soft", "line", "ink"):
            for kind in "fso":
                assert f".{kind}-{name} {{" in sheet, (kind, name)
    assert len(sheet) < 20_000
