"""The state of a session: what it holds, how a stage's slice enters it, how it is written down.

In      an accepted output, the stage it came from
Out     Memory: the cached state and what else an unfinished turn needs; its bytes
Pure    yes
Spec    003 "State merge"; interfaces.md, "Sessions"

Only what a stage declares under `merge` is taken over. A turn starts with nothing but the
session's id; what earlier turns said lives in the summary.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final

from assay.core.json.canonical import digest
from assay.errors import IntegrityError
from assay.flow.graph import WHOLE, Stage
from assay.gate.tables import at_pointer

SESSION_ID: Final = "session_id"
NEXT_STEP: Final = "nextStep"
RESPONSE_ID: Final = "response_id"

KEPT_RESPONSES: Final = 200
"""So many reply ids are remembered; a new reply may bear none of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What became of one stage of a turn."""

    stage: str
    outcome: str
    attempts: int
    call: str

    def to_dict(self) -> dict[str, Any]:
        """As `assay chat --json` prints it."""
        return {
            "stage": self.stage,
            "outcome": self.outcome,
            "attempts": self.attempts,
            "call": self.call,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """All that is kept of a session."""

    cached_state: Mapping[str, Any]
    """`session_id`, one slice for each stage that was merged in this turn, perhaps `nextStep`."""

    summary: tuple[Mapping[str, Any], ...] = ()
    """Earlier turns, oldest first."""

    responses: tuple[str, ...] = ()
    """Ids of the latest replies."""

    message: str = ""
    """What the user said in this turn, as far as it is used."""

    message_sha256: str = ""
    """Of the whole message: a turn that was cut off is taken up by the same one."""

    directive: str = ""
    trail: tuple[Step, ...] = ()
    """Stages of this turn that are stored."""

    findings: tuple[Mapping[str, Any], ...] = ()
    """What was wrong or remarkable in this turn."""

    reply: str | None = None
    """The latest reply that an output of this turn held; at the end, what the user got."""

    skeleton: str | None = None
    """The filled reply skeleton of this turn: what the user gets when no output held a reply."""

    outcome: str | None = None
    reason: str | None = None

    @classmethod
    def of_new(cls, session_id: str) -> Memory:
        """A session in which nothing was said."""
        return cls(cached_state={SESSION_ID: session_id})

    def to_bytes(self) -> bytes:
        """All of it; equal memories give equal bytes."""
        return state_text(
            {
                "cached_state": self.cached_state,
                "summary": list(self.summary),
                "responses": list(self.responses),
                "message": self.message,
                "message_sha256": self.message_sha256,
                "directive": self.directive,
                "trail": [step.to_dict() for step in self.trail],
                "findings": list(self.findings),
                "reply": self.reply,
                "skeleton": self.skeleton,
                "outcome": self.outcome,
                "reason": self.reason,
            }
        ).encode("utf-8")

    @classmethod
    def from_bytes(cls, content: bytes) -> Memory:
        """What `to_bytes` wrote.

        Raises:
            IntegrityError: it is something else.
        """
        try:
            kept = json.loads(content)
            return cls(
                cached_state=kept["cached_state"],
                summary=tuple(kept["summary"]),
                responses=tuple(kept["responses"]),
                message=kept["message"],
                message_sha256=kept["message_sha256"],
                directive=kept["directive"],
                trail=tuple(Step(**step) for step in kept["trail"]),
                findings=tuple(kept["findings"]),
                reply=kept["reply"],
                skeleton=kept.get("skeleton"),  # older states have none
                outcome=kept["outcome"],
                reason=kept["reason"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise IntegrityError("what is stored of a session cannot be read") from error

    def open_turn(
        self, message: str, *, whole: str, directive: str, findings: tuple[Any, ...]
    ) -> Memory:
        """The memory at the start of a turn: nothing of the turn before but the summary.

        Args:
            message: As far as it is used.
            whole: The message as it was given.
        """
        return Memory(
            cached_state={SESSION_ID: self.cached_state[SESSION_ID]},
            summary=self.summary,
            responses=self.responses,
            message=message,
            message_sha256=digest(whole),
            directive=directive,
            findings=findings,
        )

    def after(self, stage: Stage, output: Mapping[str, Any], step: Step, reply_at: str) -> Memory:
        """The memory once *stage* has accepted *output*."""
        response = output.get(RESPONSE_ID)
        responses = self.responses
        if isinstance(response, str) and _says_something(response):
            responses = (*responses, response)[-KEPT_RESPONSES:]
        said = at_pointer(output, reply_at)
        return replace(
            self,
            cached_state=merge_slice(self.cached_state, stage, output),
            responses=responses,
            trail=(*self.trail, step),
            reply=said if isinstance(said, str) and said.strip() else self.reply,
        )


def merge_slice(
    state: Mapping[str, Any], stage: Stage, output: Mapping[str, Any]
) -> dict[str, Any]:
    """*state* with the slice that *stage* declares, taken from its *output*; nothing else.

    Spec: 003-C5, 003-O4
    """
    result = deepcopy(dict(state))
    if stage.merge:
        result[stage.name] = _slice(stage.merge, output)
    if stage.sets_next and is_there(output, stage.next_field):
        result[NEXT_STEP] = at_pointer(output, stage.next_field)
    return result


def _says_something(text: str) -> bool:
    """A blank id is none: it holds no letter and no digit."""
    return any(char.isalnum() for char in text)


def next_of(stage: Stage, output: Mapping[str, Any]) -> str | None:
    """Where *output* leads; None where its value has no edge."""
    value = at_pointer(output, stage.next_field)
    return stage.next.get(value) if isinstance(value, str) else None


def _slice(merge: Mapping[str, str], output: Mapping[str, Any]) -> Any:
    if WHOLE in merge:
        there = is_there(output, merge[WHOLE])
        return deepcopy(at_pointer(output, merge[WHOLE])) if there else {}
    taken: dict[str, Any] = {}
    for place, pointer in merge.items():
        found = at_pointer(output, pointer)
        *above, last = place.split(".")
        target = taken
        for step in above:
            target = target.setdefault(step, {})
        if is_there(output, pointer):
            target[last] = deepcopy(found)
    return taken


def is_there(output: Mapping[str, Any], pointer: str) -> bool:
    """Whether something stands at *pointer*; an optional field may be absent."""
    above, _, step = pointer.rpartition("/")
    holder = at_pointer(output, above) if pointer else output
    return not pointer or (isinstance(holder, Mapping) and _plain_value(step) in holder)


def _plain_value(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def state_text(value: Any) -> str:
    """*value* as JSON in one line, keys in their order.

    A number with a fraction keeps two decimals at least, as scores are written: 0.9 is `0.90`.
    """
    text = json.dumps(value, ensure_ascii=False)
    return _SHORT.sub(_two_decimals, text) if _MAYBE_SHORT.search(text) else text


_MAYBE_SHORT = re.compile(r"[0-9]\.[0-9](?![0-9eE])")
_SHORT = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9]+\.[0-9](?![0-9eE])')


def _two_decimals(match: re.Match[str]) -> str:
    """A string as it is; a number with one decimal gets another."""
    found = match.group()
    return found if found[0] == '"' else f"{found}0"
