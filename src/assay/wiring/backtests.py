"""Names on the command line become the candidates of a backtest.

In      PACK/NAME, a template file, or ROLE/NAME@VERSION; the folder of a pack
Out     Candidate for each contract that is concerned
Effects reads files and the registry
Spec    interfaces.md, "Command line" (`assay backtest`)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.adapters.folders import bundled_packs
from assay.answers.job import CONTRACT
from assay.errors import InputError, NotFoundError, UsageError
from assay.pack.pack import Pack
from assay.runtime.replay.backtest import Candidate
from assay.runtime.runtime import Runtime
from assay.templates.template import TemplateVersion, parse_template
from assay.templates.version import Reference
from assay.wiring.packs import load_pack


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What the caller means, before any store is opened."""

    packs: tuple[Pack, ...]
    contract: str | None
    """Name of the contract; None for a template."""

    template: TemplateVersion | None
    """Read from a file."""

    reference: Reference | None
    """Of a version in the store."""


def sort_references(what: str, folder: str | None) -> Named:
    """Tell contracts, template files and references apart.

    Raises:
        UsageError: it is none of these.
        TemplateError, PackError, InputError: the file or the pack is not right.
    """
    if "@" in what:
        return Named(
            packs=_packs(folder), contract=None, template=None, reference=Reference.parse(what)
        )
    if what.endswith((".md", ".txt")):
        try:
            data = Path(what).read_bytes()
        except OSError as error:
            raise InputError(f"template file {what!r} cannot be read: {error.strerror}") from error
        template = parse_template(data, file=Path(what).name)
        return Named(packs=_packs(folder), contract=None, template=template, reference=None)
    pack_name, slash, contract = what.rpartition("/")
    if not slash or not pack_name or not contract:
        raise UsageError(
            f"{what!r} names neither a contract nor a template",
            hint="PACK/NAME, a template file, or ROLE/NAME@VERSION",
        )
    return Named(
        packs=(load_pack(folder or pack_name),), contract=contract, template=None, reference=None
    )


def candidates(meant: Named, template: TemplateVersion | None) -> Iterator[Candidate]:
    """A candidate for each contract that is meant.

    Raises:
        NotFoundError: no contract at hand is made from the template.
    """
    found = False
    for pack in meant.packs:
        if meant.contract == CONTRACT and not pack.contracts:
            pack.require_answers()
            found = True
            yield Candidate(pack=pack, contract=CONTRACT)
        for name, contract in pack.contracts.items():
            own = contract.template
            if meant.contract is not None:
                wanted = name == meant.contract
            else:
                wanted = (
                    own is not None
                    and template is not None
                    and (own.role, own.name) == (template.role, template.name)
                )
            if wanted:
                found = True
                yield Candidate(pack=pack, contract=name, template=template)
    if not found and meant.contract is not None:
        meant.packs[0].contract(meant.contract)  # raises, with a hint
    if not found:
        raise NotFoundError(
            "no contract is made from this template", hint="give the folder of its pack with --pack"
        )


async def template_of(runtime: Runtime, meant: Named) -> TemplateVersion | None:
    """The candidate template, from its file or from the store."""
    if meant.reference is None:
        return meant.template
    if runtime.context.registry is None:
        raise UsageError("this store has no registry")
    return (await runtime.context.registry.find(meant.reference)).template()


def _packs(folder: str | None) -> tuple[Pack, ...]:
    if folder is not None:
        return (load_pack(folder),)
    return tuple(load_pack(name) for name in bundled_packs())
