"""Foreign text inside HTML and SVG: it is shown as text and is never markup.

In      text of any origin; the parts of an element
Out     escaped text, elements
Pure    yes
Spec    007-F4
"""

from __future__ import annotations

import html
import re
from typing import Final

# C0 but tab and line feed, DEL, C1, marks of direction, separators of lines and paragraphs, lone
# surrogates, what is no character, interlinear annotation, tags.
_CONTROL: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f]"
)


def escape(text: object) -> str:
    """*text* as the content of an element or of an attribute in double quotes.

    Characters that control a reader, turn the direction of writing, or cannot stand in HTML or
    UTF-8 become `·`.

    Example:
        >>> escape('<b title="x">\\x00')
        '&lt;b title=&quot;x&quot;&gt;·'
    """
    return html.escape(replace_controls(str(text)))


def replace_controls(text: str) -> str:
    """*text* with `·` for each character that controls a reader or turns the direction.

    Example:
        >>> replace_controls("a\\u202eb\\x1b[31m")
        'a·b·[31m'
    """
    return _CONTROL.sub("·", text.replace("\r\n", "\n"))


def element(tag: str, *inner: str, **attributes: object) -> str:
    """One element around *inner*, which is markup already; attributes are escaped here.

    `class_` is `class`, `_` in other names is `-`; None leaves an attribute out.

    Example:
        >>> element("td", escape("a<b"), class_="number")
        '<td class="number">a&lt;b</td>'
    """
    said = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{said}>{''.join(inner)}</{tag}>"
