"""The pictures of what people decided: agreement with the model, calibration.

In      RecordFigures, the words of a language
Out     two Panels
Pure    yes
Spec    007-F9, 007-F10
"""

from __future__ import annotations

from assay.core.text.catalogue import Words
from assay.figures.interval_charts import SideNote, draw_curve, draw_shares
from assay.figures.intervals import Share
from assay.figures.panel import Panel, Table, make_panel, short_number
from assay.figures.record_figures import RecordFigures
from assay.figures.review_figures import WAYS
from assay.figures.words import tell_agreement, tell_calibration, tell_percent, tell_share


def draw_agreement(figures: RecordFigures, words: Words) -> Panel:
    """How often people kept the model's output, with the interval of each period."""
    found = figures.agreement
    drawing = ""
    if found.known:
        told = [
            SideNote(name=words("chart.total"), said=tell_share(words, found.whole)),
            *(
                SideNote(name=words(f"chart.agreement.way.{way}"), said=short_number(sum(counts)))
                for way in WAYS
                if (counts := getattr(found, way)) and sum(counts)
            ),
        ]
        drawing = draw_shares(
            figures.periods,
            found.shares,
            whole=found.whole,
            told=told,
            axis=words("chart.agreement.axis"),
            write=lambda value: tell_percent(words, value),
        )
    numbers = [getattr(found, way) for way in WAYS]
    heads = (
        words("chart.period"),
        words("chart.agreement.decided"),
        *(words(f"chart.agreement.way.{way}") for way in WAYS),
        words("chart.agreement.share"),
        *(words(f"chart.agreement.{end}") for end in ("from", "to")),
    )
    table = Table(
        columns=heads,
        rows=tuple(
            (period, *_count_cells([each[at] for each in numbers]), *_share_cells(words, share))
            for at, (period, share) in enumerate(zip(figures.periods, found.shares, strict=True))
        )
        if found.decided
        else (),
        total=(
            words("chart.total"),
            *_count_cells([sum(each) for each in numbers]),
            *_share_cells(words, found.whole),
        ),
    )
    return make_panel("agreement", words, tell_agreement(words, figures), drawing, table)


def draw_calibration(figures: RecordFigures, words: Words) -> Panel:
    """What models stated against what people confirmed, in bins of equal width."""
    found = figures.calibration
    drawing = ""
    if found.statements:
        drawing = draw_curve(
            [(each.stated, each.share) for each in found.bins if each.statements],
            across=words("chart.calibration.across"),
            axis=words("chart.calibration.axis"),
            diagonal=words("chart.calibration.exact"),
            told=SideNote(
                name=words("chart.calibration.confirmed"), said=tell_share(words, found.whole)
            ),
            write=lambda value: tell_percent(words, value),
        )
    heads = (
        words("chart.calibration.stated"),
        words("chart.calibration.mean"),
        words("chart.calibration.labels"),
        words("chart.calibration.confirmed"),
        words("chart.agreement.share"),
        *(words(f"chart.agreement.{end}") for end in ("from", "to")),
    )
    table = Table(
        columns=heads,
        rows=tuple(
            (
                f"{each.low:.1f}–{each.high:.1f}",
                f"{each.stated:.3f}" if each.statements else "–",
                f"{each.statements:,}",
                f"{each.confirmed:,}",
                *_share_cells(words, each.share),
            )
            for each in found.bins
        )
        if found.statements
        else (),
        total=(
            words("chart.total"),
            "",
            f"{found.statements:,}",
            f"{found.whole.hits:,}",
            *_share_cells(words, found.whole),
        ),
    )
    return make_panel("calibration", words, tell_calibration(words, figures), drawing, table)


def _count_cells(numbers: list[int]) -> tuple[str, ...]:
    return f"{sum(numbers):,}", *(f"{number:,}" for number in numbers)


def _share_cells(words: Words, share: Share) -> tuple[str, ...]:
    """The share and both ends of its interval; dashes of nothing."""
    if share.value is None:
        return "–", "–", "–"
    return tuple(tell_percent(words, value) for value in (share.value, share.low, share.high))
