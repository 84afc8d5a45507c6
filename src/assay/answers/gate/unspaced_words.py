"""Words that deny and turn in scripts without spaces, by language.

In      a text and its language
Out     whether it denies, the poles that it stands on
Pure    yes; linear
Spec    005-A4
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

UNSPACED: Final = MappingProxyType(
    {
        "zh": (
            "不|未|没|沒|無|无|勿|非|禁止|拒绝|拒絕|除外|免费|免費|免[交缴付]",
            "非常|不同|不断|不斷|不仅|不僅|不但|不过|不過|未来|未來|无论|無論|不少|是否|除非|无理由|無理由|无条件|無條件|无限|非洲|不久",
        ),
        "ja": (
            "ない|ません|なかっ|なく|ず[にと、。]|禁止|不可|無[料効理]?|未|できな|除[くき]|対象外",
            "少ない|なければならない|なければなりません|かもしれない|かもしれません|しかない|だけでなく"
            "|なくてはな|ではないか|未来|未満",
        ),
        "ko": ("않|못|없|아니|금지|불가|제외|안 ", "뿐만 아니|아니라|못지않"),
        "km": ("មិន|គ្មាន|ហាម", "មិនត្រឹមតែ"),
        "my": ("ဘူး|မဟုတ်|မရ", "မရှိမဖြစ်"),
        "th": ("ไม่|ห้าม|มิได้|ยกเว้น|ปราศจาก", "ไม่เพียง|ไม่ว่า|ไม่นาน|ไม่น้อย"),
    }
)
"""Language without spaces -> what denies, and where that is a part of another word."""

UNSPACED_POLES: Final[Mapping[str, tuple[tuple[str, str, str], ...]]] = MappingProxyType(
    {
        "zh": (
            ("bound", "over", "最低|最少|至少|以上|不少于|不低于"),
            ("bound", "under", "最高|最多|至多|以下|以内|不超过|不高于"),
            ("change", "up", "增加|上升|提高|上涨|增长"),
            ("change", "down", "减少|下降|降低|下跌"),
            ("time", "before", "之前|以前|[前](?=[,。提])"),
            ("time", "after", "之后|以后|[后](?=[,。\\d])"),
            ("modality", "must", "必须|应当|应在|需要"),
            ("modality", "may", "可以|允许|可自愿"),
            ("frequency", "always", "总是|始终|一律"),
            ("frequency", "some", "有时|偶尔"),
        ),
        "ja": (
            ("bound", "over", "最低|最小|以上|少なくとも"),
            ("bound", "under", "最高|最大|上限|以下|以内|まで"),
            ("change", "up", "増加|上昇|増え|上が"),
            ("change", "down", "減少|下降|低下|減[りっ]|下が"),
            ("time", "before", "前に|までに"),
            ("time", "after", "後に|以降"),
        ),
        "ko": (
            ("bound", "over", "최소|이상"),
            ("bound", "under", "최대|이하|이내"),
            ("change", "up", "증가|상승|인상"),
            ("change", "down", "감소|하락|인하"),
        ),
    }
)
"""Language without spaces -> axis, pole, and the signs that put a claim there."""


def denies_unspaced(text: str, language: str) -> bool:
    """Whether *text* denies something.

    Example:
        >>> denies_unspaced("现金不报销。", "zh"), denies_unspaced("费用不断增加。", "zh")
        (True, False)
    """
    denial, other = _patterns(language)
    return denial.search(other.sub("", text)) is not None


def without_denials(text: str, language: str) -> str:
    """*text* without what denies in it."""
    return _patterns(language)[0].sub(" ", text)


def unspaced_poles(text: str, language: str) -> Iterator[tuple[str, str]]:
    """The axes and poles that *text* stands on."""
    for axis, pole, pattern in UNSPACED_POLES.get(language, ()):
        if re.search(pattern, text):
            yield axis, pole


@cache
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    denial, other = UNSPACED[language]
    return re.compile(denial), re.compile(other)
