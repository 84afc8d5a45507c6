"""Let payloads go when their time is over, by kind of event.

In      rules: kinds of event, how many days their payloads are kept
Out     for each rule what it let go, or would
Effects store writes, unless it is a dry run
Spec    docs/explanation/record.md, "Erasure and retention"; docs/decisions/0006

Events stay, and so do their digests, facts and proofs: what goes is the content beside them, by
an event that says so. An age counts from the event, not from the end of its call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from assay.errors import InputError
from assay.protocols import Clock, Store

SIX_MONTHS_DAYS = 184
"""Deployers keep logs for six months at least (AI Act, Art. 26(6)); no six months are longer."""


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    kinds: list[str] = Field(min_length=1)
    keep_days: int = Field(ge=0, le=36_500)
    reason: str = Field(min_length=1)


class _Rules(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    rules: list[_Rule] = Field(min_length=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How long the payloads of some kinds of event are kept."""

    kinds: tuple[str, ...]
    keep_days: int
    reason: str
    """Recorded with what it lets go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What a rule did, or would do."""

    rule: Rule
    before: datetime
    """Payloads of older events go."""

    payloads: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "kinds": list(self.rule.kinds),
            "keep_days": self.rule.keep_days,
            "reason": self.rule.reason,
            "before": self.before.isoformat(),
            "payloads": self.payloads,
            "under_six_months": self.rule.keep_days < SIX_MONTHS_DAYS,
        }


def read_rules(data: bytes) -> tuple[Rule, ...]:
    """Rules from YAML: `rules: [{kinds: [...], keep_days: N, reason: ...}]`.

    Raises:
        InputError: it says something else, or two rules name one kind.
    """
    try:
        said = _Rules.model_validate(yaml.safe_load(data.decode("utf-8")))
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"]) or "the file"
        raise InputError(f"the retention rules are wrong at {where}", hint=_HINT) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError("the retention rules are no YAML", hint=_HINT) from error
    named = [kind for rule in said.rules for kind in rule.kinds]
    twice = sorted({kind for kind in named if named.count(kind) > 1})
    if twice:
        raise InputError(f"more than one retention rule names {twice[0]!r}")
    return tuple(
        Rule(kinds=tuple(rule.kinds), keep_days=rule.keep_days, reason=rule.reason)
        for rule in said.rules
    )


async def retain(
    store: Store, rules: Sequence[Rule], *, clock: Clock, actor: str, dry_run: bool
) -> tuple[Applied, ...]:
    """Apply *rules* in order, each in a transaction of its own; a dry run only counts."""
    now = clock.now()
    applied = []
    for rule in rules:
        before = now - timedelta(days=rule.keep_days)
        count = await store.expire(
            rule.kinds, before, reason=rule.reason, actor=actor, dry_run=dry_run
        )
        applied.append(Applied(rule=rule, before=before, payloads=count))
    return tuple(applied)


_HINT = "rules: [{kinds: [model.answered], keep_days: 200, reason: …}]"
