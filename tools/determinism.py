"""Rebuild the golden prompts under several hash seeds, locales and time zones.

Prints one digest for each surrounding and exits 1 when any two differ. The digest covers the
bytes of every prompt of every bundled pack over the sample mails, and of the grounded pack's
assemblies. Other Python versions are tried too, where their environments are given:

    tools/determinism.py [PYTHON…]
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SURROUNDINGS = (
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Auckland"},
    {"PYTHONHASHSEED": "4242", "LC_ALL": "de_DE.UTF-8", "TZ": "America/New_York"},
    {"PYTHONHASHSEED": "random", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"},
)


def main() -> int:
    pythons = sys.argv[1:] or [sys.executable]
    digests = {}
    for python in pythons:
        for surroundings in SURROUNDINGS:
            done = subprocess.run(
                [python, str(ROOT / "tools" / "golden_prompts.py")],
                env={**os.environ, **surroundings},
                cwd="/",
                text=True,
                capture_output=True,
                check=False,
            )
            if done.returncode:
                print(done.stderr, file=sys.stderr)
                return 1
            name = f"{Path(python).name} " + " ".join(f"{k}={v}" for k, v in surroundings.items())
            digests[name] = done.stdout.strip()
            print(f"{digests[name]}  {name}")
    same = len(set(digests.values())) == 1
    print("determinism:", "identical" if same else "DIFFERENT")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
