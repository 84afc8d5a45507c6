"""Hold a constrained model to what the state allows: rows of tables instead of any text.

In      a decoding plan, the contract's membership rules, the state
Out     the plan, with one way for each row that may be named
Pure    yes
Spec    003; interfaces.md, "Models" (`embedded`: constrained decoding)

The gate judges what was written all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from assay.contract.contract import Contract
from assay.contract.decoding import DecodingPlan
from assay.core.pointer import unescape
from assay.gate.tables import MemberRule, Row

MOST_WAYS: Final = 64
"""More rows than this are left to the gate: a grammar of thousands of ways helps nobody."""


def narrowed(
    plan: DecodingPlan, contract: Contract, state: Mapping[str, Any] | None
) -> DecodingPlan:
    """*plan* with the fields of every membership rule closed to the rows of this *state*."""
    schema: Any = plan.schema
    for rule in contract.extra:
        if not isinstance(rule, MemberRule):
            continue
        rows = rule.rows(state)
        if 0 < len(rows) <= MOST_WAYS:
            schema = _at(schema, rule.at.text.split("/")[1:], rule, rows)
    return replace(plan, schema=schema)


def _at(node: Any, steps: list[str], rule: MemberRule, rows: tuple[Row, ...]) -> Any:
    if not isinstance(node, Mapping):
        return node
    if not steps:
        return _closed(node, rule, rows)
    step, rest = unescape(steps[0]), steps[1:]
    if step == "*" and isinstance(node.get("items"), Mapping):
        return {**node, "items": _at(node["items"], rest, rule, rows)}
    if "anyOf" in node:
        return {**node, "anyOf": [_at(way, steps, rule, rows) for way in node["anyOf"]]}
    properties = node.get("properties")
    if isinstance(properties, Mapping) and step in properties:
        return {
            **node,
            "properties": {**properties, step: _at(properties[step], rest, rule, rows)},
        }
    return node


def _closed(node: Mapping[str, Any], rule: MemberRule, rows: tuple[Row, ...]) -> dict[str, Any]:
    properties = node.get("properties")
    if not isinstance(properties, Mapping) or "anyOf" in node:
        return dict(node)
    ways: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        known = tuple(row.get(column) for column in rule.fields)
        way = ways.setdefault(known, dict(properties))
        for column, pointer in rule.fields.items():
            name = unescape(pointer.removeprefix("/"))
            if name in way and "/" not in name:
                way[name] = {"const": row.get(column)}
        if rule.keys is not None:
            _close_keys(way, rule, [one for one in rows if _agrees(one, row, rule)])
    base = {key: value for key, value in node.items() if key != "properties"}
    several = [{**base, "properties": way} for way in ways.values()]
    return several[0] if len(several) == 1 else {"anyOf": several}


def _agrees(one: Row, other: Row, rule: MemberRule) -> bool:
    return all(one.get(column) == other.get(column) for column in rule.fields)


def _close_keys(way: dict[str, Any], rule: MemberRule, rows: list[Row]) -> None:
    """Name the keys that exist; the first is required, so that the object is not empty."""
    assert rule.keys is not None
    steps = [unescape(step) for step in rule.keys.of.split("/")[1:]]
    holder = way
    for step in steps[:-1]:
        node = dict(holder.get(step, {}))
        node["properties"] = dict(node.get("properties", {}))
        holder[step] = node
        holder = node["properties"]
    node = dict(holder.get(steps[-1], {}))
    value = node.get("additionalProperties")
    if not isinstance(value, Mapping):
        return
    named = {}
    for row in rows:
        fields = dict(value.get("properties", {}))
        for column, pointer in rule.keys.fields.items():
            fields[pointer.removeprefix("/")] = {"const": row.get(column)}
        named[str(row[rule.keys.column])] = {**value, "properties": fields}
    node["properties"] = named
    node["additionalProperties"] = False
    node["minProperties"] = 1
    holder[steps[-1]] = node
