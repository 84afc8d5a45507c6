"""`assay keys`: who may call the service, and as what.

In      a store
Out     a table or JSON; the secret of a new key, once
Spec    009-A1
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, cast

import click

from assay.cli.options import common_options, store_option
from assay.cli.output import emit, rows_table

if TYPE_CHECKING:
    from assay.protocols.service import AccessKey, Role

ROLES = ("viewer", "operator", "reviewer", "approver", "admin")


@click.group()
def command() -> None:
    """Keys of the service: make, list, revoke."""


@command.command("add")
@click.argument("name", metavar="NAME")
@store_option
@click.option("--role", type=click.Choice(ROLES), required=True, help="What it may do.")
@click.option("--days", type=click.IntRange(min=1, max=3650), help="It expires after so many.")
@click.option(
    "--per-minute",
    type=click.IntRange(min=1, max=1_000_000),
    help="Requests a minute (default: the service's quota).",
)
@click.option("--by", default="command line", show_default=True, help="Who makes it.")
@common_options
def add(
    name: str,
    store_url: str,
    role: str,
    days: int | None,
    per_minute: int | None,
    by: str,
    as_json: bool,
) -> None:
    """Make a key for NAME, a person or a program. Its secret is shown once and kept nowhere."""
    from assay.runtime.access.keys import key_document, make_key
    from assay.wiring.service import open_keys

    end = None if days is None else datetime.now(UTC) + timedelta(days=days)

    async def make() -> tuple[AccessKey, str]:
        async with open_keys(store_url) as (runtime, service):
            return await make_key(
                runtime.context,
                service,
                name=name,
                role=cast("Role", role),
                by=by,
                per_minute=per_minute,
                expires_at=end,
            )

    key, secret = asyncio.run(make())
    document = {**key_document(key), "secret": secret}
    emit(
        document,
        as_json=as_json,
        human=lambda console: console.print(
            f"{secret}\nThis is shown once. {key.name} is {key.role}; "
            f"{'it never expires' if end is None else f'it expires {end:%Y-%m-%d}'}; "
            f"assay keys revoke {key.id}",
            highlight=False,
            soft_wrap=True,
            markup=False,
        ),
    )


@command.command("list")
@store_option
@common_options
def list_(store_url: str, as_json: bool) -> None:
    """List keys, the oldest first; never their secrets."""
    from assay.runtime.access.keys import key_document
    from assay.wiring.service import open_keys

    async def find() -> Sequence[AccessKey]:
        async with open_keys(store_url, must_exist=True) as (_, service):
            return await service.keys()

    rows = [key_document(key) for key in asyncio.run(find())]
    columns = ("id", "name", "role", "per_minute", "expires_at", "revoked_at")
    emit(
        {"keys": rows},
        as_json=as_json,
        human=lambda console: console.print(rows_table("keys", rows, columns, ids=("id",))),
    )


@command.command("revoke")
@click.argument("key_id", metavar="ID")
@store_option
@click.option("--by", default="command line", show_default=True, help="Who revokes it.")
@common_options
def revoke(key_id: str, store_url: str, by: str, as_json: bool) -> None:
    """The key opens nothing any more; a running service knows within five seconds."""
    from assay.runtime.access.keys import revoke_key
    from assay.wiring.service import open_keys

    async def take_back() -> AccessKey:
        async with open_keys(store_url, must_exist=True) as (runtime, service):
            return await revoke_key(runtime.context, service, key_id, by=by)

    key = asyncio.run(take_back())
    emit(
        {"revoked": key.id},
        as_json=as_json,
        human=lambda console: console.print(f"revoked: {key.id} ({key.name})", markup=False),
    )
