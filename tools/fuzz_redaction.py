"""Mutate texts that hold personal data and check what must hold for every text.

    python tools/fuzz_redaction.py [--seconds N] [--seed S]

Checked for each text: no crash; redacting twice changes nothing; the spans are in order and lead
back to the original; no hidden value of three characters or more is left; every surrogate that
is shown is in the map. Then long texts are redacted at two lengths, and how the time grows is
printed. Leaves with 1 when something does not hold, and prints the text that shows it.
"""

from __future__ import annotations

import random
import re
import sys
import time
import traceback
from collections.abc import Iterator

from fuzzing import Growth, make_parser, measure_growth, print_growth

from assay.redaction.redactor import CLASSES, LIMIT, Redactor

SURROGATE = re.compile(rf"\[(?:{'|'.join(CLASSES)})_[0-9a-f]{{10}}\]")

VALUES = re.split(
    r"\|\n?",
    """jane@example.com|jane.doe%40example.com|jane (at) example.com|jane at example dot com|
max.müller@bücher.example|+49 30 / 123 45 67|+49 (0)30 - 1234567|0170/1234567|
030 12 34 56|(415) 555-0132|06 12 34 56 78|%2B4930123456|Durchwahl -4471|
+44 20 7946 0958|22 621 22 33|DE89 3704 0044 0532 0130 00|DE89.3704.0044.0532.0130.00|
GB82WEST12345698765432|4111 1111 1111 1111|4111.1111.1111.1111|078-05-1120|86095742719|
AB 12 34 56 C|Hauptstr.5|HAUPTSTRASSE 5|Hauptstraße 5, 10115 Berlin|10115 Berlin|
12 Main Street|Via Roma 12|14 bis rue des Lilas|ul. Długa 5|80-831 Gdańsk|
Laan van Meerdervoort 55|2517 AG Den Haag|P.O. Box 12|192.168.10.7|2001:db8::1|
ghp_16C7e42F292c6912E7710c838347Ae178B4a|AKIAIOSFODNN7EXAMPLE|3. Mai 1971|12.04.1985|
1990年5月3日|Jane Roe|Max Mustermann|王小明|山田太郎|김철수|محمد علي|דוד כהן|
7f0c1d22-b41e-4c3a-8046-2297501ef113|d41d8cd98f00b204e9800998ecf8427e|123456|1150 €|
2024-00312""",
)
WORDS = re.split(
    r"\|\n?",
    """Dear |Name: |My name is |mein Name ist |Mr. |Frau |Kind regards,\n|-- \n|geb. |born on |
DOB: |Tel.: |tel |call |unter |IBAN: |IBAN|BIC |password: |api_key=|Bearer |姓名：|様|さん|님|
السيد |שמי |श्री | und | or |, | / | - |\n|\n> |\r\n|\t|(|)|<|>|"|'|[|]|:|=|.|;|+|-|/|_|
#|@|%|*|€|0|1|12|2024|a|A|ß|é|ę|ж|中|[EMAIL_0123456789]|[PHONE_abcdef0123]|[NUMBER_|
0123456789]|\u200b|\u00a0|\u0301|\u2011|\ufe0f|ﬁ|１|½|\x00|\ud800|\U0001f600|Straße|
straße |str. |Street|rue |ul. |Berlin|Oakland, CA |wohnt in |aus |from """,
)


REPEATED = (
    "0 / ",
    "+49 30 ",
    "1.1.1.1 ",
    "a@",
    "A b ",
    "geb. ",
    "::1",
    "key=",
    "-----BEGIN PRIVATE KEY-----",
    "Straße ",
    "DE89 ",
    "\n> 1",
    "山田",
    "(at)",
    " Ann Lee,",
    "5 rue ",
    "%40",
    "\u0301",
    "0123456789abcdef",
)
"""What rules look for, to be repeated without end."""


def make_text(chance: random.Random) -> str:
    """Values and what stands around them, in any order, some of it damaged."""
    parts = []
    for _ in range(chance.randint(1, 14)):
        piece = chance.choice(VALUES if chance.random() < 0.5 else WORDS)
        if chance.random() < 0.25 and piece:
            piece = damage(piece, chance)
        parts.append(piece)
        if chance.random() < 0.4:
            parts.append(" ")
    return "".join(parts)


def damage(piece: str, chance: random.Random) -> str:
    """One character gone, doubled, exchanged, or put in; or another case."""
    at = chance.randrange(len(piece))
    way = chance.randrange(6)
    if way == 0:
        return piece[:at] + piece[at + 1 :]
    if way == 1:
        return piece[:at] + piece[at] + piece[at:]
    if way == 2:
        return piece[:at] + chance.choice(" -./\n0_xX\u00a0") + piece[at:]
    if way == 3:
        return piece[:at] + chance.choice("0123456789aZ. -") + piece[at + 1 :]
    return piece.upper() if way == 4 else piece.lower()


def find_fault(redactor: Redactor, text: str) -> str:
    """What does not hold for *text*; empty when all does."""
    once = redactor.redact(text)
    twice = redactor.redact(once.text)
    if (once.text, once.map) != (twice.text, twice.map) or twice.spans:
        return f"redacting twice: {once.text!r} and {twice.text!r}"
    parts, at = [], 0
    for span in once.spans:
        if not at <= span.start < span.stop <= len(text):
            return f"spans out of order: {span}"
        if span.surrogate != redactor.surrogate(span.cls, text[span.start : span.stop]):
            return f"a surrogate of another value: {span}"
        parts += [text[at : span.start], span.surrogate]
        at = span.stop
    if len(text) <= LIMIT and "".join([*parts, text[at:]]) != once.text:
        return "spans do not lead back to the original"
    left = SURROGATE.sub("\n", once.text)
    for span in once.spans:
        value = text[span.start : span.stop]
        if len(value) >= 3 and value in left:
            return f"a hidden value is left: {value!r}"
    if set(SURROGATE.findall(once.text)) - set(once.map):
        return "a surrogate is not in the map"
    return ""


def growths(redactor: Redactor, chance: random.Random) -> Iterator[Growth]:
    """Of texts of 60,000 characters to twice that: mixed, and single pieces repeated."""
    texts = {"mixed": "".join(make_text(chance) + " " for _ in range(800))}
    texts |= {repr(piece): piece * (60_000 // len(piece)) for piece in REPEATED}
    for name, text in texts.items():
        yield measure_growth(name, redactor.redact, text, text * 2)


def main() -> None:
    given = make_parser(__doc__).parse_args()
    chance = random.Random(given.seed)
    redactor = Redactor()
    count = faults = 0
    end = time.monotonic() + given.seconds
    while time.monotonic() < end and faults < 10:
        text = make_text(chance)
        count += 1
        try:
            fault = find_fault(redactor, text)
        except Exception:
            fault = traceback.format_exc()
        if fault:
            faults += 1
            print(f"FAULT in {text!r}\n  {fault}")
    print(f"{count} texts, {faults} faults, seed {given.seed}")
    print_growth(growths(redactor, random.Random(given.seed)))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
