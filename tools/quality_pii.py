"""Score redaction on the public personal-data cases and print figures; no pass marks.

    python tools/quality_pii.py [--cases FOLDER] [--peer presidio|datafog|scrubadub] [--misses]
        [--names MODEL]

Scored as the README beside the cases says. `--peer` scores what the rules of another program
find in the same texts, where that package is installed; `--names` adds a model for names, as
ASSAY_RECOGNISER_MODEL does.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from peers_redaction import PEERS, Found, Scanner
from public_data import CASES

from assay.redaction.redactor import DEFAULT_REGIONS, Recogniser, Redactor

REQUIRED = ("iban", "credit_card", "email", "phone")
SCORED = ("EMAIL", "PHONE", "ID_CODE", "NUMBER", "SIMPLE_NAME", "ADDRESS_LINE")
NO_PHONE = ("DATE_TIME", "CREDIT_CARD", "IBAN_CODE", "STREET_ADDRESS")


def assay_scanner(regions: Iterable[str] = DEFAULT_REGIONS, names: str = "") -> Scanner:
    recognisers: tuple[Recogniser, ...] = ()
    if names:
        from assay.adapters.presidio import PresidioRecogniser

        recognisers = (PresidioRecogniser.create(model=names),)
    redactor = Redactor(regions=tuple(regions), recognisers=recognisers)
    return lambda text: [(s.start, s.stop, s.cls) for s in redactor.redact(text).spans]


def rows(cases: Path, name: str) -> Iterator[dict[str, Any]]:
    with (cases / "pii" / name).open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def right(entry: dict[str, Any]) -> set[str]:
    return {entry["class"], *entry["also_right"]} - {None}


def hidden(found: Found, start: int, stop: int) -> bool:
    """Whether no character of the range is left."""
    at = start
    for a, b, _ in sorted(found):
        if a <= at < b:
            at = b
    return at >= stop


def score_research(cases: Path, scan: Scanner, show: bool) -> None:
    mapping = json.loads((cases / "pii" / "mapping.json").read_text())["presidio_research"]
    hit: Counter[str] = Counter()
    total: Counter[str] = Counter()
    good: Counter[str] = Counter()
    made: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    survived = 0
    misses = []
    for row in rows(cases, "presidio_research.jsonl"):
        text, found = row["text"], scan(row["text"])
        left = list(text)
        for a, b, _ in found:
            left[a:b] = "\0" * (b - a)
        rest = "".join(left)
        for span in row["spans"]:
            cls = mapping[span["category"]]["class"]
            if cls is None:
                continue
            whole = hidden(found, span["start"], span["stop"])
            for name in {cls, span["category"]}:
                total[name] += 1
                hit[name] += whole
            survived += whole and span["text"] in rest
            if not whole and cls in SCORED[:4]:
                misses.append((span["category"], span["text"], text[: span["start"]][-25:]))
        for a, b, cls in found:
            over = [s for s in row["spans"] if s["start"] < b and a < s["stop"]]
            made[cls] += 1
            fits = any(cls in right(mapping[s["category"]]) for s in over)
            unscored = over and all(mapping[s["category"]]["class"] is None for s in over)
            good[cls] += fits
            if not fits:
                if unscored:
                    made[cls] -= 1
                else:
                    misses.append((f"not {cls}", text[a:b], text[:a][-25:]))
            if cls == "PHONE":
                wrong.update({s["category"] for s in over if s["category"] in NO_PHONE})
    print("presidio_research: recall (no character left), precision (surrogates that are right)")
    for name in SCORED:
        recall = f"{hit[name]}/{total[name]}" if total[name] else "-"
        share = f"{hit[name] / total[name]:.3f}" if total[name] else "-"
        precise = f"{good[name] / made[name]:.3f}" if made[name] else "-"
        print(
            f"  {name:14} recall {share:>6} {recall:>9}   precision {precise:>6} "
            f"{good[name]}/{made[name]}"
        )
    for name in ("CREDIT_CARD", "IBAN_CODE", "US_SSN", "US_DRIVER_LICENSE"):
        print(f"    {name:20} {hit[name]}/{total[name]}")
    print(f"  taken for PHONE: {dict(wrong)}; hidden values left elsewhere: {survived}")
    if show:
        for miss in misses:
            if "SIMPLE_NAME" not in miss[0] and "ADDRESS" not in miss[0]:
                print("   ", miss)


def score_recognisers(cases: Path, scan: Scanner, show: bool) -> None:
    mapping = json.loads((cases / "pii" / "mapping.json").read_text())["recogniser_cases"]
    good: Counter[str] = Counter()
    total: Counter[str] = Counter()
    claimed: Counter[str] = Counter()
    none: Counter[str] = Counter()
    misses = []
    for row in rows(cases, "recogniser_cases.jsonl"):
        kind = row["recogniser"]
        if mapping.get(kind, {}).get("class") is None:
            continue
        found = scan(row["text"])
        if row["expected_count"]:
            total[kind] += 1
            spans = row["expected_spans"] or []
            if spans and isinstance(spans[0], int):
                spans = [spans]
            whole = all(hidden(found, s[0], s[1]) for s in spans) and bool(spans or found)
            good[kind] += whole
            if not whole and kind in REQUIRED:
                misses.append((kind, row["text"], found))
        else:
            none[kind] += 1
            cls = {"iban": "ID_CODE", "credit_card": "ID_CODE", "email": "EMAIL", "phone": "PHONE"}
            faulty = kind in REQUIRED and any(c == cls[kind] for _, _, c in found)
            claimed[kind] += faulty
            if faulty:
                misses.append((f"no {kind}", row["text"], found))
    print("recogniser_cases: positives hidden; negatives claimed as that very kind")
    for kind in REQUIRED:
        print(f"  {kind:14} {good[kind]}/{total[kind]}   claimed {claimed[kind]}/{none[kind]}")
    rest = [kind for kind in total if kind not in REQUIRED]
    print(
        f"  the {len(rest)} others (default regions): "
        f"{sum(good[k] for k in rest)}/{sum(total[k] for k in rest)}"
    )
    if show:
        print("   ", *misses, sep="\n    ")


def score_validatorjs(cases: Path, scan: Scanner, show: bool) -> None:
    mapping = json.loads((cases / "pii" / "mapping.json").read_text())["validatorjs"]
    good: Counter[str] = Counter()
    any_class: Counter[str] = Counter()
    total: Counter[str] = Counter()
    faulty = negatives = 0
    misses = []
    scanners: dict[tuple[str, ...], Scanner] = {}
    for row in rows(cases, "validatorjs.jsonl"):
        kind = row["validator"]
        classes = right(mapping[kind])
        if not mapping[kind]["class"]:
            continue
        text = row["text"]
        if row["valid"]:
            total[kind] += 1
            found = scan(text)
            fits = any(c in classes for _, _, c in found)
            good[kind] += fits
            any_class[kind] += hidden(found, 0, len(text)) or fits
            if not fits and kind in ("isEmail", "isIBAN", "isCreditCard"):
                misses.append((kind, text, found))
            region = locale_region(row["args"])
            if kind == "isMobilePhone" and region:
                total["… with its region"] += 1
                try:
                    scanner = scanners.setdefault((region,), assay_scanner((region,)))
                except Exception:
                    continue
                good["… with its region"] += any(c in classes for _, _, c in scanner(text))
        elif kind == "isEmail" and row["args"] == []:
            negatives += 1
            whole = any((a, b, c) == (0, len(text), "EMAIL") for a, b, c in scan(text))
            faulty += whole
            if whole:
                misses.append(("no isEmail", text))
    print("validatorjs: valid texts under a right class (hidden under any class)")
    for kind in total:
        print(f"  {kind:18} {good[kind]}/{total[kind]} ({any_class[kind]})")
    print(f"  invalid e-mail addresses taken whole: {faulty}/{negatives}")
    if show:
        print("   ", *misses, sep="\n    ")


def locale_region(args: list[Any]) -> str:
    if not args:
        return ""
    first = args[0][0] if isinstance(args[0], list) else args[0]
    return first[-2:] if "-" in first else ""


def score_phones(cases: Path, scan: Scanner, show: bool) -> None:
    outcome: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for row in rows(cases, "phone_matcher.jsonl"):
        for label, scanner in (("its region", assay_scanner((row["region"],))), ("default", scan)):
            phones = [f for f in scanner(row["text"]) if f[2] == "PHONE"]
            if row["expected"] == "phone":
                met = hidden(phones, 0, len(row["text"]))
            elif row["expected"] == "no_phone":
                met = not phones
            else:
                continue
            outcome[f"{row['expected']}, {label}"][met] += 1
            if show and not met:
                print("   ", row)
    print("phone_matcher: expectations met")
    for name, counts in sorted(outcome.items()):
        print(f"  {name:24} {counts[True]}/{sum(counts.values())}")


def score_addresses(cases: Path, scan: Scanner, show: bool) -> None:
    got = [(row["text"], scan(row["text"])) for row in rows(cases, "addresses.jsonl")]
    hits = sum(any(c == "ADDRESS_LINE" for _, _, c in found) for _, found in got)
    print(f"addresses: {hits}/{len(got)} with an ADDRESS_LINE (some hold no street)")
    if show:
        print("   ", *(t for t, found in got if not found), sep="\n    ")


def score_personal(cases: Path, scan: Scanner, show: bool) -> None:
    """Texts in seven languages: a value counts when none of it is left under its class.

    Titles in front of a name may stay: two letters name the same person with and without one.
    """
    file = cases / "reports" / "personal.jsonl"
    if not file.is_file():
        return
    hit: Counter[str] = Counter()
    total: Counter[str] = Counter()
    good: Counter[str] = Counter()
    made: Counter[str] = Counter()
    lines = []
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        text, found = row["text"], scan(row["text"])
        for span in row["spans"]:
            start, cls = span["start"], span["class"]
            if cls == "SIMPLE_NAME":
                title = re.match(r"(?:Herrn?|Frau|Mme|M\.)[ ]", text[start : span["stop"]])
                start += len(title[0]) if title else 0
            same = [f for f in found if f[2] == cls]
            total[cls] += 1
            hit[cls] += hidden(same, start, span["stop"])
            if not hidden(same, start, span["stop"]):
                lines.append(f"not found, {row['language']}: {cls} {text[start : span['stop']]!r}")
        for a, b, cls in found:
            fits = any(s["class"] == cls and s["start"] < b and a < s["stop"] for s in row["spans"])
            made[cls] += 1
            good[cls] += fits
            if not fits:
                lines.append(f"not labelled, {row['language']}: {cls} {text[a:b]!r}")
    print("personal (reports): recall under the right class, precision")
    for name in SCORED:
        if total[name] or made[name]:
            print(f"  {name:14} {hit[name]}/{total[name]}   right {good[name]}/{made[name]}")
    if show:
        print("   ", *lines, sep="\n    ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--peer", choices=sorted(PEERS))
    parser.add_argument("--names", default="", metavar="MODEL")
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    if not (given.cases / "pii").is_dir():
        sys.exit("NO TEST DATA: name the folder of the cases with --cases")
    scan = PEERS[given.peer]() if given.peer else assay_scanner(names=given.names)
    print(f"# {given.peer or 'assay'}")
    for score in (
        score_research,
        score_recognisers,
        score_validatorjs,
        score_phones,
        score_addresses,
        score_personal,
    ):
        score(given.cases, scan, given.misses)


if __name__ == "__main__":
    main()
