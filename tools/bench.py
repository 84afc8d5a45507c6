"""Speed and memory, as ratios to peers in the same run; no pass marks.

Runs every tools/bench_*.py in a process of its own.
"""

from __future__ import annotations

import sys

from quality import run_all

if __name__ == "__main__":
    sys.exit(min(1, run_all("bench_*.py")))
