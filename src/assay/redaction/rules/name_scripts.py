"""Names of people in scripts that know no capitals, by the places where they stand.

In      the text of a view
Out     ranges for class SIMPLE_NAME
Pure    yes, linear
Spec    interfaces.md, "Redaction": after a title, a label, an introduction

Without capitals a name ends where the script or its grammar says so: Chinese, Japanese and Korean
names are short and stand beside an honorific or behind a label; in Arabic, Hebrew, Devanagari, Thai
and the alphabets that have capitals but no rule here yet, two to four words follow a title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from assay.redaction.view import Range

_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff々"
_KANA: Final = "\u3041-\u3096\u30a1-\u30fa\u30fc"
_HANGUL: Final = "\uac00-\ud7a3"
_SAY: Final = r"[ ]?[:=：][ ]?"

_SURNAMES: Final = (
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁"
    "邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹鄒熊金"
    "陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文"
)
_JAPANESE_NO_NAME: Final = frozenset(
    (
        "お客",
        "担任",
        "老师",
        "老師",
        "医生",
        "大学",
        "学校",
        "医学",
        "女性",
        "男性",
        "代表",
        "副",
        "営業",
        "皆",
        "皆々",
        "神",
        "王",
        "奥",
        "お母",
        "お父",
        "母",
        "父",
        "兄",
        "姉",
        "先",
        "各位",
        "御",
        "お嬢",
        "患者",
        "利用者",
        "担当者",
        "お子",
        "店員",
        "業者",
        "大家",
        "隣人",
    )
)
_CHINESE_NO_NAME: Final = frozenset(
    ("老", "各位", "这位", "那位", "一位", "该", "某", "医", "尊敬的")
)
_KOREAN_NO_NAME: Final = frozenset(
    (
        "고객",
        "하나",
        "하느",
        "예수",
        "스님",
        "선생",
        "사장",
        "부장",
        "과장",
        "대리",
        "팀장",
        "여러분",
        "담당자",
        "손",
        "어머",
        "아버",
        "부모",
        "교수",
        "회원",
        "기사",
        "의사",
        "원장",
        "임차인",
        "집주인",
        "사모",
        "형",
        "누",
    )
)

_PATTERNS: Final[tuple[tuple[str, frozenset[str]], ...]] = (
    # Chinese and Japanese: a label, then the name.
    (
        rf"(?:姓名|名字|全名|联系人|聯絡人|投保人|被保险人|被保險人|收件人|寄件人|客户|申请人|户名|"
        rf"名前|氏名|お名前|ご氏名|宛名|担当|契約者|被保険者|差出人|ローマ字|フリガナ|ふりがな)"
        rf"(?:{_SAY}|[ ]{{1,3}})"
        rf"(?P<name>[{_HAN}{_KANA}]{{1,6}}(?:[ ・·][{_HAN}{_KANA}]{{1,8}}){{0,2}})",
        frozenset(("不明", "未知", "匿名", "なし", "様")),
    ),
    # Chinese: an introduction, a form of address.
    (
        rf"(?:我叫|我的名字(?:是|叫)|我名叫|本人(?:姓名)?(?:叫|是)|我是(?=[{_SURNAMES}]))[ ]?"
        rf"(?P<name>[{_SURNAMES}][{_HAN}]{{1,2}}|[{_HAN}]{{2,3}})"
        rf"(?=[，,。.！!；;、 \n\r]|$|来自|住|今年|是|"
        rf"的)",
        frozenset(),
    ),
    (
        rf"(?P<name>[{_SURNAMES}][{_HAN}]{{0,2}}?)(?:先生|女士|小姐|太太|老师|老師|医生|醫生|经理|經理|律师|律師|同志)",
        _CHINESE_NO_NAME,
    ),
    # Japanese: an honorific behind, an introduction.
    (
        rf"(?<![お御{_HAN}])(?P<name>[{_HAN}]{{1,4}}(?:[ ]?[{_HAN}]{{1,3}})?|"
        rf"(?<![{_KANA}])[\u30a1-\u30fa\u30fc]{{2,8}})"
        r"(?:様|さま|さん|先生|部長|課長|社長|氏(?![名族])|殿|君(?=[はがをにへと、。])|ちゃん)",
        _JAPANESE_NO_NAME,
    ),
    (
        rf"(?:私は|わたしは|私の名前は|名前は|と申します。|こちらは)[ ]?"
        rf"(?P<name>[{_HAN}]{{2,5}}(?:[ ][{_HAN}]{{1,3}})?|"
        rf"[{_HAN}{_KANA}]{{2,8}}?)(?=と申し|といい|と言い|です|でございます)",
        frozenset(("会社員", "学生", "日本人", "契約者", "被害者", "加害者")),
    ),
    # Korean
    (
        rf"(?:이름|성명|성함|고객명|계약자|피보험자|수신인|발신인|담당자|예금주){_SAY}(?P<name>[{_HANGUL}]{{2,5}})",
        _KOREAN_NO_NAME,
    ),
    (
        rf"(?<![{_HANGUL}])(?:저는|제[ ]?이름은|나는)[ ]"
        rf"(?P<name>[{_HANGUL}]{{2,4}}?)(?=입니다|이라고|라고|이에요|예요)",
        frozenset(
            ("학생", "회사원", "고객", "하나", "하느", "예수", "스님", "세입자", "한국인", "임차인")
        ),
    ),
    (
        rf"(?<![{_HANGUL}])(?P<name>[{_HANGUL}]{{2,4}}?)[ ]?"
        rf"(?:(?:부장|과장|대리|사장|팀장|교수|선생|이사)?님|"
        rf"씨)(?=[^{_HANGUL}]|께|의|은|는|이|가|을|를|에게|$)",
        _KOREAN_NO_NAME,
    ),
    # Arabic
    (
        r"(?:السيدة?|الأستاذة?|الدكتورة?|الآنسة|اسمي|إسمي|انا اسمي|الاسم[ ]?:|"
        r"الاسم الكامل[ ]?:)[ ]{1,2}"
        r"(?P<name>(?!الرئيس|المدير|الوزير|المحترم|الكريم)"
        r"[\u0621-\u064a]{2,14}(?:[ ](?!و[\u0621-\u064a]{4}|في |من |على |الى |إلى |عن |المحترم)"
        r"[\u0621-\u064a]{2,14}){0,3})",
        frozenset(),
    ),
    # Hebrew
    (
        r"(?:שמי|שמו|שמה|קוראים לי|מר|גב'|גברת|אדון|ד\"ר|עו\"ד|פרופ'|שם[ ]?:|שם מלא[ ]?:)[ ]{1,2}"
        r"(?P<name>[\u05d0-\u05ea'\"-]{2,14}(?:[ ](?!אני|גר|הוא|היא|של|את|על|"
        r"עם)[\u05d0-\u05ea'\"-]{2,14}){0,2})",
        frozenset(),
    ),
    # Devanagari
    (
        r"(?:श्रीमती|श्रीमान|श्री|सुश्री|डॉ\.?|कुमारी|मेरा नाम|नाम[ ]?:)[ ]{1,2}"
        r"(?P<name>[\u0904-\u0963]{2,16}(?:[ ](?!है|हूँ|हूं|और|का|की|के|को|ने|से|जी|में|"
        r"पर)[\u0904-\u0963]{2,16}){0,2})",
        frozenset(("है", "महोदय", "मान")),
    ),
    # Thai
    (
        r"(?:นาย|นางสาว|นาง|คุณ|ดิฉันชื่อ|ผมชื่อ|ชื่อ[ ]?:?)"
        r"[ ]?(?P<name>[\u0e01-\u0e4e]{2,20}[ ][\u0e01-\u0e4e]{2,24})",
        frozenset(),
    ),
    # Cyrillic and Greek have capitals
    (
        r"(?:(?i:меня зовут|мо[её] имя|мене звати|казвам се|зовем се|г-н|г-жа|господин|госпожа|"
        r"гражданин|"
        r"уважаем(?:ый|ая)|шановн(?:ий|а)|пан[іi]?|фио[ ]?:|имя[ ]?:|фамилия[ ]?:|"
        r"с уважением,?\r?\n))[ ]{0,2}"
        r"(?P<name>[\u0401-\u042f][\u0430-\u045f'-]{1,20}"
        r"(?:[ ](?:[\u0401-\u042f]\.[ ]?){0,2}[\u0401-\u042f][\u0430-\u045f'-]{1,24}){0,2})",
        frozenset(("клиент", "клиентка", "господа", "коллеги")),
    ),
    (
        r"(?:(?i:με λένε|ονομάζομαι|το όνομά μου είναι|κύριος?|κυρία|κύριε|κ\.|κα\.?|αγαπητέ|"
        r"αγαπητή|όνομα[ ]?:|"
        r"ονοματεπώνυμο[ ]?:))[ ]{1,2}"
        r"(?P<name>[\u0386-\u03ab][\u03ac-\u03ce]{1,20}"
        r"(?:[ ][\u0386-\u03ab][\u03ac-\u03ce]{1,24}){0,2})",
        frozenset(),
    ),
)
_COMPILED: Final = tuple((re.compile(pattern), never) for pattern, never in _PATTERNS)
_PREFIXES: Final = ("尊敬的", "亲爱的", "这位", "那位", "および", "株式会社")


def find_names_without_case(text: str) -> Iterator[Range]:
    """Names beside what only stands beside names, in no order."""
    for pattern, never in _COMPILED:
        for match in pattern.finditer(text):
            name = match["name"]
            if name.strip() and name.lower() not in never and not name.startswith(_PREFIXES):
                yield match.span("name")
