"""How long the gate takes, as ratios to a bare `json.loads` in the same run.

In      nothing: one typical classification is built here (2 KB of output, 8 KB of mail)
Out     a table on standard output: p50 and p99 in microseconds, and the ratio of the medians
Pure    no: reads a clock

Every row is measured in turn with every other, call by call, so that a busy machine slows all
of them alike. Rows of peers appear when the package is installed.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter_ns
from typing import Any

import assay
from assay.contract.contract import Contract
from assay.core.text.spans import Shown
from assay.gate.gate import GateContext, judge
from assay.wiring import load_pack

ROUNDS = 4000
WARM_UP = 200
BASE = "json.loads"
BODY_BYTES = 8000
_WORDS = """
    wir melden hiermit einen Schaden durch Wasser in der Küche weil gestern Abend das Rohr unter
    Spüle geplatzt ist und der Boden bis zum Flur nass wurde bitte schicken Sie uns möglichst
    schnell jemanden vorbei denn Nachbarn haben sich schon beschwert auch Möbel sowie Teppich
    sind betroffen Fotos liegen bei Rechnung folgt nächste Woche falls Fragen bestehen rufen an
    oder schreiben zurück unsere Versicherung läuft seit vielen Jahren ohne Vorfall
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table."""

    name: str
    p50_us: float
    p99_us: float
    ratio: float
    """Median over the median of `json.loads`."""


def mail() -> tuple[str, str]:
    """Subject and body of a long mail, about 8 KB: sentences of ordinary German words."""
    vocabulary = _WORDS.split()
    seed, lines, size = 7, [], 0
    while size < BODY_BYTES:
        words = []
        for _ in range(14):
            seed = (seed * 1103515245 + 12345) % 2**31
            words.append(vocabulary[(seed >> 12) % len(vocabulary)])
        lines.append(" ".join(words).capitalize() + ".")
        size += len(lines[-1].encode()) + 1
    return "Wasserschaden in unserem Haus, Schadennummer 4711-0815", "\n".join(lines)


def reply(body: str) -> str:
    """A classification whose snippets are sentences from all over *body*, about 2 KB."""
    lines = body.split("\n")
    quotes = iter(lines[2 :: len(lines) // 12])

    def part(label: str, confidence: float, quoted: int = 1) -> dict[str, Any]:
        snippets = [next(quotes) for _ in range(quoted)]
        return {"label": label, "confidence": confidence, "evidence_snippets": snippets}

    return json.dumps(
        {
            "intents": [
                part("INTENT_CLAIM_NEW", 0.91, 2),
                part("INTENT_DOCUMENT_SUBMISSION", 0.64),
                part("INTENT_COMPLAINT", 0.58),
            ],
            "primary_intent": "INTENT_CLAIM_NEW",
            "product_line": part("PROD_PROPERTY", 0.88),
            "urgency": part("URG_HIGH", 0.72),
            "risk_flags": [
                part("RISK_PRIVACY_SENSITIVE", 0.55),
                part("RISK_LEGAL_THREAT", 0.51),
                part("RISK_AUTOREPLY_LOOP", 0.5),
            ],
        },
        indent=2,
        ensure_ascii=False,
    )


def rows(rounds: int = ROUNDS) -> list[Row]:
    """Measure everything; the first row is the bare `json.loads`."""
    subject, body = mail()
    text = reply(body)
    raw = text.encode()
    folded = text.replace(" und ", " und  ").replace(" der ", "\\n der ").encode()
    contract = load_pack("intake").contract("classify")
    shown = (Shown.of_text("subject", subject), Shown.of_text("body", body))
    without_rules = tuple(check for check in contract.checks if check not in contract.rules)

    def gate(output: bytes, checks: Any) -> Callable[[], Any]:
        schema, context = contract.schema, GateContext(shown=shown, raw=output)
        return lambda: judge(output, context, checks, schema=schema, finish_reason="stop")

    subjects: dict[str, Callable[[], Any]] = {
        BASE: lambda: json.loads(text),
        "gate: strict JSON and schema": gate(raw, ()),
        "gate: and labels, evidence": gate(raw, without_rules),
        "gate: and rules in CEL": gate(raw, contract.checks),
        "gate: all, snippets folded": gate(folded, contract.checks),
        "gate: all, by assay.judge": lambda: assay.judge(
            contract, text, sources={"subject": subject, "body": body}, finish_reason="stop"
        ),
        **_peers(contract, text, raw),
    }
    for name, run in subjects.items():
        verdict = run()
        if name.startswith("gate") and not verdict.accepted:
            raise SystemExit(f"{name}: {[finding.code for finding in verdict.findings]}")
    times = _measure(subjects, rounds)
    base = _at(times[BASE], 0.5)
    return [
        Row(
            name=name,
            p50_us=_at(taken, 0.5) / 1000,
            p99_us=_at(taken, 0.99) / 1000,
            ratio=_at(taken, 0.5) / base,
        )
        for name, taken in times.items()
    ]


def _measure(subjects: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[int]]:
    times: dict[str, list[int]] = {name: [] for name in subjects}
    for run in subjects.values():
        for _ in range(WARM_UP):
            run()
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, run in subjects.items():
                start = perf_counter_ns()
                run()
                times[name].append(perf_counter_ns() - start)
    finally:
        gc.enable()
    return times


def _at(taken: list[int], share: float) -> float:
    ordered = sorted(taken)
    return float(ordered[min(len(ordered) - 1, int(len(ordered) * share))])


def _peers(contract: Contract, text: str, raw: bytes) -> dict[str, Callable[[], Any]]:
    """What else reads such an output; none of it locates evidence or checks labels."""
    schema: Any = contract.schema.document
    found: dict[str, Callable[[], Any]] = {}
    jiter, jsonschema_rs = import_module("jiter"), import_module("jsonschema_rs")
    fast = jsonschema_rs.Draft202012Validator(schema)
    found["peer: bare jiter + jsonschema-rs"] = lambda: fast.is_valid(
        jiter.from_json(raw, catch_duplicate_keys=True)
    )
    for name, build in (("fastjsonschema", _fastjsonschema), ("jsonschema", _jsonschema)):
        try:
            found[f"peer: json.loads + {name}"] = build(import_module(name), schema, text)
        except ImportError:
            continue
    parse = _instructor(text)
    if parse is not None:
        found["peer: Instructor's parse"] = parse
    try:
        repair = import_module("json_repair")
        found["peer: json_repair"] = lambda: repair.loads(text)
    except ImportError:
        pass
    return found


def _instructor(text: str) -> Callable[[], Any] | None:
    """Instructor's parse of a reply into a pydantic model; None where it is not installed."""
    try:
        import instructor
        from instructor.function_calls import openai_schema
        from openai.types.chat import ChatCompletion
        from pydantic import BaseModel
    except ImportError:
        return None

    class Labelled(BaseModel):
        label: str
        confidence: float
        evidence_snippets: list[str]

    class Classification(BaseModel):
        intents: list[Labelled]
        primary_intent: str
        product_line: Labelled
        urgency: Labelled
        risk_flags: list[Labelled]

    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    completion = ChatCompletion.model_validate(
        {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    )
    model = openai_schema(Classification)
    return lambda: model.from_response(completion, mode=instructor.Mode.JSON)


def _fastjsonschema(module: Any, schema: Any, text: str) -> Callable[[], Any]:
    validate = module.compile(schema)
    return lambda: validate(json.loads(text))


def _jsonschema(module: Any, schema: Any, text: str) -> Callable[[], Any]:
    validator = module.Draft202012Validator(schema)
    return lambda: validator.is_valid(json.loads(text))


def main() -> int:
    """Print the table."""
    subject, body = mail()
    text = reply(body)
    sizes = f"{len(text.encode())} bytes of output, {len((subject + body).encode())} of mail"
    print(f"gate: {sizes}, {ROUNDS} rounds")
    print(f"{'':36}{'p50 us':>10}{'p99 us':>10}{'x json.loads':>14}")
    for row in rows():
        print(f"{row.name:36}{row.p50_us:10.1f}{row.p99_us:10.1f}{row.ratio:14.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
