"""Requests that are longer than the service takes, over real sockets."""

from __future__ import annotations

import http.client
import json
import shutil
import socket
import subprocess
import urllib.error
import urllib.request
from contextlib import suppress
from urllib.parse import urlsplit

import httpx
import httpx2
import pytest

from tests.parts import absent
from tests.processes import PATIENCE_S
from tests.server.serving import serving

MOST = 1_000_000
"""Bytes that the service takes; far more than the buffers of the loopback hold."""

LONG = 3 * MOST
PATHS = ("/v1/gate", "/openai/v1/chat/completions")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("large"), ASSAY_SERVE_MAX_BODY_BYTES=str(MOST)) as found:
        yield found


def pieces_of(size):
    """A body whose length nobody says before."""
    for _ in range(size // 50_000):
        yield b"x" * 50_000


def require_refusal(status, body):
    """The documented answer, whole."""
    assert (413, "request.too_large") == (status, json.loads(body)["error"]["code"])


def connect(service):
    """A socket to the service."""
    parts = urlsplit(service.address)
    found = socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE_S)
    found.settimeout(PATIENCE_S)
    return found


def read_answer(connection):
    """Status and body of what the service says on a socket."""
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    return answer.status, answer.read()


def write_on(connection, piece, most):
    """How much of *most* could be written before the service hung up."""
    sent = 0
    with suppress(BrokenPipeError, ConnectionResetError):
        while sent < most:
            connection.sendall(piece)
            sent += len(piece)
    return sent


@pytest.mark.clause("009-H3")
@pytest.mark.parametrize("path", PATHS)
def test_clients_that_write_to_the_end_read_the_refusal(service, path):
    """Three times the bound, its length said before or not; each client reads why."""
    headers = {"authorization": f"Bearer {service.keys['operator']}"}
    address = service.address + path
    for client in (httpx, httpx2):
        for body in (b"x" * LONG, pieces_of(LONG)):
            answer = client.post(address, content=body, headers=headers, timeout=PATIENCE_S)
            require_refusal(answer.status_code, answer.content)
    request = urllib.request.Request(address, data=b"x" * LONG, headers=headers)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=PATIENCE_S)
    require_refusal(caught.value.code, caught.value.read())
    caught.value.close()


@pytest.mark.clause("009-H3")
@pytest.mark.parametrize("more", [(), ("-H", "Expect:"), ("-H", "Transfer-Encoding: chunked")])
def test_curl_reads_the_refusal(service, tmp_path, more):
    """With its wait for a word before the body, without, and in chunks."""
    curl = shutil.which("curl")
    if curl is None:
        absent("curl", "Debian's package has it")
    (tmp_path / "body").write_bytes(b"x" * LONG)
    words = [curl, "--silent", "--noproxy", "*", "--write-out", "\n%{http_code}", *more]
    words += ["--data-binary", f"@{tmp_path / 'body'}", f"{service.address}/v1/gate"]
    done = subprocess.run(words, capture_output=True, timeout=PATIENCE_S, check=False)
    body, _, status = done.stdout.rpartition(b"\n")

    assert 0 == done.returncode, done.stderr
    require_refusal(int(status), body)


@pytest.mark.clause("009-H3")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("expect", ["", "Expect: 100-continue\r\n"])
def test_a_length_over_the_bound_is_answered_before_a_byte_of_it_is_sent(service, path, expect):
    """Whether the sender waits for a word or not."""
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {LONG}\r\n{expect}\r\n"
    with connect(service) as connection:
        connection.sendall(head.encode())
        require_refusal(*read_answer(connection))


@pytest.mark.clause("009-H3")
@pytest.mark.parametrize("chunked", [True, False])
def test_a_sender_that_never_stops_is_hung_up_on(service, chunked):
    """After a few times the bound; others are answered as before."""
    said = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {10**12}"
    piece = b"x" * 65_536
    if chunked:
        piece = b"%x\r\n%s\r\n" % (len(piece), piece)
    with connect(service) as connection:
        connection.sendall(f"POST /v1/gate HTTP/1.1\r\nHost: x\r\n{said}\r\n\r\n".encode())
        sent = write_on(connection, piece, 100 * MOST)
    answer = service.as_role().get("/healthz")

    assert MOST < sent < 100 * MOST
    assert 200 == answer.status_code
