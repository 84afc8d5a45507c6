"""Where the public test data lies: `ASSAY_CASES`, else `shared/cases` beside the checkout."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASES = Path(os.environ.get("ASSAY_CASES") or ROOT.parent / "shared" / "cases")
