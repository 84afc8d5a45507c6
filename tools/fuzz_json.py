"""Fuzz the strict reading of JSON and the judging of outputs against references.

In      --seconds N (60), --seed S (1)
Out     counts on standard output; 1 when something was accepted that the references refuse,
        something raised, or work grew faster than the text
Pure    no: reads a clock

The references are Python's own reader, told to refuse what it tolerates, and `jsonschema_rs`
asked directly. Texts are made from a grammar, then spoilt; schemas from the keywords that nest.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from time import perf_counter
from typing import Any

import jsonschema_rs
from fuzzing import STEEP, Growth, make_parser, measure_growth, print_growth

from assay.core.json.schema import Schema
from assay.core.json.strict import MAX_DEPTH, Parsed, parse
from assay.errors import InputError
from assay.gate.gate import GateContext, judge

PIECES = (
    '{"a":', "[", "]", "}", ",", ":", '"', '"b"', "\\", "\\ud800", "\\u0000", "\x00", "\ufeff",
    "NaN", "-Infinity", "1e999", "01", "-", "+1", "1.", ".5", "9007199254740993.0", "1e22",
    "//x", "/**/", "'", "```", "tru", "null", "\u2028", "\t", "\n", "0x1", "\U0001f600",
)  # fmt: skip
NUMBERS = ("0", "-0", "1.50", "1e5", "-2E-3", "9007199254740991", "9007199254740992", "1e308")


class _Refused(ValueError):
    pass


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _Refused
    return dict(pairs)


def _constant(_: str) -> Any:
    raise _Refused


def _integer(written: str) -> int:
    if len(written) > 17 or abs(int(written)) >= 2**53:
        raise _Refused
    return int(written)


def _fraction(written: str) -> float:
    value = float(written)
    if value in (float("inf"), float("-inf")):
        raise _Refused
    return value


def reference(text: str) -> tuple[bool, Any]:
    """Whether Python takes *text* under the strict rules, and for what."""
    if text != text.strip("\u2028\u00a0\x0b\x0c\x1c\x85") or text.startswith("\ufeff"):
        return False, None
    try:
        value = json.loads(
            text, object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_integer,
            parse_float=_fraction,
        )  # fmt: skip
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return False, None
    return _depth(value) <= MAX_DEPTH, value


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level := [each for each in level if isinstance(each, dict | list)]:
        depth += 1
        level = [c for each in level for c in (each.values() if isinstance(each, dict) else each)]
    return depth


def grow_text(rng: random.Random, depth: int = 4) -> str:
    """One JSON text of the grammar, with any white space."""
    space = rng.choice(["", "", " ", "\n\t"])
    kind = rng.randrange(7 if depth else 4)
    if kind == 0:
        return space + rng.choice(NUMBERS)
    if kind == 1:
        return space + rng.choice(["true", "false", "null"])
    if kind in (2, 3):
        return space + json.dumps("".join(rng.choices('ab"\\é\u2028😀\n', k=rng.randrange(5))))
    inner = [grow_text(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind == 4:
        return f"{space}[{','.join(inner)}{space}]"
    return space + "{" + ",".join(f'"{rng.choice("abcde")}"{space}:{each}' for each in inner) + "}"


def spoil(rng: random.Random, text: str) -> str:
    """*text* with up to three pieces put in, left out or doubled."""
    for _ in range(rng.randrange(4)):
        at, to = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        text = rng.choice(
            [
                text[:at] + rng.choice(PIECES) + text[at:],
                text[:at] + text[to:],
                text[:to] + text[at:],
            ]
        )
    return text[:5000]


def grow_schema(rng: random.Random, depth: int = 3) -> Any:
    """A schema of keywords that nest, with references into itself."""
    if not depth:
        leaves = [
            {"type": "string"},
            {"type": "integer"},
            {"required": ["a"]},
            {"minimum": 1},
            True,
        ]
        return rng.choice([*leaves, {"$ref": "#/$defs/t"}])
    one, two = grow_schema(rng, depth - 1), grow_schema(rng, depth - 1)
    return rng.choice(
        [
            {"anyOf": [one, two]},
            {"oneOf": [one, two]},
            {"allOf": [one, two]},
            {"not": one},
            {"if": one, "then": two},
            {"properties": {"a": one, "b": two}, "additionalProperties": rng.random() < 0.5},
            {"items": one, "contains": two},
            {"prefixItems": [one], "items": two},
            {"patternProperties": {"[ab]": one}, "unevaluatedProperties": False},
            {"dependentSchemas": {"a": one}, "propertyNames": {"maxLength": 1}},
        ]
    )


class Fuzzing:
    """One run; `faults` names what went wrong."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []

    def try_text(self) -> None:
        """One text: read as the reference reads it, or refused. Refusing more is counted."""
        text = spoil(self.rng, grow_text(self.rng))
        taken, value = reference(text)
        try:
            found = parse(text)
        except Exception as error:
            self.faults.append(f"parse raised {type(error).__name__} on {text!r}")
            return
        self.counts["read" if isinstance(found, Parsed) else f"refused {found.code}"] += 1
        if isinstance(found, Parsed) and not (taken and repr(found.value) == repr(value)):
            self.faults.append(f"accepted {text!r}")
        if taken and not isinstance(found, Parsed):
            self.counts["refused, though the reference reads it"] += 1
            if found.code not in ("json.number", "output.refusal"):
                self.faults.append(f"refused {text!r}: {found.code}")

    def try_schema(self) -> None:
        """One schema, some outputs: the library's verdict, with a finding for each no."""
        document = {
            "allOf": [grow_schema(self.rng)],
            "$defs": {
                "t": {"type": ["object", "array"], "properties": {"a": {"$ref": "#/$defs/t"}}}
            },
        }
        try:
            schema = Schema.compile(document)
        except InputError:
            self.counts["schemas refused"] += 1
            return
        direct = jsonschema_rs.Draft202012Validator(document)
        for _ in range(5):
            text = '{"a":' + grow_text(self.rng) + "}"
            found = parse(text)
            if not isinstance(found, Parsed):
                continue
            try:
                verdict = judge(text, GateContext(), [], schema=schema)
            except Exception as error:
                self.faults.append(f"judge raised {type(error).__name__}: {document} {text!r}")
                continue
            self.counts["outputs judged"] += 1
            if verdict.accepted and not direct.is_valid(found.value):
                self.faults.append(f"accepted {text!r} by {document}")
            if any(finding.code == "schema.schema" for finding in verdict.findings):
                self.counts["findings without a keyword"] += 1


