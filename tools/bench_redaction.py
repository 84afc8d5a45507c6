"""Time redaction: ordinary text beside peers, prompts, and the worst inputs we can construct.

    python tools/bench_redaction.py [--cases FOLDER] [--size MB]

Peers (datafog, scrubadub, presidio-analyzer's pattern recognisers) are timed in the same run
where they are installed; speeds are in UTF-8 bytes of input, best of three in CPU time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

from peers_redaction import PEERS, Scanner
from public_data import CASES
from quality_pii import assay_scanner, score_research

from assay.redaction.redactor import Redactor
from assay.templates.template import make_template, render


def research_text(cases: Path) -> str:
    with (cases / "pii" / "presidio_research.jsonl").open(encoding="utf-8") as lines:
        return "\n\n".join(json.loads(line)["text"] for line in lines)


def mail_text(cases: Path, size: int) -> str:
    """Readable lines of real mails: what a contract shows a model, without encoded parts."""
    kept: list[str] = []
    total = 0
    for path in sorted((cases / "email").rglob("*")):
        if not path.is_file():
            continue
        for line in path.read_bytes().decode("utf-8", "replace").splitlines():
            words = line.split()
            if len(words) >= 3 and max(map(len, words)) < 60:
                kept.append(line)
                total += len(line) + 1
        if total > size:
            break
    text = "\n".join(kept)
    return (text * (size // max(1, len(text)) + 1))[:size]


def best(work: Callable[[], object], rounds: int = 3) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def worst_inputs(n: int) -> dict[str, str]:
    """Texts built against one rule each, of *n* code points."""
    pieces = {
        "digits": "1",
        "digit words": "1 ",
        "zero words": "01 ",
        "pairs with dots": "12.34.",
        "plus signs": "+",
        "plus numbers": "+49 1 ",
        "parentheses": "(1)",
        "open parentheses 1": "(1",
        "dashes and digits": "1-",
        "seven digits apart": "1234567     ",
        "letters": "a",
        "capitals": "A",
        "capital words": "Aa ",
        "at signs": "@",
        "a@": "a@",
        "a.": "a.",
        "a@a.": "a@a.",
        "quotes": '"',
        "quoted locals": '"a"@',
        "almost emails": "a@b.c ",
        "emails": "a@b.cd ",
        "iban starts": "DE89",
        "iban starts apart": "DE89 3704 ",
        "all ibans": "DE89370400440532013000 ",
        "card fours": "4111 ",
        "cards": "4111111111111111 ",
        "hex and dashes": "0123abcd-",
        "uuids": "7f0c1d22-b41e-4c3a-8046-2297501ef113 ",
        "labels": "passport number ",
        "labels and digits": "SSN: 1 ",
        "streets": "Main Street ",
        "street suffixes": "St ",
        "house numbers": "5 A St ",
        "strassen": "Hauptstraße 5, 10115 ",
        "rue": "5 rue ",
        "calle": "Calle A A A A A A ",
        "am": "Am A 5, ",
        "calle and units": "C/ A 5, 2o B, esc. C, ",
        "via and slashes": "Via A 5/A/5/A/",
        "gracht": "Agracht 1-II, 1015 CJ A ",
        "ordinals": "Via A 5, 2o 3o 4o 5o ",
        "provinces": "Via A 5, 20121 A (AA) ",
        "bank codes": "BIC COBADEFF ",
        "bank labels": "SWIFT BIC code ",
        "ibans and bank codes": "DE89370400440532013000 COBADEFF ",
        "postal": "12345 ",
        "greetings": "Dear ",
        "greetings and names": "Dear Aa Bb ",
        "titles": "Mr. ",
        "names": "Mr. Xyz ",
        "distinct names": "",
        "distinct emails": "",
        "distinct phones": "",
        "sign-offs": "Regards,\n",
        "name labels": "Name: ",
        "signatures": "\n-- \n",
        "surrogates": "[EMAIL_0123456789]",
        "surrogate starts": "[EMAIL_",
        "brackets": "[",
        "newlines": "\n",
        "spaces": " ",
        "zero-width": "\u200b",
        "zero-width digits": "1\u200b",
        "combining marks": "\u0301\u0316",
        "decomposed": "e\u0301",
        "ligatures": "\ufb03",
        "phrases": "\ufdfa",
        "full-width digits": "\uff11",
        "arabic digits": "\u0661\u0662 ",
        "barriers": "\uffff",
        "emoji": "\U0001f469\u200d\U0001f4bb",
        "base64": "QWxhZGRpbjpvcGVuIHNlc2FtZQ8zMDEyMzQ1Njc4OTAxMg",
        "json": '{"name": "Jane Roe", "phone": "+49 30 1234567", "id": 12345678},',
        "one word with a name": "",
    }
    built = {name: (piece * (n // len(piece) + 1))[:n] for name, piece in pieces.items() if piece}
    built["distinct names"] = "".join(f"Mr. Ab{_letters(i)}\n" for i in range(n // 11))
    built["distinct emails"] = "".join(f"a{i}@b{i}.de " for i in range(n // 17))
    built["distinct phones"] = "".join(f"+49 30 {i % 1000:03d} {i:05d} " for i in range(n // 18))
    built["one word with a name"] = "Mr. Abc " + "Abc" * (n // 3)
    return built


def _letters(number: int) -> str:
    out = ""
    for _ in range(5):
        number, digit = divmod(number, 26)
        out += chr(97 + digit)
    return out


def peers() -> dict[str, Scanner]:
    """Those that are installed."""
    found = {}
    for name, make in PEERS.items():
        try:
            found[name] = make()
        except ImportError:
            print(f"{name} is not installed")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--size", type=float, default=1.0, help="megabytes of each worst input")
    given = parser.parse_args()
    redactor = Redactor()

    if (given.cases / "pii").is_dir():
        texts = {
            "mail lines, 1 MB": mail_text(given.cases, 1_000_000),
            "generated personal data": research_text(given.cases) * 4,
        }
        others = peers()
        for name, text in texts.items():
            size = len(text.encode()) / 1e6
            spent = best(lambda text=text: redactor.redact(text))
            print(f"{name:26} assay {size / spent:7.2f} MB/s")
            for peer, scan in others.items():
                part = text if peer == "datafog" else text[:100_000]  # the others take minutes
                took = best(lambda scan=scan, part=part: scan(part), 1)
                print(f"{'':26} {peer} {len(part.encode()) / 1e6 / took:7.2f} MB/s")
        for name, scan in {"assay": assay_scanner(), **others}.items():
            print(f"# {name}")
            score_research(given.cases, scan, False)
    else:
        print("NO TEST DATA: ordinary text is not timed; name the folder with --cases")

    for size in (4_000, 200_000):
        template = make_template(
            name="bench", role="writer", version=1, body="Mail:\n{{mail}}\nAnswer as JSON.\n"
        )
        filler = "Dear Jane Roe, the claim of 12 May was paid to your account. " * (size // 60)
        took = best(lambda t=template, f=filler: redactor.redact(render(t, {"mail": f}).text))
        print(f"render and redact {size // 1000:4} KB  {took * 1000:8.2f} ms")

    amount = int(given.size * 1e6)
    print(f"worst inputs, {amount} code points each (and half as many, for linearity)")
    for name, text in worst_inputs(amount).items():
        whole = best(lambda text=text: redactor.redact(text), 1)
        half = best(lambda text=text: redactor.redact(text[: len(text) // 2]), 1)
        print(f"  {name:22} {whole:7.2f} s  ratio to half {whole / max(half, 1e-9):5.2f}")


if __name__ == "__main__":
    main()
