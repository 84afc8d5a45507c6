"""Letters and signs that a reader takes for those of ASCII.

In      text in any script
Out     the same with look-alikes as the ASCII character that they look like
Pure    yes; linear
Spec    005-A6; interfaces.md, "Answers" (what looks like a header or a marker is one)

Only shapes count, not sounds: the Cyrillic letter that is spoken as R looks like P. Where a letter
looks like two, the nearer shape in common fonts is taken. What the compatibility forms of Unicode
fold by themselves (full width, mathematical, enclosed) is not repeated here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from unicodedata import category, normalize

from assay.core.text.folding import REMOVED, marks_in_order

_LETTERS: Final = {
    # Cyrillic
    "АВСЕНІЈКМОРԚЅТѴԜХҮУЗ": "ABCEHIJKMOPQSTVWXYYZ",
    "асԁеһіјӏоԛгѕѵԝхуүӡкмтнпивяԍ": "acdehijloqrsvwxyyzkmthnubrg",
    "ҐҒЃҢҲӀЇЁЀ": "rrrhxiiee",
    # Greek and Coptic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϜ": "ABEZHIKMNOPTYXCF",
    "αβγεηικνορτυχωϲϳσμϱ": "abyenikvoptuxwcjoup",
    "ⲀⲂⲤⲈⲎⲒⲔⲘⲚⲞⲢⲦⲨⲬⳌ": "ABCEHIKMNOPTYXS",
    "ⲁⲃⲥⲉⲏⲓⲕⲙⲛⲟⲣⲧⲩⲭⳍ": "abcehikmnoptyxs",
    # Armenian
    "ՍՕԼՏՈՄՒԱԵԿ": "UOLSNUINEK",
    "աօոսհցգզյքիլտաէր": "wonuhgqqjqhlutep",
    # Cherokee, and its small letters
    "ᎪᏴᏟᎠᎬᎢᎫᏦᏞᎷᎾᏢᎡᏚᎢᏙᎳᎩᏃᎻᎵᏀᎥᏌᎴᏐᏏᏫ": "ABCDEIJKLMOPRSTVWYZHPGIUSHbo",
    # Lisu
    "ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ": "ABCDEFGHIJKLMNOPRSTUVWXYZ",
    # Canadian syllabics
    "ᗅᗷᑕᗞᗴᖴᕼᒍᛕᒪᗰᑎᑭᖇᑌᐯᗯ᙭ᗩᔕ": "ABCDEFHJKLMNPRUVWXAS",
    # Small capitals and other letters of phonetic alphabets
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ": "abcdefghijklmnopqrstuvwyz",
    "ɑɓƈɖɗɘəɛɠɡɦɨɩıȷʝƙɭɫɱɲɳƞøɵƥʠɼɽɾʂʃƭʈʉʋⱱɯƴʐʑ": "abcddeeegghiiijjkllmnnnooPqrrrssttuvvwyzz",
    "ƁƇƊƎƐƑƓĦƗƘŁƝØƟƤƦƬŦɄƲƳƵȺɃȻĐƉɆɈɎ": "BCDEEFGHIKLNOOPRTTUVYZABCDDEJY",
    "ƀȼđɇƒǥħɉłŧʇƚɍɏƶⱥⱦꞓꬲꬳ": "bcdefghjlttlryzatcee",
    # Old scripts with letters of the same shape
    "𐌀𐌁𐌂𐌄𐌉𐌊𐌌𐌏𐌐𐌕𐌗𐐕𐐠𐐬𐐽𐑈": "ABCEIKMOPTXCSocs",
}
_SIGNS: Final = {
    "=": "꞊᐀゠⹀═≡〓⹁᰼＝",
    "|": "∣│ǀⵏ׀¦❘⏐︱┃┆┇║‖▏▕｜〡丨",
    "[": "［【〔〖⟦「『〚⁅❲⦋﹇﹝⦗⟬⁽❨⸢｢",
    "]": "］】〕〗⟧」』〛⁆❳⦌﹈﹞⦘⟭⁾❩⸣｣",
    "#": "＃♯⋕⌗",
    "_": "＿‿⁔ˍ﹍﹎﹏",
    "-": "‐‑‒–—―−⁃⸺⸻﹘﹣－─━ー➖",
    "*": "∗⁎✱＊٭⋆﹡",
    "~": "∼˜〜～∽",
}


def _table() -> dict[int, str]:
    table: dict[int, str] = {}
    for alike, plain in _LETTERS.items():
        table |= dict(zip(map(ord, alike), plain, strict=True))
    for start in (0x1F130, 0x1F150, 0x1F170, 0x1F1E6):  # squared, circled, and flags' letters
        table |= {start + place: chr(ord("A") + place) for place in range(26)}
    return table


LETTERS: Final = _table()
"""Code point -> the ASCII letter that it looks like, in the case it looks like."""

SIGNS: Final = {ord(one): sign for sign, alike in _SIGNS.items() for one in alike}
"""Code point -> the ASCII sign that it looks like."""

_ALIKE: Final = LETTERS | SIGNS
_INVISIBLE: Final = dict.fromkeys(
    {
        *map(ord, REMOVED),
        *range(0xFE00, 0xFE10),
        *range(0xE0000, 0xE01F0),
        0x034F,
        0x115F,
        0x1160,
        0x17B4,
        0x17B5,
        0x2065,
        0x3164,
        0xFFA0,
        *range(0x180B, 0x1810),
    }
)
"""Characters without width or shape: joiners, direction marks, variation selectors, tags."""


def skeleton(text: str) -> str:
    """*text* as the eye takes it: look-alikes as ASCII, without accents and the invisible.

    Case is kept where the shape has one. Two texts with one skeleton look the same.

    Example:
        >>> skeleton("с\\u200bhunk_іd＝𝐱"), skeleton("Ｅ𝗏ɪᴅéɴᴄᴇ")
        ('chunk_id=x', 'Evidence')
    """
    if text.isascii():
        return text
    plain = normalize("NFKD", marks_in_order(text.translate(_ALIKE).translate(_INVISIBLE)))
    if not plain.isascii():
        plain = "".join([char for char in plain if char.isascii() or not _is_mark(char)])
    return plain.translate(_ALIKE)


def look_alike(char: str) -> str:
    """The one ASCII character that *char* looks like; a space for what has no shape of its own,
    and *char* itself where it looks like none.

    Example:
        >>> [look_alike(char) for char in "С［é\\u200bж"]
        ['C', '[', 'e', ' ', 'ж']
    """
    code = ord(char)
    if code < 0x80:
        return char
    if code in _INVISIBLE or _is_mark(char):
        return " "
    found = skeleton(char)
    return found if len(found) == 1 and found.isascii() else char


class ShapeView:
    """A text as the eye takes it, in which words can be looked for."""

    def __init__(self, text: str) -> None:
        self._shapes, self._places = _shapes(text)
        self._lower = _lower(self._shapes)

    def whole_words(self, word: str) -> Iterator[tuple[int, int]]:
        """Where *word* stands as a whole word, in places of the text.

        A word with digits or signs is no word of a language: its case does not matter.
        """
        shape, _ = _shapes(word)
        loose = not word.isalpha()
        text, shape = (self._lower, _lower(shape)) if loose else (self._shapes, shape)
        at = text.find(shape) if shape else -1
        while at >= 0:
            stop = at + len(shape)
            free = not (at and _is_wordy(text[at - 1]) and _is_wordy(shape[0]))
            if free and not (stop < len(text) and _is_wordy(text[stop]) and _is_wordy(shape[-1])):
                yield self._place(at), self._place(stop - 1) + 1
            at = text.find(shape, at + 1)

    def holds(self, word: str) -> bool:
        """Whether *word* stands there as a whole word."""
        return any(True for _ in self.whole_words(word))

    def _place(self, at: int) -> int:
        return at if self._places is None else self._places[at]


def _shapes(text: str) -> tuple[str, list[int] | None]:
    """*text* by its shapes, and where each character of that stands; None: where it stands."""
    if text.isascii():
        return text, None
    shapes: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if char >= "\x80":
            if ord(char) in _INVISIBLE or _is_mark(char):
                continue
            char = look_alike(char)  # noqa: PLW2901
        shapes.append(char)
        places.append(place)
    return "".join(shapes), places


def _lower(text: str) -> str:
    """*text* in lower case, equally long."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def _is_wordy(char: str) -> bool:
    return char.isalnum() or char == "_"


def _is_mark(char: str) -> bool:
    return category(char) in {"Mn", "Me"}
