"""Workbooks and presentations become rows and slides, or say in a line why not."""

from __future__ import annotations

import datetime
import io
import zipfile

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.sources.documents import office
from assay.sources.documents.number_formats import format_number
from assay.sources.documents.outline import Laid
from assay.sources.documents.pptx import read_pptx
from assay.sources.documents.xlsx import read_xlsx
from assay.sources.reading import LEFT_OUT_CODES, MAX_TEXT_CHARS, Unreadable
from tests.parts import require_part
from tests.sources import making

pytestmark = pytest.mark.clause("008-S1", "008-S4", "008-S5")

ROWS = making.sheet_rows(("Zone", "Price", "Valid"), ("A", "12", "2 hours"), ("B", "3", ""))


def workbook(data: bytes) -> Laid:
    """The workbook that *data* is; fails the test when it is none."""
    read = read_xlsx(data)
    assert isinstance(read, Laid)
    return read


def slides(data: bytes) -> Laid:
    """The presentation that *data* is; fails the test when it is none."""
    read = read_pptx(data)
    assert isinstance(read, Laid)
    return read


def codes(read: Laid) -> list[str]:
    """What was left out."""
    return [note.code for note in read.notes]


def test_a_sheet_is_a_heading_and_its_rows():
    """Each sheet after the other."""
    read = workbook(making.xlsx(ROWS, making.sheet_rows(("only",))))

    assert (
        "Sheet1\n\nZone: A; Price: 12; Valid: 2 hours.\n\nZone: B; Price: 3.\n\nSheet2\n\nonly"
    ) == read.text
    assert ["Sheet1", "Sheet2"] == [heading.title for heading in read.headings]


def test_a_line_above_a_table_is_its_caption_and_an_empty_row_ends_it():
    """Two tables of one sheet have their own columns."""
    sheet = making.sheet_rows(
        ("Parking",), ("Zone", "Day", "Fee"), ("A", "Mo", "1"), ("",), ("Dogs", "Cats", "Birds"),
        ("free", "9", "7"),
    )  # fmt: skip
    read = workbook(making.xlsx(sheet))

    assert (
        "Sheet1\n\nParking\n\nZone: A; Day: Mo; Fee: 1.\n\nDogs: free; Cats: 9; Birds: 7."
    ) == read.text
    assert ["Sheet1", "Parking", ""] == [heading.title for heading in read.headings]


def test_what_is_hidden_in_a_workbook_is_left_out_and_said():
    """Sheets, rows and columns that a person does not see."""
    columns = '<cols><col min="2" max="2" hidden="1"/></cols>'
    rows = making.sheet_rows(("Zone", "SECRET", "Fee"), ("A", "SECRET", "1"), ("SECRET", "", ""))
    rows = rows.replace('<row r="3">', '<row r="3" hidden="1">')
    read = workbook(making.xlsx(columns + rows, ROWS, states=" h"))

    assert "Sheet1\n\nZone: A; Fee: 1." == read.text
    assert ["sheet.hidden", "text.hidden"] == codes(read)
    assert not any("SECRET" in note.detail for note in read.notes)


def test_a_formula_without_a_value_is_noted():
    """A program that never computed it wrote the file."""
    cell = '<row r="9"><c r="A9"><f>SUM(A1:A3)</f></c></row>'
    read = workbook(making.xlsx(ROWS.replace("</sheetData>", f"{cell}</sheetData>")))

    assert ["sheet.formula"] == codes(read)


def test_merged_cells_cover_the_rows_beside_them():
    """As the person sees them who looks at the sheet."""
    sheet = making.sheet_rows(("Zone", "Day", "Fee"), ("A", "Mo", "1"), ("", "Tu", "2"))
    read = workbook(making.xlsx(sheet + '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>'))

    assert read.text.endswith("Zone: A; Day: Mo; Fee: 1.\n\nZone: A; Day: Tu; Fee: 2.")


@pytest.mark.parametrize(
    ("shown", "stored", "pattern"),
    [
        ("2024-01-31", "45322", "dd.mm.yyyy"),
        ("2024-01-31", "45322", "[$-407]d. mmmm yyyy;@"),
        ("2024-01-31 12:00", "45322.5", "yyyy\\-mm\\-dd hh:mm"),
        ("18:30", "0.7708333333", "h:mm"),
        ("36:00:00", "1.5", "[h]:mm:ss"),
        ("1900-01-01", "1", "yyyy-mm-dd"),
        ("19%", "0.19", "0%"),
        ("12.50 EUR", "12.5", '#,##0.00\\ "EUR"'),
        ("€ 12.50", "12.5", "[$€-407] #,##0.00"),
        ("12.50 €", "12.5", '_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-'),
        ("-3.00", "-3", "0.00;[Red](0.00)"),
        ("ca. 3 days", "3", '"ca. "0" days"'),
        ("0.3", "0.30000000000000004", "General"),
        ("1234568", "1234567.9", "#,##0"),
        ("7", "7", "@"),
        ("NaN", "NaN", "0"),
        ("1e+400", "1E+400", "0"),
        ("99999999", "99999999", "yyyy"),
    ],
)
def test_a_number_is_told_as_its_cell_shows_it(shown, stored, pattern):
    """Dates, shares and amounts of money keep what they mean."""
    assert shown == format_number(stored, pattern)


