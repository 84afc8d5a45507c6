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
from assay.contract.decoding.plan import DecodingPlan
from assay.core.json.pointer import escape, unescape
from assay.gate.tables import MemberRule, Row

MOST_WAYS: Final = 64
"""More rows than this are left to the gate: a grammar of thousands of ways helps nobody."""


def narrow_plan(
    plan: DecodingPlan, contract: Contract, state: Mapping[str, Any] | None
) -> DecodingPlan:
    """*plan* with the contract's ways, and membership closed to the rows of this *state*."""
    schema: Any = _in_ways(plan.schema, contract.ways)
    scores = list(plan.scores)
    for rule in contract.extra:
        if not isinstance(rule, MemberRule):
            continue
        rows = rule.rows(state)
        if 0 < len(rows) <= MOST_WAYS:
            schema = _node_at(schema, rule.at.text.split("/")[1:], rule, rows)
            scores += _scores(plan.scores, rule, rows)
    return replace(plan, schema=schema, scores=tuple(dict.fromkeys(scores)))


def _in_ways(schema: Mapping[str, Any], ways: tuple[Mapping[str, Any], ...]) -> Any:
    if not ways or "properties" not in schema:
        return schema
    several = []
    for way in ways:
        whole: Any = schema
        for pointer, value in way.items():
            whole = _fix_value(whole, pointer.split("/")[1:], value)
        several.append(whole)
    return {"type": "object", "anyOf": several}


def _fix_value(node: Any, steps: list[str], value: Any) -> Any:
    """*node* with *value* as the only one at the end of *steps*."""
    if not steps:
        return {"const": value}
    name = unescape(steps[0])
    properties = node.get("properties") if isinstance(node, Mapping) else None
    if not isinstance(properties, Mapping) or name not in properties:
        return node
    return {
        **node,
        "properties": {**properties, name: _fix_value(properties[name], steps[1:], value)},
    }


def _scores(patterns: tuple[str, ...], rule: MemberRule, rows: tuple[Row, ...]) -> list[str]:
    """Places of scores under keys that are named now."""
    if rule.keys is None:
        return []
    prefix = f"{rule.at.text}{rule.keys.of}/*"
    return [
        f"{prefix[:-1]}{escape(str(row[rule.keys.column]))}{pattern.removeprefix(prefix)}"
        for pattern in patterns
        if pattern.startswith(prefix)
        for row in rows
    ]


def _node_at(node: Any, steps: list[str], rule: MemberRule, rows: tuple[Row, ...]) -> Any:
    if not isinstance(node, Mapping):
        return node
    if not steps:
        return _close_node(node, rule, rows)
    step, rest = unescape(steps[0]), steps[1:]
    if step == "*" and isinstance(node.get("items"), Mapping):
        return {**node, "items": _node_at(node["items"], rest, rule, rows)}
    if "anyOf" in node:
        return {**node, "anyOf": [_node_at(way, steps, rule, rows) for way in node["anyOf"]]}
    properties = node.get("properties")
    if isinstance(properties, Mapping) and step in properties:
        return {
            **node,
            "properties": {**properties, step: _node_at(properties[step], rest, rule, rows)},
        }
    return node


def _close_node(node: Mapping[str, Any], rule: MemberRule, rows: tuple[Row, ...]) -> dict[str, Any]:
    if "anyOf" in node:
        return {**node, "anyOf": [_close_node(way, rule, rows) for way in node["anyOf"]]}
    properties = node.get("properties")
    if not isinstance(properties, Mapping):
        return dict(node)
    rows = tuple(row for row in rows if not _contradicts(properties, rule, row))
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
    if not several:
        return dict(node)
    return several[0] if len(several) == 1 else {"type": "object", "anyOf": several}


def _contradicts(properties: Mapping[str, Any], rule: MemberRule, row: Row) -> bool:
    """Whether an earlier rule has settled a field on another value than the row's."""
    for column, pointer in rule.fields.items():
        known = properties.get(unescape(pointer.removeprefix("/")), {})
        if "const" in known and known["const"] != row.get(column):
            return True
    return False


def _agrees(one: Row, other: Row, rule: MemberRule) -> bool:
    return all(one.get(column) == other.get(column) for column in rule.fields)


def _close_keys(way: dict[str, Any], rule: MemberRule, rows: list[Row]) -> None:
    """One way for each key that exists: exactly one of them."""
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
    ways = []
    for row in rows:
        fields = dict(value.get("properties", {}))
        for column, pointer in rule.keys.fields.items():
            fields[pointer.removeprefix("/")] = {"const": row.get(column)}
        key = str(row[rule.keys.column])
        ways.append(
            {
                "type": "object",
                "additionalProperties": False,
                "required": [key],
                "properties": {key: {**value, "properties": fields}},
            }
        )
    holder[steps[-1]] = {"type": "object", "anyOf": ways}
