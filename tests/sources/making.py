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
