"""The tables that the migrations build are those that the program knows."""

from __future__ import annotations

import asyncio
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from assay.adapters.stores import migrations, schema
from assay.adapters.stores.schema.migrate import known_revisions
from assay.adapters.stores.schema.record import METADATA
from assay.testing import FrozenClock
from tests.processes import run_python


def _make(place: Any) -> None:
    async def run() -> None:
        async with await place.open(clock=FrozenClock()):
            pass

    asyncio.run(run())


def test_migrations_and_tables_agree(place: Any) -> None:
    """Alembic finds nothing to add, drop or change."""
    for module in iter_modules(schema.__path__):
        import_module(f"{schema.__name__}.{module.name}")
    _make(place)
    engine = create_engine(place.url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        sqlite = connection.dialect.name == "sqlite"

        def is_of_this_database(_: Any, name: str | None, kind: str, *__: Any) -> bool:
            """SQLite's own order of texts finds beginnings; it has no index for them."""
            return not (sqlite and kind == "index" and str(name).endswith("_id_beginning"))

        opts = {"compare_type": True, "include_object": is_of_this_database}
        context = MigrationContext.configure(connection, opts=opts)
        differences = compare_metadata(context, METADATA)
    engine.dispose()

    assert [] == differences


def test_revisions_are_one_line() -> None:
    """Files sort in the order of application; each names the one before."""
    script = ScriptDirectory(str(Path(migrations.__path__[0])))
    chain = [revision.revision for revision in script.walk_revisions()][::-1]

    assert list(known_revisions()) == chain


def test_a_current_store_opens_without_alembic(sqlite_place: Any) -> None:
    """The fast path loads nothing that a command does not need."""
    _make(sqlite_place)
    program = (
        "import asyncio, sys\n"
        "from assay.adapters.stores import open_store\n"
        "from assay.testing import FrozenClock\n"
        "async def main():\n"
        f"    async with await open_store({sqlite_place.url!r}, clock=FrozenClock()) as store:\n"
        "        await store.start_run('pack', {})\n"
        "asyncio.run(main())\n"
        "print('alembic' in sys.modules)\n"
    )
    done = run_python("-c", program)

    assert (0, b"False") == (done.returncode, done.stdout.strip()), done.stderr
