"""Would a reader see this piece of an HTML text?

In      an element, the style rules of its document, the background behind it
Out     yes or no
Pure    no clock, no randomness, no I/O
Spec    004 P3.2 (planted text)

Knows the ways in which mails hide text: not displayed, invisible, no size, moved out of sight,
the colour of what is behind it. Not a style engine: a doubtful case counts as visible.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from lxml import etree

MAX_RULES_CHARS = 200_000
"""Longest style sheet that is looked at."""

_COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
_RULE = re.compile(r"([^{}]{1,2000})\{([^{}]{0,4000})\}")
_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?([.#][A-Za-z_][\w-]*)")
_NUMBER = re.compile(r"(-?\d{0,9}(?:\.\d{1,9})?)\s*(px|pt|em|rem|%|ex|cm|in)?(?:\s|$|!)")
_HEX = re.compile(r"#([0-9a-f]{3}|[0-9a-f]{6})")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})")
_NAMES = {"white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250)}

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Backdrop:
    """The colour behind an element; None when it cannot be told (pictures, gradients)."""

    colour: Colour | None = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class HiddenRules:
    """The class and id selectors under which a style sheet hides things on every device."""

    selectors: frozenset[str] = frozenset()

    @classmethod
    def of(cls, sheet: str) -> Self:
        """Read the plain rules of *sheet*; those inside `@media` and the like do not count."""
        if len(sheet) > MAX_RULES_CHARS:
            return cls()
        found: set[str] = set()
        for selectors, body in _RULE.findall(_top_level(_COMMENT.sub(" ", sheet))):
            if _hides(_declarations(body)):
                for selector in selectors.split(","):
                    match = _SELECTOR.fullmatch(selector.strip())
                    if match:
                        found.add(match[1])
        return cls(frozenset(found))


def is_hidden(node: etree._Element, rules: HiddenRules, backdrop: Backdrop) -> bool:
    """Is *node*, with all that is in it, out of a reader's sight?"""
    if node.get("hidden") is not None:
        return True
    style = _declarations(node.get("style") or "")
    if _hides(style):
        return True
    names = [f".{name}" for name in (node.get("class") or "").split()[:20]]
    if rules.selectors and not rules.selectors.isdisjoint([*names, f"#{node.get('id')}"]):
        return "block" not in style.get("display", "")
    colour = style.get("color") or (node.get("color") or "").strip().lower()
    if not colour or not (node.text or len(node)):
        return False
    if colour == "transparent":
        return True
    own, behind = _colour(colour), backdrop_below(node, backdrop).colour
    if (
        own is None
        or behind is None
        or max(abs(a - b) for a, b in zip(own, behind, strict=True)) > 8
    ):
        return False
    return not any(_sets_colour(inner) for inner in node.iterdescendants(etree.Element))


def backdrop_below(node: etree._Element, backdrop: Backdrop) -> Backdrop:
    """The colour behind what is inside *node*."""
    style = _declarations(node.get("style") or "")
    if (
        node.get("background")
        or "background-image" in style
        or "url(" in style.get("background", "")
    ):
        return Backdrop(None)
    declared = style.get("background-color") or style.get("background") or node.get("bgcolor")
    if not declared or declared.strip().lower() in ("transparent", "none", "inherit", "initial"):
        return backdrop
    return Backdrop(_colour(declared.strip().lower()))


def _hides(style: dict[str, str]) -> bool:
    if style.get("display", "").startswith("none"):
        return True
    if style.get("visibility", "").startswith(("hidden", "collapse")):
        return True
    if _is_zero(style.get("opacity")) or _is_zero(style.get("font-size"), tiny=True):
        return True
    clipped = style.get("overflow", "").startswith("hidden")
    if clipped and any(_is_zero(style.get(side)) for side in ("max-height", "height", "width")):
        return True
    if _is_far(style.get("text-indent")):
        return True
    moved = style.get("position", "").startswith(("absolute", "fixed"))
    return moved and (_is_far(style.get("left")) or _is_far(style.get("top")))


def _declarations(style: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in style[:4000].split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip().lower()] = value.strip().lower()
    return found


def _is_zero(value: str | None, *, tiny: bool = False) -> bool:
    match = _NUMBER.match(value) if value else None
    if match is None or not match[1].strip("-."):
        return False
    number = float(match[1])
    return number == 0 or (tiny and number <= 1 and match[2] in ("px", "pt", "%"))


def _is_far(value: str | None) -> bool:
    match = _NUMBER.match(value) if value else None
    return bool(match and match[1].strip("-.") and float(match[1]) <= -500)


def _colour(value: str) -> Colour | None:
    if match := _HEX.match(value):
        digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if match := _RGB.match(value):
        return int(match[1]), int(match[2]), int(match[3])
    return _NAMES.get(value.partition(" ")[0].partition("!")[0])


def _sets_colour(node: etree._Element) -> bool:
    style = node.get("style") or ""
    return bool(node.get("color") or node.get("bgcolor") or "color" in style or "ground" in style)


def _top_level(sheet: str) -> str:
    """*sheet* without the blocks of at-rules."""
    kept: list[str] = []
    position = 0
    while (at := sheet.find("@", position)) >= 0:
        kept.append(sheet[position:at])
        depth = 0
        position = at + 1
        while position < len(sheet):
            char = sheet[position]
            position += 1
            depth += (char == "{") - (char == "}")
            if (depth == 0 and char in ";}") or depth < 0:
                break
    return "".join([*kept, sheet[position:]])
