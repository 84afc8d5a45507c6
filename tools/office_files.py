"""The labelled documents that are no text, written where their libraries are installed.

In      nothing
Out     a spreadsheet, slides, a letter and a three-page manual in a folder
Effects writes files; reportlab, python-docx, openpyxl and python-pptx write them
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

TRAVEL_RATES: Final = (
    ("Land", "Tagegeld", "Übernachtung"),
    ("Deutschland", "28 Euro", "110 Euro"),
    ("Frankreich", "53 Euro", "159 Euro"),
    ("Niederlande", "47 Euro", "122 Euro"),
    ("Japan", "52 Euro", "190 Euro"),
    ("Norwegen", "75 Euro", "139 Euro"),
)
SLIDES: Final = (
    (
        "Brandschutz im Bürogebäude",
        "Die Sammelstelle liegt auf dem Parkplatz vor dem Westtor.\n"
        "Räumungsübungen finden im Mai und im November statt.",
    ),
    (
        "Wenn es brennt",
        "Zuerst die Leitstelle unter 112 rufen, dann den Pförtner unter 333.\n"
        "Aufzüge dürfen nicht benutzt werden.\n"
        "Fenster und Türen schließen, nicht abschließen.",
    ),
    (
        "Feuerlöscher",
        "Schaumlöscher hängen in jedem Flur, ein CO2-Löscher hängt im Serverraum.\n"
        "Alle Löscher werden alle zwei Jahre geprüft.",
    ),
)
MINUTES: Final = (
    "Minutes of the works meeting",
    "Present were the heads of all six departments. The meeting began at ten.",
    "The canteen will offer a second hot meal from April. Its price is 6.80 pounds.",
    "It was agreed to replace the lighting in hall three by the end of June. Ms Okafor collects "
    "three offers.",
    "The summer party is on 11 July on the sports ground. Families are welcome.",
    "The next meeting takes place on 14 May in room 2.08.",
)
WARRANTY: Final = (
    (
        "Nordlys cargo bicycle: warranty and service",
        "The frame is under warranty for ten years, the motor for three years.",
        "The battery is covered for two years or 600 charging cycles, whichever comes first.",
    ),
    (
        "Maintenance",
        "The first inspection is due after 300 kilometres.",
        "Brake pads are changed when less than one millimetre of lining is left.",
        "Chains stretched by more than 0.75 percent are replaced.",
    ),
    (
        "What is not covered",
        "Tyres, tubes and brake pads are wearing parts and not under warranty.",
        "Damage by high-pressure cleaners is excluded.",
        "Claims are made to the dealer within two months, with the proof of purchase.",
    ),
)


def write_office_files(folder: Path) -> list[str]:
    """Write what can be written into *folder*; the names of files left out."""
    left_out = []
    for name, write in _WRITERS.items():
        try:
            write(folder / name)
        except ImportError:
            left_out.append(name)
    return left_out


def _write_spreadsheet(path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "Reisekosten 2026"
    for row in TRAVEL_RATES:
        sheet.append(row)
    notes = book.create_sheet("Hinweise")
    notes.append(("Hinweis",))
    notes.append(("Am An- und Abreisetag gilt das halbe Tagegeld.",))
    notes.append(("Die Abrechnung ist binnen vier Wochen nach der Reise einzureichen.",))
    book.save(path)


def _write_slides(path: Path) -> None:
    from pptx import Presentation

    deck = Presentation()
    for title, body in SLIDES:
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
    deck.save(path)


def _write_minutes(path: Path) -> None:
    from docx import Document

    document = Document()
    document.add_heading(MINUTES[0])
    for paragraph in MINUTES[1:]:
        document.add_paragraph(paragraph)
    document.save(str(path))


def _write_warranty(path: Path) -> None:
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for page in WARRANTY:
        for number, line in enumerate(page):
            canvas.drawString(60, 780 - 24 * number, line)
        canvas.showPage()
    canvas.save()


_WRITERS: Final[dict[str, Callable[[Path], None]]] = {
    "reisekosten.xlsx": _write_spreadsheet,
    "brandschutz.pptx": _write_slides,
    "minutes.docx": _write_minutes,
    "warranty.pdf": _write_warranty,
}
