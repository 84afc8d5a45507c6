"""Figures, logs, traces and webhooks of a real service."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import hmac
import json
import sqlite3
import threading
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.protocols import Changes
from assay.record.event import EventDraft
from assay.wiring import aopen
from tests.parts import require_part
from tests.processes import PATIENCE_S, wait_until
from tests.runtime.tiny import GOOD, UNKNOWN_LABEL, script
from tests.server.serving import error_of, serving

require_part("server", "prometheus_client")

from assay.server.observe.watched_store import watch_store  # noqa: E402
from assay.server.webhooks import sign  # noqa: E402

SECRET_TEXT = "There is water in the cellar. Call +1 202 555 0143."
RUN = {"pack": "tiny", "inputs": [{"name": "a.txt", "text": SECRET_TEXT}]}


@contextmanager
def receiving(*statuses, before=lambda path: None):
    """A receiver that answers with these statuses, the last one again and again.

    *before* is called with the path before it answers.
    """
    taken, waiting = [], list(statuses)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            taken.append((status, self.path, headers, body))
            before(self.path)
            with suppress(ConnectionError):  # who asked may be dead by now
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

        def log_message(self, format, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", taken
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.clause("009-B2", "009-B3")
def test_requests_calls_and_reviews_are_counted_and_told_in_lines(tmp_path):
    """By names of ours; no path, no key and no text stands in a figure or a line."""
    with serving(tmp_path, script(tmp_path, GOOD, UNKNOWN_LABEL, UNKNOWN_LABEL)) as service:
        client = service.as_role()
        client.post("/v1/runs", json=RUN)
        client.post("/v1/runs", json={**RUN, "again": True})
        client.get("/v1/calls/abcd1234")
        client.get("/some/where/secret-path")
        client.post("/v1/gate", json={"contract": SECRET_TEXT, "output": SECRET_TEXT})
        refused = service.as_role(None).get("/metrics")
        figures = client.get("/metrics").text
        keys = list(service.keys.values())
    lines = [json.loads(line) for line in service.lines if line.startswith("{")]
    access = [line for line in lines if line["logger"] == "assay.server.access"]

    assert (401, "not_signed_in") == error_of(refused)
    for said in (
        'assay_calls_total{contract="tiny/triage",outcome="accepted",reason=""} 1.0',
        'assay_calls_total{contract="tiny/triage",outcome="needs_review",reason="gate.rejected"} 1',
        'assay_findings_total{code="label.unknown"} 2.0',
        'assay_requests_total{method="POST",route="/v1/runs",status="200"} 2.0',
        'assay_requests_total{method="GET",route="none",status="404"} 1.0',
        "assay_reviews_open 1.0",
    ):
        assert said in figures, said
    assert ("POST", "/v1/runs", 200) == tuple(access[0][k] for k in ("method", "route", "status"))
    assert access[0]["caller"].startswith("key:")
    told = figures + "".join(service.lines)
    assert not any(
        word in told for word in ("555 0143", "5550143", "secret-path", "abcd1234", *keys)
    )


@pytest.mark.clause("009-B4")
def test_reviews_and_decisions_are_told_once_and_signed(tmp_path):
    """In their order, by one of two processes; what was not taken comes again."""
    with receiving(500, 200) as (address, taken):
        hook = {
            "ASSAY_SERVE_WEBHOOK_URL": f"{address}/hook",
            "ASSAY_SERVE_WEBHOOK_SECRET": "whsec_" + base64.b64encode(b"secret").decode(),
        }
        model = script(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL)
        with (
            serving(tmp_path, model, **hook) as one,
            serving(tmp_path, model, store=one.store, keys=one.keys, **hook),
        ):
            client = one.as_role()
            client.post("/v1/runs", json=RUN)
            review = client.get("/v1/reviews").json()["reviews"][0]["id"]
            rejected = {"accept": False, "reason": "no"}
            client.post(f"/v1/reviews/{review}/decision", json=rejected)
            wait_until(lambda: len(taken) >= 3)
    messages = [(path, headers, json.loads(body)) for _, path, headers, body in taken]

    assert [500, 200, 200] == [status for status, *_ in taken]
    assert ["review.opened", "review.opened", "review.decided"] == [
        m["type"] for _, _, m in messages
    ]
    assert taken[0][2]["webhook-id"] == taken[1][2]["webhook-id"]
    assert (review, "rejected", "admin") == tuple(
        messages[2][2]["data"][name] for name in ("review", "decision", "reviewer")
    )
    for _, path, headers, body in taken:
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        mac = base64.b64encode(hmac.new(b"secret", signed, hashlib.sha256).digest()).decode()
        assert ("/hook", f"v1,{mac}") == (path, headers["webhook-signature"])
        assert b"555 0143" not in body


def is_followed(store):
    """Whether somebody follows the record by now."""
    with closing(sqlite3.connect(store.removeprefix("sqlite:///"))) as connection:
        found = connection.execute("SELECT count(*) FROM followers").fetchone()
    return found[0] == 2


@pytest.mark.clause("009-B4")
def test_what_happened_while_nothing_was_sent_is_told_afterwards(tmp_path):
    """A restart goes on where the record was left; an overdue review is told of once."""
    hook = {"ASSAY_SERVE_WEBHOOK_SECRET": "s", "ASSAY_REVIEW_DUE_HOURS": "0.0001"}
    with receiving(200) as (address, taken):
        url = {"ASSAY_SERVE_WEBHOOK_URL": address}
        with serving(tmp_path, **hook, **url) as first:
            wait_until(lambda: is_followed(first.store))
        with serving(
            tmp_path,
            script(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL),
            store=first.store,
            keys=first.keys,
            ASSAY_REVIEW_DUE_HOURS="0.0001",
        ) as silent:
            silent.as_role().post("/v1/runs", json=RUN)
        before = len(taken)
        with serving(tmp_path, store=first.store, keys=first.keys, **hook, **url):
            wait_until(lambda: len(taken) >= before + 2)
    types = [json.loads(body)["type"] for *_, body in taken[before:]]

    assert {"review.opened", "review.overdue"} == set(types)
    assert 1 == types.count("review.overdue")


def last_seen(store):
    """When the one who sends was last seen."""
    with closing(sqlite3.connect(store.removeprefix("sqlite:///"))) as connection:
        found = connection.execute("SELECT seen_at FROM followers WHERE name = 'webhooks'")
        return found.fetchone()


@pytest.mark.clause("009-B4")
def test_when_the_process_that_sends_is_killed_another_goes_on(tmp_path):
    """It is held to be alive while a receiver keeps it waiting, and not for long after it died."""
    asked, killed = threading.Event(), threading.Event()

    def keep_first_waiting(path):
        if path == "/one":
            asked.set()
            killed.wait(PATIENCE_S)

    with receiving(200, before=keep_first_waiting) as (address, taken):
        hook = {"ASSAY_SERVE_WEBHOOK_SECRET": "s"}
        one_url, other_url = ({"ASSAY_SERVE_WEBHOOK_URL": address + path} for path in ("/one", "/"))
        model = script(tmp_path, UNKNOWN_LABEL, UNKNOWN_LABEL)
        try:
            with serving(tmp_path, model, **hook, **one_url) as one:
                wait_until(lambda: is_followed(one.store))
                with serving(tmp_path, store=one.store, keys=one.keys, **hook, **other_url) as two:
                    one.as_role().post("/v1/runs", json=RUN)
                    assert asked.wait(PATIENCE_S)
                    seen = last_seen(one.store)
                    wait_until(lambda: last_seen(one.store) != seen)
                    one.process.kill()
                    killed.set()
                    wait_until(lambda: any(path == "/" for _, path, *_ in taken))
                    assert 200 == two.as_role().get("/healthz").status_code
        finally:
            killed.set()
    first, second = (
        next(headers["webhook-id"] for _, path, headers, _ in taken if path == name)
        for name in ("/one", "/")
    )

    assert first == second


@pytest.mark.clause("009-B4")
@given(st.binary(max_size=200), st.binary(max_size=200))
def test_another_body_has_another_signature(one, other):
    """And the same has the same."""
    first, second = (sign("secret", "m", 1, body) for body in (one, other))

    assert (one == other) == (first == second)
    assert first == sign("secret", "m", 1, one)


def spans_of(taken):
    """All spans that a collector was sent: name -> attributes."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    found = []
    for _, path, headers, body in taken:
        if path != "/v1/traces":
            continue
        request = ExportTraceServiceRequest()
        zipped = headers.get("content-encoding") == "gzip"
        request.ParseFromString(gzip.decompress(body) if zipped else body)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                found += scope.spans
    return found


