"""The kinds of call, and where each finds what the common path does not have.

In      the kind on a call's row
Out     Kind: its job, where its material is looked for, what a person's acceptance sets in motion
Effects those of the functions it names
Spec    architecture.md, "One machine"

The one table of kinds: replay, review, backtest and golden cases go through it and ask nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from assay.answers.job import AnswerJob
from assay.contract.classes.declared import PACK
from assay.contract.contract_job import ContractJob
from assay.contract.job import Job, Weighed
from assay.contract.kept import CallKind, KeptCall
from assay.contract.material import Material
from assay.core.json.canonical import digest_json
from assay.errors import InputError, IntegrityError
from assay.flow.job import StageJob
from assay.pack.pack import Pack
from assay.protocols import SessionRow
from assay.runtime.calls.context import Consequences, RuntimeContext
from assay.runtime.calls.inputs import original_material
from assay.runtime.conversations.review import find_session, move_session, stage_material

FindPack = Callable[[str], Pack]
"""The pack of a name; raises InputError or NotFoundError when it is not at hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What differs between the kinds outside of their jobs."""

    job: type[Job]
    find_material: Callable[
        [RuntimeContext, KeptCall, FindPack, bytes | None], Awaitable[Material | None]
    ]
    """What the call was about, where the store keeps it not with the call; None where it is
    nowhere. The bytes are those of the original input, as somebody handed them in."""

    follow: Callable[[RuntimeContext, KeptCall, FindPack, Weighed], Awaitable[Consequences]]
    """What an accepted decision sets in motion, in the transaction that records it."""

    find_session: Callable[[RuntimeContext, KeptCall], Awaitable[SessionRow | None]]
    """Where the session stands that such a decision moved on; None where there is none."""


async def _from_original(
    context: RuntimeContext, kept: KeptCall, find_pack: FindPack, original: bytes | None
) -> Material | None:
    """The input once more, when it is all that the call was made of."""
    if original is None:
        return None
    if kept.pack == PACK:
        return _only_text(kept, original)
    pack = find_pack(kept.pack)
    if pack.contract(kept.contract_name).earlier:
        raise InputError("the input alone is not all that this call was made of")
    return original_material(kept, original, pack.source, context.redactor)


def _only_text(kept: KeptCall, original: bytes) -> Material:
    """The one text of a call that was made of no more.

    Raises:
        InputError: it was made of more, or the text is another one.
    """
    shown = kept.snapshot.get("shown", ())
    if len(shown) == 1:
        try:
            material = Material(texts={shown[0]["source"]: original.decode("utf-8")})
        except UnicodeDecodeError as error:
            raise InputError("the file given is no UTF-8 text") from error
        if digest_json(material.to_dict()) == kept.input_digest:
            return material
    raise InputError("the file given is not all that this call was made of")


async def _from_session(
    context: RuntimeContext, kept: KeptCall, find_pack: FindPack, original: bytes | None
) -> Material | None:
    if original is not None:
        raise InputError("the input alone is not all that this call was made of")
    return await stage_material(context, kept, find_pack)


async def _from_nowhere(
    context: RuntimeContext,  # noqa: ARG001
    kept: KeptCall,  # noqa: ARG001
    find_pack: FindPack,  # noqa: ARG001
    original: bytes | None,
) -> Material | None:
    if original is not None:
        raise InputError("the input alone is not all that this call was made of")
    return None


async def _no_session(context: RuntimeContext, kept: KeptCall) -> SessionRow | None:  # noqa: ARG001
    return None


async def _nothing_follows(
    context: RuntimeContext,  # noqa: ARG001
    kept: KeptCall,  # noqa: ARG001
    find_pack: FindPack,  # noqa: ARG001
    weighed: Weighed,  # noqa: ARG001
) -> Consequences:
    return Consequences()


KINDS: Final[Mapping[CallKind, Kind]] = {
    "contract": Kind(
        job=ContractJob,
        find_material=_from_original,
        follow=_nothing_follows,
        find_session=_no_session,
    ),
    "stage": Kind(
        job=StageJob,
        find_material=_from_session,
        follow=move_session,
        find_session=find_session,
    ),
    "answer": Kind(
        job=AnswerJob,
        find_material=_from_nowhere,
        follow=_nothing_follows,
        find_session=_no_session,
    ),
}


def kind_of(kept: KeptCall) -> Kind:
    """The kind of a recorded call.

    Raises:
        IntegrityError: its row names one that does not exist.
    """
    found = KINDS.get(kept.kind)
    if found is None:
        raise IntegrityError(f"call {kept.id} is of no known kind", hint="run `assay audit verify`")
    return found
