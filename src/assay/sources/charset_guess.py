"""Guess the charset of bytes whose label does not fit them, by the letters that come out.

In      bytes that are neither in the charset claimed nor in UTF-8; the family of the claim
Out     Reading: the codec that fits and its text; None when no codec gives plausible text
Pure    no clock, no randomness, no I/O
Spec    005-M8: what the bytes are is tried before a reader gives up

A wrong codec often decodes without an error, into letters that nobody writes together. So a
reading counts only if enough of its letters are common ones of its script; the tables hold the
most frequent letters of running text.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

SAMPLE_BYTES = 65_536
"""So much of a text is enough to tell its charset."""

ENOUGH = 0.4
"""Share of common letters from which a reading without a hint is believed."""

FOREIGN = 0.35
"""Share of bytes beyond ASCII among letters from which a text is in no Latin script."""

_KANA = "".join(map(chr, [*range(0x3041, 0x3097), *range(0x30A1, 0x30FB), 0x30FC]))
_CJK_MARKS = "、。「」・，！？：；（）“”　"
_HANZI = (
    "的一是不了在人有我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过"
    "家学对可里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本"
    "见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种请险保"
    "谢您我问题电号码付款取消"
)
_HANZI_TRADITIONAL = (
    "的一是不了在人有我他這中大來上個國到說們為子和你地出道也時年得就那要下以生會自著去之過"
    "家學對可裡後小麼心多天而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本"
    "見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種請險保"
    "謝您我問題電號碼付款取消"
)
_KANJI = "日本語人年月大会国上中分事自出者时時行社見前後生間今気手方学保険契約解料金様願い送受申込"
_HANGUL = (
    "이다는에의을를가은지고하도로서한기리사인아자나시어들라일대해그수것보있정으만구안부전과게"
    "주요면세거스니까습합입했없않제생각우원계약보험료감장상동내경오무성신연와요청해지취소"
)

_COMMON = {
    "japanese": _KANA + _KANJI + _CJK_MARKS,
    "simplified": _HANZI + _CJK_MARKS,
    "traditional": _HANZI_TRADITIONAL + _CJK_MARKS,
    "korean": _HANGUL + _CJK_MARKS,
    "cyrillic": "оеаинтсрвлкмдпуяыьізбгчйхжє",
    "greek": "αοιετσνηυρπκμλωςάόίέή",
    "hebrew": "יוהלאמרתבשנדעקםחפ",
    "arabic": "اليمنوتربةعدسهكفقح",
    "thai": "านรอกเงมยลวดท่้ิสะตปแคไใจบัี",
    "latin": "äöüÄÖÜßéèêëàâáãçñóòôõíìîïúùûøåæœÉÀÇ“”„‘’–—…•°§€®©™«»\xa0´·²½±£¿¡",
}

_LETTERS = {family: frozenset(letters) for family, letters in _COMMON.items()}
_ONE_BYTE = {
    "cp1253": "greek",
    "iso8859_7": "greek",
    "cp1255": "hebrew",
    "iso8859_8": "hebrew",
    "cp1256": "arabic",
    "iso8859_6": "arabic",
    "cp874": "thai",
    "tis_620": "thai",
    "iso8859_11": "thai",
}
_IDEOGRAPHIC = ("japanese", "simplified", "traditional")

_FAMILIES = {
    "japanese": ("cp932", "euc_jis_2004", "iso2022_jp_ext", "utf-16-le", "utf-16-be"),
    "simplified": ("gb18030", "hz", "utf-16-le", "utf-16-be"),
    "traditional": ("cp950", "big5hkscs", "utf-16-le", "utf-16-be"),
    "korean": ("cp949", "johab", "iso2022_kr", "utf-16-le", "utf-16-be"),
    "cyrillic": ("cp1251", "koi8_u", "koi8_r", "cp866", "iso8859-5"),
    "greek": ("cp1253", "iso8859-7"),
    "hebrew": ("cp1255", "iso8859-8"),
    "arabic": ("cp1256", "iso8859-6"),
    "thai": ("cp874",),
    "latin": ("cp1252",),
}
_NOT_LATIN = [name for name in _FAMILIES if name != "latin"]
_ROWS = frozenset(b"\x00\x03\x04\x05\x06\x0e\x30")
"""Upper bytes of the letters of most scripts in UTF-16: Latin, Greek, Cyrillic … kana."""

_ESCAPES = (b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b$(")
_UNUSUAL = frozenset(("Cc", "Co", "Cn", "Cs"))

FEWEST = 6
"""Fewer bytes beyond ASCII tell nothing about a script."""

CERTAIN = 0.5
"""Share of common letters from which another reading is believed against the claim."""

CERTAINLY_FOREIGN = 0.6
"""Share of bytes beyond ASCII from which a claim is tested at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Bytes as text in a codec that fits them."""

    codec: str
    text: str


def guess_reading(data: bytes, claimed: str | None) -> Reading | None:
    """The most plausible strict reading of *data*.

    Args:
        data: Not UTF-8, or UTF-8 only because it is seven-bit.
        claimed: The codec of the claim, which did not fit; None when there is none.

    Example:
        >>> guess_reading("Здравствуйте, прошу вас".encode("koi8-r"), None).codec
        'koi8_u'
    """
    family = family_of(claimed)
    if family:
        found = _best([family], data, ENOUGH)
        if found:
            return found
    if _foreign_share(data) < FOREIGN:
        return _best(["latin"], data, ENOUGH)
    return _best(_NOT_LATIN, data, ENOUGH)


def guess_better(data: bytes, codec: str, text: str) -> Reading | None:
    """A reading of *data* that is far more plausible than its *text* in the codec claimed.

    In most charsets nearly any bytes are some text. When that is hardly ever written so, and
    another charset gives letters that are, the claim is none.

    Example:
        >>> data = "Здравствуйте, прошу вас".encode("cp1251")
        >>> guess_better(data, "iso8859-1", data.decode("latin-1")).codec
        'cp1251'
    """
    if _foreign_share(data) < CERTAINLY_FOREIGN:
        return None
    family = family_of(codec)
    own = _common_share(text[:SAMPLE_BYTES], family) if family else 0.0
    if own >= CERTAINLY_FOREIGN:
        return None
    return _best(_NOT_LATIN, data, max(CERTAIN, own + 0.2))


def read_wide(data: bytes) -> Reading | None:
    """UTF-16 or UTF-32 without a mark, known by where the bytes of its rows lie."""
    head = data[:4096]
    if len(data) < 4 or len(data) % 2:
        return None
    even, odd = (sum(1 for byte in head[place::2] if byte in _ROWS) for place in (0, 1))
    enough = len(head) * 0.3
    names = ("utf-16-le",) if odd > enough > even * 2 else ()
    names = ("utf-16-be",) if even > enough > odd * 2 else names
    if not len(data) % 4 and head.count(0) * 2 > len(head):
        lows = [head[place::4].count(0) for place in range(4)]
        if min(lows[2], lows[3]) * 4 > len(head) * 0.9:
            names = ("utf-32-le",)
        elif min(lows[0], lows[1]) * 4 > len(head) * 0.9:
            names = ("utf-32-be",)
    for name in names:
        text = _strict(data, name)
        if text is not None and not any(c in "\x00\ufffe\uffff" for c in text[:4096]):
            return Reading(codec=name, text=text)
    return None


def read_escapes(data: bytes) -> Reading | None:
    """ISO-2022-JP or ISO-2022-KR under another name: seven-bit, known by its escapes."""
    if b"\x1b$" not in data:
        return None
    for codec in ("iso2022_jp_ext", "iso2022_kr"):
        if codec == "iso2022_kr" or any(escape in data for escape in _ESCAPES):
            text = _strict(data, codec)
            if text is not None and "\x1b" not in text:
                return Reading(codec=codec, text=text)
    return None


def family_of(codec: str | None) -> str:
    """The family of *codec*; empty for UTF, for Latin charsets, and for none."""
    name = (codec or "").replace("-", "_").lower()
    if name.startswith(("iso2022_jp", "shift_jis", "cp932", "euc_ji", "euc_jp", "euc_jis")):
        return "japanese"
    if name in ("gb2312", "gbk", "gb18030", "hz"):
        return "simplified"
    if name in ("big5", "cp950", "big5hkscs"):
        return "traditional"
    if name in ("euc_kr", "cp949", "johab", "iso2022_kr"):
        return "korean"
    if name in ("koi8_r", "koi8_u", "cp1251", "cp866", "iso8859_5", "mac_cyrillic", "kz1048"):
        return "cyrillic"
    return _ONE_BYTE.get(name, "")


def _best(families: list[str], data: bytes, enough: float) -> Reading | None:
    best: tuple[float, str] | None = None
    sample = data[:SAMPLE_BYTES]
    for family in families:
        for codec in _FAMILIES[family]:
            text = _sample_text(sample, codec, whole=len(sample) == len(data))
            if text is None:
                continue
            score = _common_share(text, family)
            if score >= enough and (best is None or score > best[0]):
                best = (score, codec)
    if best is None:
        return None
    text = _strict(data, best[1])
    return Reading(codec=best[1], text=text) if text is not None else None


def _sample_text(sample: bytes, codec: str, *, whole: bool) -> str | None:
    if whole:
        return _strict(sample, codec)
    for less in range(4):  # the sample may end inside a letter
        text = _strict(sample[: len(sample) - less], codec)
        if text is not None:
            return text
    return None


def _common_share(text: str, family: str) -> float:
    """Share of the characters beyond ASCII that are common; what nobody writes counts against."""
    common = _LETTERS[family]
    characters = family in _IDEOGRAPHIC
    score, count = 0.0, 0
    for char in text:
        if char < "\x80":
            continue
        count += 1
        if char in common:
            score += 1
        elif characters and "\u4e00" <= char <= "\u9fff":
            score += 0.3
        elif _is_unusual(char):
            score -= 1
    return score / count if count else 0.0


def _is_unusual(char: str) -> bool:
    """Half-width kana, frames, private or unassigned characters: signs of a wrong charset."""
    return (
        "\uff61" <= char <= "\uff9f"
        or "\u2500" <= char <= "\u25ff"
        or unicodedata.category(char) in _UNUSUAL
    )


def _foreign_share(data: bytes) -> float:
    """Bytes beyond ASCII as a share of those and of ASCII letters; none where they are too few."""
    sample = data[:SAMPLE_BYTES]
    high = sum(1 for byte in sample if byte >= 0x80)
    letters = sum(1 for byte in sample if 65 <= (byte & 0xDF) <= 90 and byte < 0x80)
    return high / (high + letters) if high >= FEWEST else 0.0


def _strict(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except (UnicodeError, ValueError, LookupError):
        return None
