"""A review as the desk shows it: its texts with quotes in them, what was said, what the gate says.

In      a review's id; perhaps an output that somebody typed, and the original input
Out     DeskCase
Effects store reads
Spec    009-D3 to 009-D6
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from assay.answers.job import AnswerJob
from assay.contract.contract import Contract
from assay.contract.contract_job import ContractJob
from assay.contract.job import Job, Weighed
from assay.contract.kept import KeptAttempt, KeptCall
from assay.contract.material import ATTACHMENT, Built
from assay.core.json.canonical import digest
from assay.core.json.strict import Parsed, parse_object
from assay.errors import AssayError
from assay.protocols import ReviewRow
from assay.runtime.replay.kept import kept_call
from assay.runtime.reviews.case import Case, read_case
from assay.runtime.reviews.decision import restore_job
from assay.runtime.reviews.moves import HANDED_ON, REOPENED
from assay.server.api.judging import work_aside
from assay.server.pages.desk_quotes import Quote, place_quotes
from assay.server.pages.marked_text import Block, Fold, Mark, cut_text
from assay.server.pages.output_form import form_of
from assay.server.service import Service
from assay.sources.mail.quoting import blocks

_MOST_FOLDS: Final = 200
_FOLDED_LINES: Final = 4
"""A shorter run of quoted lines stays open."""

_MOVES: Final = ("review.decided", REOPENED, HANDED_ON)
RAW_CHARS: Final = 20_000
"""So much of a reply or a prompt is shown; the rest is at the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """One text of the case."""

    name: str
    kind: str
    """`subject`, `body`, `attachment`, `chunk`, `text`."""

    title: str
    """What stands beside its kind: the name of an attachment, the title of a chunk."""

    blocks: tuple[Block, ...]
    chars: int

    @property
    def marked(self) -> bool:
        """Whether a quote lies in it."""
        return any(block.marked for block in self.blocks)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptShown:
    """One attempt: what came back and what the gate said."""

    number: int
    verdict: str | None
    raw: str | None
    findings: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskCase:
    """All that the page of one review shows."""

    case: Case
    kept: KeptCall | None = None
    problem: AssayError | None = None
    """Why nothing can be judged here; None where it can."""

    texts: tuple[SourceText, ...] = ()
    quotes: tuple[Quote, ...] = ()
    output: str = ""
    """What the form begins with."""

    weighed: Weighed | None = None
    form: Mapping[str, Any] | None = None
    """None where there is no form, only a text."""

    attempts: tuple[AttemptShown, ...] = ()
    prompt: str | None = None
    """Of the last attempt, redacted."""

    mail: Mapping[str, Any] = field(default_factory=dict)
    """From, to and date, where the input was a mail."""

    events: tuple[Mapping[str, Any], ...] = ()
    decisions: tuple[Mapping[str, Any], ...] = ()
    """What people did with it: kind, time, who, why."""

    @property
    def row(self) -> ReviewRow:
        """The review."""
        return self.case.row

    @property
    def subject(self) -> str:
        """Of a mail."""
        kept = self.kept
        if not self.mail or kept is None or kept.material is None:
            return ""
        return kept.material.texts.get("subject", "").strip()

    @property
    def lacks_texts(self) -> bool:
        """Whether the original has to be handed in for anything to be accepted."""
        return self.kept is not None and self.kept.material is None and self.problem is not None


async def read_desk_case(
    service: Service, review_id: str, *, output: str | None = None, original: bytes | None = None
) -> DeskCase:
    """The case with this whole id.

    Args:
        output: What somebody typed; None begins with the last reply that is one.
        original: The input, where its texts are not kept.
    """
    context = service.runtime.context
    case = await read_case(context, review_id)
    events, decisions = await _read_events(service, case.row)
    if case.row.call is None:
        return DeskCase(case=case, events=events, decisions=decisions)
    job: Job | None = None
    problem: AssayError | None = None
    try:
        kept, job = await restore_job(context, case.row.call, service.pack, original)
    except AssayError as error:
        problem = error
        kept = await kept_call(context.store, case.row.call)
    said = output
    if said is None:
        said = _said_before(decisions) or _last_output(kept, job)
    weighed = None
    if job is not None and said.strip():
        judge = job.weigh_decision
        content = said.encode("utf-8", "surrogatepass")
        try:
            weighed = await work_aside(_size(kept, content), lambda: judge(content))
        except AssayError as error:
            problem = error
    contract = job.contract if isinstance(job, ContractJob) else _contract_of(service, kept)
    quotes, marks = await work_aside(
        _size(kept, said.encode("utf-8", "replace")),
        lambda: place_quotes(kept, contract, said, weighed),
    )
    last = kept.attempts[-1] if kept.attempts else None
    return DeskCase(
        case=case,
        kept=kept,
        problem=problem,
        texts=tuple(_show_texts(kept, job, marks, last)),
        quotes=quotes,
        output=said,
        weighed=weighed,
        form=None if contract is None else form_of(contract),
        attempts=tuple(map(_show_attempt, kept.attempts)),
        prompt=None if last is None or last.redacted is None else last.redacted[:RAW_CHARS],
        mail=_mail_facts(kept),
        events=events,
        decisions=decisions,
    )


def _size(kept: KeptCall, content: bytes) -> int:
    texts = {} if kept.material is None else kept.material.texts
    return len(content) + sum(map(len, texts.values()))


def _contract_of(service: Service, kept: KeptCall) -> Contract[Any] | None:
    """The contract as its pack has it today, for the shape of its form; None for answers."""
    if kept.kind == "answer":
        return None
    try:
        return service.contract(kept.reference)
    except AssayError:
        return None


