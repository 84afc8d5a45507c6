"""How well conversations about public services find the right service; no pass marks.

Without a model: where the lexical ranking of the service index puts the right service, asked with
its name and with the first words of its overview, among the services of its agency. With
`--embedded N`: N utterances through the stages with the embedded model (valid turns, and how often
it judged an inquiry, by kind; minutes each).
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

from assay.flow.slots import rank_rows
from assay.wiring import aopen, load_pack

CASES = Path(
    os.environ.get("ASSAY_CASES", Path(__file__).resolve().parents[2] / "shared" / "cases")
)
COLUMNS = ("name", "overview", "applicability_summary", "categories")
WORDS = 12


def ranking() -> None:
    table = load_pack("services").tables["service"]
    for asked in ("name", "overview"):
        first = third = 0
        for row in table.rows:
            rows = table.matching_rows({"agencyId": frozenset([row["agencyId"]])})
            question = " ".join(str(row[asked]).split()[:WORDS])
            order = rank_rows(rows, COLUMNS, question)
            place = [rows[at]["serviceKey"] for at in order].index(row["serviceKey"])
            first += place == 0
            third += place < 3
        total = len(table.rows)
        print(f"ranked by {asked}: first {first}/{total}, among three {third}/{total}")


async def embedded(count: int) -> None:
    file = CASES / "services" / "clinc150_sample.jsonl"
    sample = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    step = max(1, len(sample) // count)
    valid, inquiries, kinds = 0, Counter(), Counter()
    pack = load_pack("services")
    with tempfile.TemporaryDirectory() as folder:
        async with aopen(f"sqlite:///{folder}/q.db", "embedded") as runtime:
            for one in sample[::step][:count]:
                turn = await runtime.chat(pack, None, one["text"])
                kinds[one["kind"]] += 1
                valid += turn.outcome.status == "accepted"
                judged = turn.cached_state.get("judgement_v1", {})
                inquiries[one["kind"]] += judged.get("inquiry") is True
    print(f"embedded: {valid}/{sum(kinds.values())} turns valid to the end")
    for kind, total in kinds.items():
        print(f"  judged an inquiry: {kind} {inquiries[kind]}/{total}")


if __name__ == "__main__":
    ranking()
    if sys.argv[1:2] == ["--embedded"]:
        asyncio.run(embedded(int(sys.argv[2])))
