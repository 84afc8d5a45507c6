"""Make the files that the tests of sources read: PDF, DOCX, mail."""

from __future__ import annotations

import io
import zipfile
import zlib

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def pdf(*pages: bytes, compress: bool = False) -> bytes:
    """A PDF with one page for each stream of drawing instructions."""
    count = len(pages)
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%s] >>" % (count, kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, page in enumerate(pages):
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % (5 + 2 * number)
        )
        body = zlib.compress(page) if compress else page
        head = b" /Filter /FlateDecode" if compress else b""
        objects.append(b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(body), head, body))
    return _assembled(objects)


def text_page(text: str) -> bytes:
    """Instructions that draw *text* as one line."""
    return b"BT /F1 12 Tf 10 700 Td (%s) Tj ET" % text.encode("ascii")


def _assembled(objects: list[bytes], trailer: bytes = b"") -> bytes:
    out = b"%PDF-1.4\n"
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    return (
        out
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
        + b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF"
        % (size, trailer, len(out))
    )


def encrypted_pdf() -> bytes:
    """A PDF that asks for a password."""
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(text_page("secret"))))
    writer.encrypt("a password", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(body: str, **others: str) -> bytes:
    """A DOCX whose document has the XML *body*; more files by name (`footnotes="…"`)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{WORD}">{body}</w:document>')
        for name, content in others.items():
            archive.writestr(f"word/{name}.xml", f'<w:x xmlns:w="{WORD}">{content}</w:x>')
    return out.getvalue()


def paragraph(text: str, properties: str = "") -> str:
    """One paragraph of one run."""
    return f"<w:p><w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SLIDES = "http://schemas.openxmlformats.org/presentationml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def archive(files: dict[str, str | bytes]) -> bytes:
    """A ZIP archive of *files* by name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


def _relations(kinds: dict[str, tuple[str, str]]) -> str:
    inner = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in kinds.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}">{inner}</Relationships>'


def xlsx(*sheets: str, states: str = "", styles: str = "", strings: str = "") -> bytes:
    """A workbook of sheets with the XML content *sheets*, called Sheet1, Sheet2 …

    Args:
        states: A letter a sheet, `h` for those that are hidden.
    """
    hidden = [' state="hidden"' if letter == "h" else "" for letter in states.ljust(len(sheets))]
    listed = "".join(
        f'<sheet name="Sheet{number}" sheetId="{number}" r:id="s{number}"{hidden[number - 1]}/>'
        for number in range(1, len(sheets) + 1)
    )
    kinds = {
        f"s{number}": ("worksheet", f"worksheets/s{number}.xml")
        for number in range(1, len(sheets) + 1)
    }
    kinds |= {"t": ("sharedStrings", "strings.xml"), "y": ("styles", "styles.xml")}
    files: dict[str, str | bytes] = {
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}">'
        f"<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relations(kinds),
        "xl/strings.xml": f'<sst xmlns="{_SHEET}">{strings}</sst>',
        "xl/styles.xml": f'<styleSheet xmlns="{_SHEET}">{styles}</styleSheet>',
    }
    for number, content in enumerate(sheets, start=1):
        files[f"xl/worksheets/s{number}.xml"] = f'<worksheet xmlns="{_SHEET}">{content}</worksheet>'
    return archive(files)


def sheet_rows(*rows: tuple[str, ...], first: int = 1) -> str:
    """Rows of texts and numbers, as they stand in a sheet; empty texts make no cell."""
    made = []
    for number, row in enumerate(rows, start=first):
        cells = "".join(
            f'<c r="{chr(65 + place)}{number}"><v>{text}</v></c>'
            if text.isdigit()
            else f'<c r="{chr(65 + place)}{number}" t="inlineStr"><is><t>{text}</t></is></c>'
            for place, text in enumerate(row)
            if text
        )
        made.append(f'<row r="{number}">{cells}</row>')
    return f"<sheetData>{''.join(made)}</sheetData>"


def pptx(*slides: str, notes: str = "") -> bytes:
    """A presentation of slides with the XML content *slides*; *notes* are those of the first."""
    numbers = range(1, len(slides) + 1)
    listed = "".join(f'<p:sldId id="{255 + number}" r:id="s{number}"/>' for number in numbers)
    spaces = f'xmlns:p="{_SLIDES}" xmlns:a="{_DRAWING}" xmlns:r="{_OFFICE}"'
    files: dict[str, str | bytes] = {
        "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{listed}</p:sldIdLst>"
        "</p:presentation>",
        "ppt/_rels/presentation.xml.rels": _relations(
            {f"s{number}": ("slide", f"slides/s{number}.xml") for number in numbers}
        ),
    }
    for number, content in enumerate(slides, start=1):
        hidden = ' show="0"' if content.startswith("HIDDEN") else ""
        body = content.removeprefix("HIDDEN")
        files[f"ppt/slides/s{number}.xml"] = f"<p:sld {spaces}{hidden}>{body}</p:sld>"
    if notes:
        files["ppt/slides/_rels/s1.xml.rels"] = _relations({"n": ("notesSlide", "../notes/n.xml")})
        files["ppt/notes/n.xml"] = f"<p:notes {spaces}>{notes}</p:notes>"
    return archive(files)


def shape(*paragraphs: str, kind: str = "") -> str:
    """One shape of a slide; *kind* is that of its placeholder, as `title`."""
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>' if kind else ""
    lines = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    return f"<p:sp>{place}<p:txBody>{lines}</p:txBody></p:sp>"
