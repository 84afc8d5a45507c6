"""Undo the soft line breaks of `format=flowed`, as the sender's reader would.

In      a text whose type says `format=flowed`, and whether `DelSp=yes`
Out     the text with each paragraph on one line
Pure    no clock, no randomness, no I/O
Spec    005-M9; RFC 3676 4

Evidence is looked for in this text: a number that a program broke over two lines is one number.
"""

from __future__ import annotations

SIGNATURE = "-- "


def unflow(text: str, *, delete_space: bool) -> str:
    """*text* with its flowed lines joined.

    Args:
        delete_space: The blank that marks a soft break is no part of the text (`DelSp=yes`).

    Example:
        >>> unflow("IBAN DE89370400440 \\n532013000\\n", delete_space=True)
        'IBAN DE89370400440532013000\\n'
    """
    ended = text.endswith("\n")
    lines = text.split("\n")
    if ended:
        lines.pop()
    out: list[str] = []
    paragraph: list[str] = []
    depth = 0

    def close() -> None:
        if paragraph:
            out.append(_prefix(depth) + "".join(paragraph))
            paragraph.clear()

    for line in lines:
        found, content = _take_marks(line)
        if found != depth:
            close()
            depth = found
        if content == SIGNATURE:
            close()
            out.append(_prefix(depth) + content)
        elif content.endswith(" "):
            paragraph.append(content[:-1] if delete_space else content)
        else:
            paragraph.append(content)
            close()
    close()
    return "\n".join(out) + ("\n" if ended else "")


def _take_marks(line: str) -> tuple[int, str]:
    """How deep *line* is quoted, and what it says without the blank that protects its start."""
    content = line.lstrip(">")
    return len(line) - len(content), content.removeprefix(" ")


def _prefix(depth: int) -> str:
    return ">" * depth + " " if depth else ""
