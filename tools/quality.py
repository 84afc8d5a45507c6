"""Figures on labelled data, one table after the other; no pass marks.

Runs every tools/quality_*.py in a process of its own, so that one that lacks its data or its
model says so and the others go on.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def run_all(pattern: str) -> int:
    """Run the tools whose names match *pattern*, in order; how many failed."""
    failed = 0
    for tool in sorted(HERE.glob(pattern)):
        title = (tool.read_text(encoding="utf-8").split('"""')[1]).strip().splitlines()[0]
        print(f"\n## {tool.stem}: {title}", flush=True)
        failed += subprocess.run([sys.executable, str(tool)], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(min(1, run_all("quality_*.py")))