@given(st.integers(61, 2_958_464))
def test_days_are_those_of_the_calendar(number):
    """Of all years that a spreadsheet knows."""
    day = datetime.date(1899, 12, 30) + datetime.timedelta(days=number)

    assert day.isoformat() == format_number(str(number), "yyyy-mm-dd")


@example("1E28", "0")
@example("9e999999", "0%")
@example("-1e-999999", "0%")
@example("123456789012345678901234567890.5", "0.000000000000000")
@given(st.text("0123456789.eE-+", max_size=30), st.text('0#,.;%yYmdhs[]$€"\\_*-E/@', max_size=20))
def test_any_number_and_format_give_text(stored, pattern):
    """Whatever a file claims."""
    assert isinstance(format_number(stored, pattern), str)


def test_a_slide_is_a_page_with_its_title_first():
    """Body, tables and notes follow; furniture is no text of the slide."""
    table = (
        "<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody><a:p><a:r><a:t>Zone</a:t></a:r></a:p>"
        "</a:txBody></a:tc></a:tr><a:tr><a:tc><a:txBody><a:p><a:r><a:t>A</a:t></a:r></a:p>"
        "</a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>"
    )
    first = making.shape("Body.", "More.") + making.shape("Fees", kind="title")
    first += table + making.shape("7", kind="sldNum")
    read = slides(making.pptx(first, "", making.shape("End."), notes=making.shape("Say it.")))

    assert "Fees\n\nBody.\n\nMore.\n\nZone.\n\nA.\n\nSay it.\n\f\n\n\f\nEnd." == read.text
    assert ["Fees", "", "End."] == [
        read.text[start:stop].split("\n")[0] for start, stop in read.pages
    ]
    assert ["Fees"] == [heading.title for heading in read.headings]
    assert ["picture.unread"] == codes(read)


def test_hidden_slides_are_left_out_and_keep_their_number():
    """The third slide is page 3 whatever the second one is."""
    read = slides(
        making.pptx(making.shape("One."), "HIDDEN" + making.shape("SECRET"), making.shape("Three."))
    )

    assert ["One.", "", "Three."] == [read.text[start:stop] for start, stop in read.pages]
    assert [("slide.hidden", "hidden slides: 2")] == [(n.code, n.detail) for n in read.notes]


def test_pictures_and_charts_of_slides_are_said_and_nothing_is_told_twice():
    """What older programs are to show instead is the same once more."""
    twice = f"<x:Fallback xmlns:x='x'>{making.shape('One.')}</x:Fallback>"
    chart = "<p:graphicFrame><a:graphic/></p:graphicFrame><p:pic/>"
    read = slides(making.pptx(making.shape("One.") + twice + chart))

    assert "One." == read.text
    assert ["pictures and charts that were not read: 2"] == [note.detail for note in read.notes]


