"""The text in the small markups that mail has beside HTML: enriched text, invitations.

In      text/enriched or text/calendar, as text
Out     what a reader sees of it
Pure    no clock, no randomness, no I/O
Spec    005-M8; RFC 1896, RFC 5545
"""

from __future__ import annotations

import re

_PARAM = re.compile(r"<param>.{0,2000}?</param>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z0-9-]{1,60}>")
_BREAKS = re.compile(r"\n+")
_FOLD = re.compile(r"\n[ \t]")
_PROPERTY = re.compile(
    r"(SUMMARY|DESCRIPTION|LOCATION|DTSTART|DTEND|COMMENT|STATUS)[^:\n]{0,300}:(.*)"
)
_ESCAPED = re.compile(r"\\([nN,;\\])")
_LEFT = "\ufdd0"


def read_enriched(text: str) -> str:
    """text/enriched as plain text: its commands go, a single line break is a blank."""
    text = _PARAM.sub("", text.replace("<<", _LEFT))
    text = _TAG.sub("", text).replace(_LEFT, "<")
    return _BREAKS.sub(lambda run: "\n" * (len(run.group()) - 1) or " ", text)


def read_calendar(text: str) -> str:
    """What an invitation says to people; the whole when it says nothing so."""
    lines = []
    for line in _FOLD.sub("", text).split("\n"):
        match = _PROPERTY.fullmatch(line.strip())
        if match and match[2].strip():
            said = _ESCAPED.sub(lambda m: "\n" if m[1] in "nN" else m[1], match[2])
            lines.append(f"{match[1].capitalize()}: {said}")
    return "\n".join(lines) + "\n" if lines else text
