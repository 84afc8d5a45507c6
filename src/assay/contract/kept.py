"""What the record still holds of one call, as values: enough to make its job again.

In      facts and payloads of a call's events, read by `runtime/replay/kept.py`
Out     KeptCall with its attempts; None where a value is gone
Pure    values only
Spec    002-N1, 002-J2 to 002-J7

Source texts and exact prompts are kept only where a master key encrypts them. After an erasure
the facts and digests stay, the values are None.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from assay.contract.material import Material
from assay.core.json.canonical import digest
from assay.core.text.spans import Shown
from assay.gate.verdict import Finding
from assay.templates.template import TemplateVersion

CONTRACT: Final = "contract"
"""Name of the artefact that holds a contract which has no files."""

CallKind = Literal["contract", "stage", "answer"]
"""What a call asks for: a contract over named texts, a stage of a conversation, an answer from
chunks. Each is one kind of job."""


@dataclass(slots=True, kw_only=True)
class KeptAttempt:
    """One attempt as it stands on record; filled while its events are read."""

    number: int
    built: Mapping[str, Any]
    """Facts of `prompt.built`: the context snapshot."""

    prompt: bytes | None = None
    """The exact bytes; None when they were not kept or have been erased."""

    redacted: str | None = None
    artefacts: Mapping[str, bytes] = field(default_factory=dict)
    """What else was kept beside the prompt, by name."""

    answered: Mapping[str, Any] | None = None
    """Facts of `model.answered`; None when no reply is on record."""

    raw: bytes | None = None
    """The reply; None when there was none or when it has been erased."""

    judged: Mapping[str, Any] | None = None
    """Facts of `output.judged`."""

    findings: tuple[Finding, ...] | None = None
    spans: tuple[Mapping[str, Any], ...] | None = None

    @property
    def finish_reason(self) -> str | None:
        """Why the model stopped, as it said."""
        return None if self.answered is None else self.answered.get("finish_reason")

    @property
    def verdict(self) -> str | None:
        """`accepted`, `rejected`, or None when nothing was judged."""
        return None if self.judged is None else str(self.judged["verdict"])

    @property
    def codes(self) -> list[tuple[str, str]]:
        """Code and severity of each finding on record, in order."""
        listed = () if self.judged is None else self.judged["findings"]
        return [(str(each["code"]), str(each["severity"])) for each in listed]

    @property
    def rules(self) -> int | None:
        """The version of the rules that judged the reply; None on records of the first release."""
        return None if self.judged is None else self.judged.get("rules")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCall:
    """A call as it stands on record."""

    id: str
    run: int
    kind: CallKind
    reference: str
    """`PACK/NAME`, as it was called then."""

    contract_digest: str
    input: str
    """Name of the input; for a stage `SESSION/TURN/STAGE`."""

    input_digest: str
    opened: Mapping[str, Any]
    """Facts of `call.opened`."""

    material: Material | None
    """None when it was not kept (no master key) or has been erased."""

    attempts: tuple[KeptAttempt, ...]
    settled: Mapping[str, Any] | None
    """Facts of `call.settled`; None while the call is open."""

    result: dict[str, Any] | None
    """The audited result as the gate settled it; a person's correction is not it."""

    template: TemplateVersion | None = None
    """The version that its prompts name, as the registry holds it now; None without one."""

    @property
    def pack(self) -> str:
        """Name of the pack that the call was made under."""
        return self.reference.rpartition("/")[0]

    @property
    def contract_name(self) -> str:
        """Name of its contract within the pack."""
        return self.reference.rpartition("/")[2]

    @property
    def declared(self) -> Mapping[str, Any] | None:
        """What its contract says, where that was written as a class; None for a pack's."""
        documents = (attempt.artefacts.get(CONTRACT) for attempt in self.attempts)
        found = next((document for document in documents if document is not None), None)
        return None if found is None else json.loads(found)

    @property
    def snapshot(self) -> Mapping[str, Any]:
        """The context snapshot of the first prompt; empty when none was built."""
        return self.attempts[0].built if self.attempts else {}

    @property
    def release(self) -> str:
        """How the template of its prompts came in: `pack`, `active`, `canary`, `fallback`."""
        return str(self.snapshot.get("release", "pack"))

    def shown_at(self, attempt: KeptAttempt) -> tuple[Shown, ...] | None:
        """What *attempt* showed of every source, as recorded; None without the texts."""
        if self.material is None:
            return None
        texts = dict(self.material.texts)
        views = []
        for view in attempt.built.get("shown", ()):
            name = view["source"]
            if name not in texts:  # named after a file: facts hold a surrogate, and the digest
                same = (each for each, text in texts.items() if digest(text) == view["digest"])
                name = next(same, None)
            if name is None:
                return None
            segments = tuple((int(start), int(stop)) for start, stop in view["segments"])
            views.append(Shown(name=name, original=texts.pop(name), segments=segments))
        return tuple(views)
