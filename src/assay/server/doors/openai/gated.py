"""One request of a client, through its contract: what is asked, settled and told.

In      Asked, the Service
Out     Gated: the accepted text, or why there is none
Effects those of the runtime; the call stands on record as any other
Spec    009-O1, 009-O2, 009-O4, 009-O5
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from assay.contract.classes.declared import ASK_FOR_JSON, check_name
from assay.contract.classes.of_schema import describe_schema
from assay.contract.contract import Contract
from assay.contract.decoding.wire_schema import wire_schema
from assay.contract.material import Material
from assay.contract.model_names import shown_model
from assay.contract.outcome import Outcome
from assay.contract.shortened import Shortened
from assay.core.json.canonical import digest, digest_json
from assay.errors import UsageError
from assay.gate.verdict import Finding
from assay.runtime.calls.accepted_output import accepted_output
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import Heard, Progress
from assay.runtime.calls.inputs import read_item
from assay.runtime.calls.single import require_single, run_contract
from assay.runtime.classes.complete import complete, last_findings
from assay.runtime.costs.model_use import USAGE, use_of_call
from assay.server.api.judging import work_aside
from assay.server.doors.openai.asked import Asked, AskedSchema, UnsupportedError
from assay.server.errors import BadRequestError
from assay.server.service import Service

SOURCE: Final = "body"
"""What the user's text is called among the sources of a schema that a client sends."""