BILLION = '<!DOCTYPE x [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize("read", [read_xlsx, read_pptx])
@pytest.mark.parametrize(
    ("reason", "data"),
    [
        ("damaged", b""),
        ("damaged", b"PK\x03\x04 and no more"),
        ("is no", making.archive({"other.xml": "<x/>"})),
        ("damaged", making.archive({"xl/workbook.xml": "<x", "ppt/presentation.xml": "<x"})),
        ("text", making.archive({"xl/workbook.xml": "<x/>", "ppt/presentation.xml": "<x/>"})),
        ("encrypted", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
        ("more parts", making.archive({f"{number}.xml": "" for number in range(10_001)})),
    ],
)
def test_an_office_file_that_cannot_be_read_says_why(read, reason, data):
    """One line for people, no exception, whatever stands in the archive."""
    found = read(data)

    assert isinstance(found, Unreadable)
    assert reason in found.reason


@pytest.mark.parametrize("name", ["xl/workbook.xml", "xl/strings.xml", "xl/styles.xml"])
def test_a_part_that_unpacks_to_more_than_is_allowed_is_not_read(name, monkeypatch):
    """A small file is no large one."""
    monkeypatch.setattr(office, "MAX_PART_BYTES", 200_000)
    good = making.xlsx(ROWS)
    assert isinstance(read_xlsx(good), Laid)
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        files = {each: archive.read(each) for each in archive.namelist()}
    found = read_xlsx(making.archive(files | {name: b"<x>" + b"<y/>" * 60_000}))

    assert isinstance(found, Unreadable)
    assert "more than" in found.reason


def test_elements_are_counted_over_the_whole_file(monkeypatch):
    """Neither many small parts nor deep ones need more time than one large part."""
    monkeypatch.setattr(office, "MAX_ELEMENTS", 1_000)
    sheets = [f"<sheetData>{'<row/>' * 300}</sheetData>"] * 4
    found = read_xlsx(making.xlsx(*sheets))

    assert isinstance(found, Unreadable)
    assert "more than" in found.reason


def test_a_huge_sheet_is_read_as_far_as_there_is_room():
    """Its beginning is worth more than nothing, and what is missing is said."""
    row = "<row><c t='inlineStr'><is><t>some words of a cell</t></is></c><c><v>7</v></c></row>"
    read = workbook(making.xlsx(f"<sheetData>{row * 100_000}</sheetData>"))

    assert MAX_TEXT_CHARS >= len(read.text) > 500_000
    assert "table.cut" in codes(read)
    assert set(codes(read)) <= LEFT_OUT_CODES


def test_cells_at_the_end_of_the_world_need_no_room():
    """A reference is no reason to fill what lies before it."""
    cell = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>far</t></is></c></row>'
    merge = '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    read = workbook(making.xlsx(ROWS.replace("</sheetData>", f"{cell}</sheetData>") + merge))

    assert "far" in read.text


def test_entities_are_not_expanded():
    """Neither in a sheet nor anywhere else."""
    files = {"xl/workbook.xml": f"{BILLION}<workbook>&b;</workbook>"}

    assert "haha" not in getattr(read_xlsx(making.archive(files)), "text", "")


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=200), st.integers(0, 3000), st.sampled_from([0, 1]))
def test_a_damaged_office_file_never_raises(noise, place, which):
    """Bytes overwritten anywhere give text or a reason."""
    data = making.xlsx(ROWS) if which else making.pptx(making.shape("One."))
    broken = data[:place] + noise + data[place + len(noise) :]

    assert isinstance((read_xlsx if which else read_pptx)(broken), Laid | Unreadable)


_XML = st.recursive(
    st.sampled_from(["<v>1</v>", "<v>999</v>", "<f>x</f>", "<t>text</t>", "text", ""]),
    lambda inner: st.builds(
        lambda tag, attribute, parts: f"<{tag} {attribute}>{''.join(parts)}</{tag}>",
        st.sampled_from(["row", "c", "is", "sheetData", "mergeCells", "cols", "si"]),
        st.sampled_from(
            ["", 'r="A1"', 'r="0"', 'r="B99999999"', 't="s"', 't="inlineStr"', 's="7"', 'r="-1"']
        ),
        st.lists(inner, max_size=3),
    ),
    max_leaves=20,
)


@settings(deadline=None, max_examples=60)
@given(_XML)
def test_a_sheet_of_any_elements_never_raises(content):
    """Well formed is not yet sensible."""
    assert isinstance(read_xlsx(making.xlsx(content)), Laid | Unreadable)


def test_a_workbook_of_another_writer_is_read():
    """openpyxl wrote it: styles, shared strings, dates, hidden sheets, properties."""
    (openpyxl,) = require_part("office", "openpyxl")

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Fees"
    for row in [("Zone", "Price", "From"), ("A", 12.5, datetime.date(2024, 1, 31))]:
        sheet.append(row)
    sheet["B2"].number_format = '#,##0.00 "EUR"'
    book.create_sheet("Hidden").sheet_state = "veryHidden"
    book.properties.title, book.properties.creator = "House rules", "A. Weber"
    out = io.BytesIO()
    book.save(out)
    read = workbook(out.getvalue())

    assert "Fees\n\nZone: A; Price: 12.50 EUR; From: 2024-01-31." == read.text
    assert ("House rules", "A. Weber") == (read.title, read.metadata["author"])
    assert ["sheet.hidden"] == codes(read)


def test_a_presentation_of_another_writer_is_read():
    """python-pptx wrote it: placeholders, a table, notes, properties."""
    (pptx,) = require_part("office", "pptx")

    made = pptx.Presentation()
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = "Fees"
    slide.placeholders[1].text = "Parking costs 12 EUR.\nDogs are free."
    table = slide.shapes.add_table(2, 3, 0, 0, 100, 100).table
    for row, cells in enumerate([("Zone", "Price", "Day"), ("A", "12", "Mo")]):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    slide.notes_slide.notes_text_frame.text = "Say hello."
    made.core_properties.title = "Deck"
    out = io.BytesIO()
    made.save(out)
    read = slides(out.getvalue())

    assert (
        "Fees\n\nParking costs 12 EUR.\n\nDogs are free.\n\nZone: A; Price: 12; Day: Mo."
        "\n\nSay hello."
    ) == read.text
    assert "Deck" == read.title
