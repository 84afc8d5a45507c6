"""What the signs of `intake` find, and how many harmless mails they hold; no pass marks.

    python tools/quality_signs.py [--misses]

The sentences stand in `quality_signs.yaml`. No model is asked.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml

from assay.contract.signs import find_signs
from assay.core.text.spans import Shown
from assay.wiring import load_pack

SENTENCES = Path(__file__).with_name("quality_signs.yaml")


def main() -> int:
    """Print the two tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--misses", action="store_true", help="list what was missed and held")
    parser.add_argument("--cases", help="not needed here")
    given = parser.parse_args()
    rule = load_pack("intake").contract("classify").signs
    if rule is None:
        raise SystemExit("the pack has no signs")
    signs = [sign for sign, _ in rule.signs]

    def found(text: str) -> set[str]:
        return {sign.name for sign, _, _ in find_signs(signs, [Shown.of_text("body", text)])}

    listed: dict[str, Any] = yaml.safe_load(SENTENCES.read_text(encoding="utf-8"))
    benign = listed.pop("benign")
    for style, by_sign in listed.items():
        missed = {
            name: [text for text in texts if name not in found(text)]
            for name, texts in by_sign.items()
        }
        told = [
            f"{name} {len(texts) - len(missed[name])}/{len(texts)}"
            for name, texts in by_sign.items()
        ]
        print(f"{style + ': found':20}{', '.join(told)}")
        if given.misses:
            for name, texts in missed.items():
                print(*(f"  {name}: {text}" for text in texts), sep="\n")
    held = [text for text in benign if found(text)]
    print(f"{'benign: held':20}{len(held)}/{len(benign)}")
    if given.misses:
        print(*(f"  {text}" for text in held), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