def attributes_of(span):
    kinds = {each.key: each.value for each in span.attributes}
    return {key: getattr(value, value.WhichOneof("value")) for key, value in kinds.items()}


@pytest.mark.clause("009-B5")
@pytest.mark.parametrize("texts", [False, True])
def test_a_trace_goes_from_the_request_to_the_model_without_texts(tmp_path, texts):
    """Under the span that the sender names; with texts only where the setting says so."""
    require_part("server", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
    parent = "0af7651916cd43dd8448eb211c80319c"
    with receiving(200) as (address, taken):
        environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "100"}
        if texts:
            environ["ASSAY_SERVE_TELEMETRY_TEXTS"] = "1"
        with serving(tmp_path, script(tmp_path, GOOD), **environ) as service:
            headers = {"traceparent": f"00-{parent}-b7ad6b7169203331-01"}
            service.as_role().post("/v1/runs", json=RUN, headers=headers)
        spans = {span.name: span for span in spans_of(taken)}
        told = b"".join(gzip.decompress(b) if h.get("content-encoding") == "gzip" else b
                        for _, _, h, b in taken)  # fmt: skip

    request, call = spans["POST /v1/runs"], spans["call tiny/triage"]
    chat = next(span for name, span in spans.items() if name.startswith("chat "))
    assert {parent} == {span.trace_id.hex() for span in (request, call, chat)}
    assert (request.span_id, call.span_id) == (call.parent_span_id, chat.parent_span_id)
    assert ("accepted", "tiny/triage") == tuple(
        attributes_of(call)[name] for name in ("assay.outcome", "assay.contract")
    )
    facts = attributes_of(chat)
    assert ("chat", "assay.scripted") == (
        facts["gen_ai.operation.name"],
        facts["gen_ai.provider.name"],
    )
    assert "/v1/metrics" in {path for _, path, *_ in taken}
    assert texts == (b"water in the cellar" in told)
    assert b"555 0143" not in told


@pytest.mark.clause("009-B1")
def test_a_listener_that_fails_harms_no_commit(tmp_path):
    """What is committed stays so, and the others hear of it."""
    heard = []

    def fail(_):
        raise ValueError("no")

    async def run():
        async with aopen(f"sqlite:///{tmp_path}/a.db", "none") as runtime:
            store = watch_store(runtime.store, [fail, heard.extend])
            number = await store.start_run("test", {})
            await store.commit(Changes(run=number, events=(EventDraft(kind="a", facts={}),)))
            return [event.kind async for event in runtime.store.events(run=number)]

    kinds = asyncio.run(run())

    assert ["run.started", "a"] == kinds
    assert ["a"] == [event.kind for event, _ in heard]
