"""Print one digest over every prompt that the bundled packs build from the sample inputs."""

from __future__ import annotations

import json
import sys
from hashlib import sha256
from pathlib import Path

from assay.answers.assemble import assemble
from assay.contract.build import build
from assay.contract.material import Built
from assay.core.json.canonical import canonical
from assay.redaction.redactor import Redactor
from assay.runtime.calls.inputs import Refused, find_inputs, read_file
from assay.wiring import load_pack

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    redactor = Redactor(key="golden")
    total = sha256()
    count = 0
    pack = load_pack("intake")
    for path in find_inputs([str(ROOT / "examples" / "mails")], pack.source).taken:
        for item in read_file(path, pack.source, redactor):
            if isinstance(item, Refused):
                continue
            for contract in pack.ordered_contracts():
                for attempt in range(1, len(contract.attempts) + 1):
                    built = build(contract, item.material, attempt, redactor)
                    assert isinstance(built, Built), (path.name, contract.name)
                    total.update(built.prompt.text.encode("utf-8"))
                    total.update(built.prompt.redaction.text.encode("utf-8"))
                    count += 1
    folder = ROOT / "src" / "assay" / "packs" / "grounded" / "golden"
    for file in sorted(folder.glob("*.jsonl")):
        for case in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            if case["kind"] != "assemble":
                continue
            assembly = assemble(case["bundle"], case["question"], case.get("policy"))
            total.update(canonical(assembly.to_dict()))
            count += 1
    print(f"sha256:{total.hexdigest()} over {count} prompts")


if __name__ == "__main__":
    sys.exit(main())
