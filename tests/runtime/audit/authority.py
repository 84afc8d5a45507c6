"""A time-stamping authority on the loopback: openssl behind a small HTTP server."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from tests.parts import absent

CONFIG = """
[req]
distinguished_name = dn
prompt = no
[dn]
CN = {name}
[root]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[tsa]
default_tsa = tsa_config
[tsa_config]
dir = {folder}
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/leaf.pem
signer_key = {folder}/leaf.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
ess_cert_id_alg = sha256
"""


def openssl(*words: str | Path) -> None:
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)


class Authority:
    """Keys, certificates and replies of one authority."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        folder.mkdir()
        self.config = folder / "tsa.cnf"
        self.config.write_text(CONFIG.format(folder=folder, name=name))
        (folder / "serial").write_text("01\n")
        for part in ("root", "leaf"):
            openssl("genpkey", "-algorithm", "RSA", "-out", folder / f"{part}.key")
        (folder / "leaf.cnf").write_text(CONFIG.format(folder=folder, name=f"{name} stamps"))
        openssl(
            *("req", "-x509", "-new", "-key", folder / "root.key", "-days", "3650"),
            *("-config", self.config, "-extensions", "root", "-out", folder / "root.pem"),
        )
        openssl(
            *("req", "-new", "-key", folder / "leaf.key", "-config", folder / "leaf.cnf"),
            *("-out", folder / "leaf.csr"),
        )
        openssl(
            *("x509", "-req", "-in", folder / "leaf.csr", "-CA", folder / "root.pem"),
            *("-CAkey", folder / "root.key", "-CAcreateserial", "-days", "3650"),
            *("-extfile", self.config, "-extensions", "leaf", "-out", folder / "leaf.pem"),
        )

    @property
    def roots(self) -> Path:
        return self.folder / "root.pem"

    def reply(self, query: bytes) -> bytes:
        (self.folder / "query").write_bytes(query)
        openssl(
            *("ts", "-reply", "-queryfile", self.folder / "query", "-config", self.config),
            *("-out", self.folder / "reply"),
        )
        return (self.folder / "reply").read_bytes()


def authority(folder: Path, name: str = "Test") -> Authority:
    if shutil.which("openssl") is None:
        absent("timestamps", "openssl, which the time-stamping authority of the tests needs")
    return Authority(folder, name)


@contextmanager
def serving(answer: object) -> Iterator[str]:
    """A server that gives POST bodies to `answer.reply`, or always answers these bytes."""
    puts: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def _read(self) -> bytes:
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))

        def _send(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            query = self._read()
            if answer is None:
                self.send_error(500)
            else:
                self._send(answer if isinstance(answer, bytes) else answer.reply(query))

        def do_PUT(self) -> None:
            puts.append(self._read())
            self._send(b"")

        def do_GET(self) -> None:
            self._send(puts[-1])

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