def growths() -> list[Growth]:
    """Of texts and outputs that could explode."""
    union = Schema.compile(
        {"items": {"anyOf": [{"type": "string"}, {"oneOf": [{"minimum": 0}, {"type": "null"}]}]}}
        | {"type": "array"}
    )
    filters = Schema.compile(
        {
            "$defs": {"e": {"oneOf": [
                {
                    "properties": {"k": {"const": n}, "a": {"items": {"$ref": "#/$defs/e"}}},
                    "required": ["k"],
                }
                for n in range(3)
            ]}},
            "properties": {"f": {"$ref": "#/$defs/e"}},
        }
    )  # fmt: skip
    wrong: dict[str, Any] = {"k": 9}
    nested = json.loads('{"k":0,"a":[' * 20 + json.dumps(wrong) + "]}" * 20)
    subjects: dict[str, Any] = {
        "numbers": lambda n: parse("[" + "1e22," * n + "1]"),
        "open brackets": lambda n: parse("[" * n),
        "escapes": lambda n: parse('"' + "\\u00e9" * n + '"'),
        "no end": lambda n: parse('{"a": "' + "\\\\" * n),
        "white space": lambda n: parse(" " * n + "{"),
        "a union in a long array": lambda n: union.faults([-1] * n),
        "one wrong in a long array": lambda n: union.faults([1] * n + [-1]),
        "a deep union, often": lambda n: filters.faults(
            {"f": {"k": 0, "a": [nested] * (n // 100)}}
        ),
    }
    return [measure_growth(name, work, 40_000, 80_000) for name, work in subjects.items()]


def main() -> int:
    """Run for the time given."""
    given = make_parser(__doc__).parse_args()
    fuzzing = Fuzzing(given.seed)
    end = perf_counter() + given.seconds
    while perf_counter() < end and len(fuzzing.faults) < 20:
        for _ in range(50):
            fuzzing.try_text()
        fuzzing.try_schema()
    for name, count in sorted(fuzzing.counts.items()):
        print(f"{count:>10}  {name}")
    found = growths()
    print_growth(found)
    for fault in fuzzing.faults:
        print(f"FAULT {fault}"[:400])
    return 1 if fuzzing.faults or max(each.ratio for each in found) > STEEP else 0


if __name__ == "__main__":
    sys.exit(main())
