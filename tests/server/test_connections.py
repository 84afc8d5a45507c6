"""Connections by hand, on real sockets: slow heads, half heads, none, and too many."""

from __future__ import annotations

import json
import resource
import socket
from contextlib import ExitStack

import pytest

from tests.server.serving import serving

AT_ONCE = 120


def connect(service):
    host, port = service.address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=60)


def read_all(connection):
    found = b""
    while piece := connection.recv(65_536):
        found += piece
    return found


def code_of(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)["error"]["code"]


@pytest.mark.clause("009-H3")
def test_a_head_that_does_not_arrive_is_answered_and_hung_up_on(tmp_path):
    """Half a head, none at all, one after a good request; and many of them hold nobody up."""
    with serving(tmp_path, ASSAY_SERVE_BODY_WAIT_S="2") as service, ExitStack() as stack:
        many = [stack.enter_context(connect(service)) for _ in range(AT_ONCE)]
        for connection in many[1:]:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-")
        after = stack.enter_context(connect(service))
        after.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        good = b""
        while not good.endswith(b'{"status":"ok"}'):
            good += after.recv(65_536)
        after.sendall(b"GET /healthz HTTP/1.1\r\n")
        assert 200 == service.as_role().get("/v1/calls").status_code
        answers = [read_all(connection) for connection in [*many, after]]
        assert 200 == service.as_role().get("/healthz").status_code

    assert {(408, "request.slow")} == {code_of(answer) for answer in answers}


@pytest.mark.clause("009-H3")
def test_a_head_that_arrives_byte_by_byte_has_no_more_time(tmp_path):
    """The time counts from its beginning, not from each byte anew."""
    with serving(tmp_path, ASSAY_SERVE_BODY_WAIT_S="1") as service, connect(service) as slow:
        slow.settimeout(0.2)
        found = b""
        for _ in range(100):
            try:
                slow.sendall(b"a")
                found += slow.recv(65_536)
            except TimeoutError:
                continue
            except OSError:
                break
            if found:
                break

    assert (408, "request.slow") == code_of(found)


@pytest.mark.clause("009-H4")
def test_more_connections_than_there_is_room_for_are_told_to_come_again(tmp_path):
    """Those that are open stay, and the store keeps its files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (264, hard))  # which the service inherits
    try:
        with serving(tmp_path) as service, ExitStack() as stack:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            many = [stack.enter_context(connect(service)) for _ in range(64)]
            many[0].sendall(b"GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n")
            assert b"200 OK" in many[0].recv(65_536)
            refused = read_all(stack.enter_context(connect(service)))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert (429, "too_many") == code_of(refused)
    assert b"retry-after" in refused
