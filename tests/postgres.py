"""A real PostgreSQL server for tests: the one that is named, else one started here.

`ASSAY_TEST_POSTGRES` names a database (`postgresql://…`) whose user may create databases. Without
it a server is started from the installed binaries, on the loopback, in a temporary folder.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import psycopg
from sqlalchemy import make_url

from tests.parts import absent


class NoServer(Exception):
    """Why there is none."""

    def end_test(self) -> NoReturn:
        """Skip aloud; fail where it is required."""
        absent("postgres", str(self))


@dataclass
class Server:
    """A running server, and what to do with it."""

    url: str
    folder: Path | None = None
    """Its data, when it was started here; only such a server may be stopped."""

    @contextmanager
    def database(self, encoding: str = "UTF8") -> Iterator[str]:
        """The URL of a new, empty database, dropped in the end."""
        name = f"assay_{secrets.token_hex(6)}"
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(
                f"CREATE DATABASE {name} TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'"
            )
        try:
            yield make_url(self.url).set(database=name).render_as_string(hide_password=False)
        finally:
            with psycopg.connect(self.url, autocommit=True) as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def restart(self) -> None:
        """Stop at once, as if the power failed, and start again."""
        assert self.folder is not None
        _control(self.folder, "restart", "-m", "immediate")

    def stop(self) -> None:
        assert self.folder is not None
        _control(self.folder, "stop", "-m", "immediate")

    def start(self) -> None:
        assert self.folder is not None
        _control(self.folder, "start")


@contextmanager
def running(*, own: bool = False, durable: bool = False) -> Iterator[Server]:
    """A server for the whole session.

    Args:
        own: One that may be stopped and started, whatever is named.
        durable: One that started here syncs to disk, as in earnest.

    Raises:
        NoServer: none is named and none is installed.
    """
    named = os.environ.get("ASSAY_TEST_POSTGRES")
    if named and not own:
        yield Server(named)
        return
    binaries = _binaries()
    folder = Path(tempfile.mkdtemp(prefix="assay-postgres-"))
    data = folder / "data"
    password = secrets.token_hex(16)
    secret = folder / "password"
    secret.write_text(password)
    if os.geteuid() == 0:
        for path in (folder, secret):
            shutil.chown(path, **_owner())
    try:
        _run(
            binaries / "initdb",
            *("-D", data, "-U", "assay", "-A", "scram-sha-256", "--pwfile", secret),
            *("-E", "UTF8", "--locale=C.UTF-8", "--no-sync"),
        )
        port = _free_port()
        settings = [
            "listen_addresses = '127.0.0.1'",
            f"port = {port}",
            f"unix_socket_directories = '{folder}'",
            # The server may be killed here, the machine is not.
            f"fsync = {'on' if durable else 'off'}",
            "max_connections = 200",
        ]
        with (data / "postgresql.conf").open("a") as file:
            file.write("\n".join(settings) + "\n")
        _control(data, "start")
        try:
            yield Server(f"postgresql://assay:{password}@127.0.0.1:{port}/postgres", data)
        finally:
            with suppress(subprocess.CalledProcessError):
                _control(data, "stop", "-m", "immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _binaries() -> Path:
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "pg_ctl").exists() and (folder / "initdb").exists():
            return folder
    raise NoServer("set ASSAY_TEST_POSTGRES, or install Debian's `postgresql`")


def _owner() -> dict[str, Any]:
    """The server refuses to run as root: whom it runs as then."""
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            entry = pwd.getpwnam(name)
            return {"user": entry.pw_uid, "group": entry.pw_gid}
    raise NoServer("the server does not run as root, and there is no other user")


def _control(data: Path, *what: str) -> None:
    log = data.parent / "log"
    _run(_binaries() / "pg_ctl", "-D", data, "-l", log, "-w", *what)


def _run(*command: str | Path) -> None:
    other: dict[str, Any] = _owner() | {"extra_groups": []} if os.geteuid() == 0 else {}
    subprocess.run(
        [str(part) for part in command],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        **other,
    )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