_SYSTEM: Final = "instructions"
_EARLIER: Final = "earlier"
_PLAIN_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/+\-]{0,99}")
_NO_CONTRACT: Final = (
    "name one in the header x-assay-contract, in metadata.assay_contract or as the model, "
    "or send a JSON Schema as the format of the reply"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What a completion is called."""

    id: str
    created: int
    """Seconds since 1970."""

    model: str
    """As the client named it; the service's own where it named none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gated:
    """What became of a request."""

    outcome: Outcome
    detail: str | None
    contract: str
    model: str
    """What was asked."""

    output: dict[str, Any] | None
    """As the contract's schema has it; None unless accepted, or where it is not kept any more."""

    result: dict[str, Any] | None
    """The same as it stands on record: quotes as places, personal values as surrogates."""

    findings: tuple[Finding, ...]
    call: str | None
    """None for an input that could not be read."""

    reviews: tuple[str, ...]
    attempts: int
    reused: bool
    erased: bool
    shortened: Shortened | None
    tokens: Mapping[str, int]
    not_applied: tuple[str, ...]
    as_shown: bool
    """Whether what was shown while it arrived is what was accepted."""

    @property
    def text(self) -> str | None:
        """The accepted JSON; None where there is none."""
        return None if self.output is None else json.dumps(self.output, ensure_ascii=False)

    @property
    def refusal(self) -> str | None:
        """One sentence on why there is no text."""
        if self.output is not None:
            return None
        if self.erased:
            return "What was accepted before has been erased since."
        if self.outcome.status == "accepted":
            return "It was accepted before; what the model said is kept no longer, the result is."
        why = "; ".join(f"{each.code}: {each.message}" for each in self.findings)
        why = why or self.detail or "nothing was accepted"
        return f"Not accepted ({self.outcome.reason or self.outcome.status}): {why}"

    def refuse_after(self, shown: bool) -> str | None:
        """One sentence for the end of a stream, where what came before it does not hold.

        Args:
            shown: Whether a reply was shown before anybody had judged it.
        """
        if self.output is not None and shown and not self.as_shown:
            return "What was shown was not accepted; ask again for what was accepted in its place"
        return self.refusal

    def to_dict(self) -> dict[str, Any]:
        """What stands under `assay` in every answer."""
        return {
            "outcome": self.outcome.status,
            "reason": self.outcome.reason,
            "detail": self.detail,
            "contract": self.contract,
            "model": self.model,
            "call": self.call,
            "result": self.result,
            "reviews": list(self.reviews),
            "findings": [finding.to_dict() for finding in self.findings],
            "attempts": self.attempts,
            "reused": self.reused,
            "shortened": None if self.shortened is None else self.shortened.to_dict(),
            "not_applied": list(self.not_applied),
        }


def choose_contract(service: Service, asked: Asked, header: str | None) -> str | None:
    """`PACK/NAME` of the contract that a request goes through; None for its own schema.

    Raises:
        NotFoundError, InputError: it is not served, or cannot be asked by itself.
        UnsupportedError: it names two, or brings a schema that is not that of the one it names.
        BadRequestError: it names none and brings none.
    """
    own = asked.model if asked.model in served_contracts(service) else None
    names = {name for name in (header, asked.contract, own) if name}
    if len(names) > 1:
        raise UnsupportedError(
            "header, metadata and model name more than one contract", hint="name one"
        )
    if not names:
        if asked.schema is None:
            raise BadRequestError("the request names no contract", hint=_NO_CONTRACT)
        return None
    (named,) = names
    contract = service.contract(named)
    require_single(service.pack(contract.pack), contract.name)
    if asked.earlier:
        raise BadRequestError(
            "a contract of a pack has no place for earlier replies",
            hint="send the text that it is about as the only message of the user",
        )
    if asked.schema is not None and not _is_same(asked.schema, contract):
        raise UnsupportedError(
            "the contract that is named has another schema than the one that is sent: leave the"
            " json_schema out, or name no contract",
            hint="json_object is taken with a contract (LangChain: method='json_mode')",
        )
    return named


def _is_same(schema: AskedSchema, contract: Contract[Any]) -> bool:
    return digest_json(schema.document) == digest_json(contract.schema.document)


def served_contracts(service: Service) -> list[str]:
    """Every contract that can be asked by itself."""
    found = []
    for pack in service.packs.values():
        for name in sorted(pack.contracts):
            try:
                require_single(pack, name)
            except UsageError:
                continue
            found.append(f"{pack.name}/{name}")
    return sorted(found)


async def gate_request(
    service: Service,
    asked: Asked,
    reference: str | None,
    *,
    door: str,
    show: Callable[[str], None] | None = None,
) -> Gated:
    """Bring a request through *reference*, or through its own schema.

    Args:
        show: Told what arrives before anybody has judged it, where the pack allows that.
    """
    said = {"door": door} | ({} if asked.model is None else {"model": _model_name(service, asked)})
    if reference is None:
        assert asked.schema is not None
        return await _through_schema(service, asked, asked.schema, said)
    return await _through_pack(service, asked, service.contract(reference), said, show)


def _model_name(service: Service, asked: Asked) -> str:
    """The model's name for the record; of what does not look like one, its digest."""
    name = asked.model or ""
    redacted = service.runtime.context.redactor.redact(name).text
    return name if _PLAIN_NAME.fullmatch(name) and redacted == name else digest(name)


async def _through_pack(
    service: Service,
    asked: Asked,
    contract: Contract[Any],
    said: Mapping[str, str],
    show: Callable[[str], None] | None,
) -> Gated:
    pack = service.pack(contract.pack)
    first = True
    heard_any = False

    def hear(heard: Heard) -> None:
        nonlocal first, heard_any
        first = first and heard.attempt == 1 and heard.tries <= 1
        if heard.unjudged and first and show is not None:
            heard_any = True
            show(heard.unjudged)

    progress = None
    if show is not None and pack.show == "unjudged" and contract.send == "text":
        progress = Progress(hear=hear, unjudged=True)
    context = service.runtime_of(pack, progress).context
    name = "input-1.txt" if pack.source == "documents" else "input-1"
    outcome = await run_contract(
        context,
        pack,
        contract.name,
        read_item(name, asked.user.encode("utf-8"), pack.source, context.redactor),
        budget=RunBudget(**pack.budget.model_dump()),
        asked=said,
    )
    settled = outcome.calls[0] if outcome.calls else None
    accepted = outcome.outcome.status == "accepted" and settled is not None
    gated = Gated(
        outcome=outcome.outcome,
        detail=outcome.detail,
        contract=contract.reference,
        model=shown_model(context.model.name),
        output=await accepted_output(context.store, settled) if settled and accepted else None,
        result=settled.result if settled is not None and accepted else None,
        findings=() if settled is None else await last_findings(context, settled),
        call=None if settled is None else settled.call,
        reviews=() if outcome.review is None else (outcome.review,),
        attempts=outcome.attempts,
        reused=outcome.reused,
        erased=outcome.erased,
        shortened=outcome.shortened,
        tokens=dict.fromkeys(USAGE, 0),
        # A pack's own template has no place for them.
        not_applied=tuple(
            sorted({*asked.not_applied, *(["instructions"] if asked.system else [])})
        ),
        as_shown=first and heard_any and outcome.attempts == 1,
    )
    return await _with_record(service, gated)


async def _through_schema(
    service: Service, asked: Asked, schema: AskedSchema, said: Mapping[str, str]
) -> Gated:
    context = service.runtime.context
    contract = await work_aside(len(json.dumps(schema.document)), lambda: _contract(asked, schema))
    slots = {_SYSTEM: asked.system, _EARLIER: asked.earlier}
    done = await complete(
        context,
        contract,
        Material(
            texts={SOURCE: asked.user}, slots={name: text for name, text in slots.items() if text}
        ),
        asked=said,
    )
    gated = Gated(
        outcome=done.outcome,
        detail=done.detail,
        contract=done.contract,
        model=shown_model(context.model.name),
        output=done.output,
        result=done.output,
        findings=done.findings,
        call=done.call,
        reviews=(),
        attempts=done.attempts,
        reused=done.reused,
        erased=done.erased,
        shortened=done.shortened,
        tokens=dict.fromkeys(USAGE, 0),
        not_applied=asked.not_applied,
        as_shown=False,
    )
    return await _with_record(service, gated)


def _contract(asked: Asked, schema: AskedSchema) -> Contract[Any]:
    """The contract of a client's own schema; its words are values of a prompt that is ours."""
    try:
        check_name(schema.name)
    except UsageError as error:
        raise BadRequestError(
            "the schema's name is none", hint="a letter; letters, digits, and _ . - may follow"
        ) from error
    before = f"{{{{{_SYSTEM}}}}}" if asked.system else "Read the text of the user."
    earlier = f"{{{{{_EARLIER}}}}}\n\n[user]\n" if asked.earlier else ""
    prompt = f"=== system ===\n{before}{ASK_FOR_JSON}=== user ===\n{earlier}{{{{{SOURCE}}}}}\n"
    said = describe_schema(
        schema.document,
        name=schema.name,
        prompt=prompt,
        system_inputs=[_SYSTEM] if asked.system else [],
    )
    contract = Contract.from_record(said)
    wire_schema(contract)  # kept with it: a long schema holds nobody up when it is sent
    return contract


async def _with_record(service: Service, gated: Gated) -> Gated:
    """With the reviews and the tokens that stand on record for its call."""
    if gated.call is None:
        return gated
    store = service.runtime.store
    opened = [
        str(event.facts["review"])
        async for event in store.events(call=gated.call, kind="review.opened")
    ]
    use = await use_of_call(store, gated.call)
    return replace(gated, reviews=tuple(dict.fromkeys(opened)), tokens=dict(use.tokens))


def name_answer(service: Service, asked: Asked) -> Named:
    """Id, time and model of an answer."""
    context = service.runtime.context
    return Named(
        id=context.new_id(),
        created=int(context.clock.now().timestamp()),
        model=asked.model or shown_model(context.model.name),
    )
