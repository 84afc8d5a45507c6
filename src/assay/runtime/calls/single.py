"""One contract of a pack over one input, without the rest of its flow.

In      Pack, name of a contract, an input that was read, the RuntimeContext
Out     ItemOutcome, as of a flow that has this contract alone
Effects those of a run
Spec    009-O1

It is the run of a pack whose flow is this one contract: template, budget, holds, record and
review are the same, and nothing of them is decided here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import replace

from assay.errors import InputError
from assay.pack.pack import Pack
from assay.runtime.calls.budget import RunBudget
from assay.runtime.calls.context import Item, RuntimeContext
from assay.runtime.calls.inputs import Refused
from assay.runtime.calls.run import ItemOutcome, run_pack


def require_single(pack: Pack, name: str) -> None:
    """Raises InputError or NotFoundError where contract *name* cannot be asked by itself."""
    contract = pack.contract(name)
    if pack.stages is not None:
        raise InputError(
            f"pack {pack.name!r} is a conversation: its contracts are asked in stages",
            hint="POST /v1/sessions",
        )
    if contract.template is None:
        raise InputError(
            f"contract {contract.reference!r} has no template: it can only judge",
            hint="POST /v1/gate",
        )
    if contract.earlier:
        raise InputError(
            f"contract {contract.reference!r} takes results of earlier contracts",
            hint="POST /v1/runs brings an input through the whole flow",
        )


async def run_contract(
    context: RuntimeContext,
    pack: Pack,
    name: str,
    entry: Item | Refused,
    *,
    budget: RunBudget,
    asked: Mapping[str, str] | None = None,
) -> ItemOutcome:
    """Bring *entry* through contract *name* alone.

    Args:
        asked: What else the caller said, without personal data; kept with the run.

    Raises:
        InputError, NotFoundError: see `require_single`.
        ModelUnavailableError: the model could not be reached; the call stays open.
    """
    require_single(pack, name)

    async def one() -> AsyncIterator[Item | Refused]:
        yield entry

    alone = replace(pack, flow=(name,))
    outcomes = run_pack(context, alone, one(), budget=budget, asked=asked)
    async with aclosing(outcomes):
        (only,) = [outcome async for outcome in outcomes]
    return only
