"""Foreign text inside HTML and SVG: it is shown as text and is never markup.

In      text of any origin; the parts of an element
Out     escaped text, elements
Pure    yes
Spec    007-F4
"""

from __future__ import annotations

import html

from assay.core.text.controls import replace_controls


def escape(text: object) -> str:
    """*text* as the content of an element or of an attribute in double quotes.

    Characters that control a reader, turn the direction of writing, or cannot stand in HTML or
    UTF-8 become `·`.

    Example:
        >>> escape('<b title="x">\\x00')
        '&lt;b title=&quot;x&quot;&gt;·'
    """
    return html.escape(replace_controls(str(text).replace("\r\n", "\n")))


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