def _said_before(decisions: Sequence[Mapping[str, Any]]) -> str | None:
    """What a person handed in, where that stands on record."""
    outputs = [each["output"] for each in decisions if each.get("output")]
    return outputs[-1] if outputs else None


def _last_output(kept: KeptCall, job: Job | None) -> str:
    """The last reply that is an object, readable; of an answer the last reply."""
    for attempt in reversed(kept.attempts):
        if attempt.raw is None:
            continue
        raw = _with_values(attempt, job)
        if kept.kind == "answer":
            return raw.decode("utf-8", "replace")
        read = parse_object(raw)
        if isinstance(read, Parsed):
            value = read.value
            exact = isinstance(job, ContractJob) and job.contract.scores
            return raw.decode("utf-8", "replace") if exact else _write_json(value)
    return "" if kept.kind == "answer" else "{}"


def _with_values(attempt: KeptAttempt, job: Job | None) -> bytes:
    """The reply with the values in it that its prompt had hidden."""
    raw = attempt.raw or b""
    if isinstance(job, ContractJob) and job.is_private:
        built = job.build(attempt.number, ())
        if isinstance(built, Built):
            return job.restore_values(raw, built.hidden, None)[0]
    return raw


def _write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _show_texts(
    kept: KeptCall, job: Job | None, marks: Mapping[str, list[Mark]], last: KeptAttempt | None
) -> Iterator[SourceText]:
    if kept.material is None:
        return
    if isinstance(job, AnswerJob):
        if kept.material.question:
            yield _plain_text("question", "question", "", kept.material.question)
        for item in job.assembly.answer_bundle.selected_evidence:
            title = f"{item.citation_anchor} · {item.source_reference}"
            yield _plain_text(item.citation_anchor, "chunk", title, item.sanitized_text)
        return
    omitted = _list_omitted(kept, last)
    for name, text in kept.material.texts.items():
        base, _, title = name.partition(":")
        folds = [*omitted.get(name, ()), *_quoted_folds(name, text)]
        yield SourceText(
            name=name,
            kind="attachment" if name.startswith(ATTACHMENT) else base,
            title=title,
            blocks=cut_text(text, marks.get(name, ()), folds[:_MOST_FOLDS]),
            chars=len(text),
        )
    for name, text in kept.material.slots.items():
        yield _plain_text(name, "slot", name, text)


def _plain_text(name: str, kind: str, title: str, text: str) -> SourceText:
    return SourceText(
        name=name, kind=kind, title=title, blocks=cut_text(text, (), ()), chars=len(text)
    )


def _list_omitted(kept: KeptCall, last: KeptAttempt | None) -> Mapping[str, list[Fold]]:
    """What the last attempt did not show, by source. Facts name files by surrogates."""
    if last is None or kept.material is None:
        return {}
    digests = {view["source"]: view["digest"] for view in last.built.get("shown", ())}
    names = {digest(text): name for name, text in kept.material.texts.items()}
    found: dict[str, list[Fold]] = {}
    for part in last.built.get("omitted", ()):
        source = part["source"]
        if source not in kept.material.texts:
            source = names.get(digests.get(source, ""), source)
        found.setdefault(source, []).append(
            Fold(start=part["start"], stop=part["stop"], kind=part["kind"], unseen=True)
        )
    return found


def _quoted_folds(name: str, text: str) -> Iterator[Fold]:
    if name != "body":
        return
    for block in blocks(text):
        lines = text.count("\n", block.start, block.stop)
        if block.kind != "own" and lines >= _FOLDED_LINES:
            yield Fold(start=block.start, stop=block.stop, kind=block.kind, unseen=False)


def _show_attempt(attempt: KeptAttempt) -> AttemptShown:
    raw = None if attempt.raw is None else attempt.raw.decode("utf-8", "replace")
    return AttemptShown(
        number=attempt.number,
        verdict=attempt.verdict,
        raw=None if raw is None else raw[:RAW_CHARS],
        findings=[finding.to_dict() for finding in attempt.findings or ()],
    )


def _mail_facts(kept: KeptCall) -> Mapping[str, Any]:
    if kept.material is None or kept.kind != "contract" or "subject" not in kept.material.texts:
        return {}
    facts = kept.material.input
    sender = " ".join(
        str(facts[key]) if key == "from_name" else f"<{facts[key]}>"
        for key in ("from_name", "from")
        if facts.get(key)
    )
    to = facts.get("to") or ()
    return {
        name: value
        for name, value in (
            ("from", sender),
            ("to", ", ".join(map(str, to)) if isinstance(to, list | tuple) else str(to)),
            ("cc", ", ".join(map(str, facts.get("cc") or ()))),
            ("date", str(facts.get("date") or "")),
        )
        if value
    }


async def _read_events(
    service: Service, row: ReviewRow
) -> tuple[tuple[Mapping[str, Any], ...], tuple[Mapping[str, Any], ...]]:
    """The events of the case, and among them what people did with it."""
    store = service.runtime.store
    which: dict[str, Any] = {"run": row.run} if row.call is None else {"call": row.call}
    events, moves = [], []
    async for event in store.events(**which):
        if row.call is None and event.facts.get("review") != row.id:
            continue
        events.append(
            {"seq": event.seq, "kind": event.kind, "at": event.at, "digest": event.digest}
        )
        if event.kind in _MOVES and event.facts.get("review") == row.id:
            move = dict(event.facts) | {"kind": event.kind, "at": event.at}
            for name in ("reason", "output"):
                if name in event.commitments:
                    content = await store.payload(event.seq, name)
                    move[name] = None if content is None else content.decode("utf-8", "replace")
            moves.append(move)
    return tuple(events), tuple(moves)
