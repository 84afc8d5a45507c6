"""Documents in a fixed layout, written as Markdown, HTML, DOCX and PDF."""
