"""Traces and measurements by OpenTelemetry, with its conventions for generative AI.

In      committed events, requests with `traceparent`
Out     spans `chat MODEL` under `call CONTRACT` under the request; token and duration histograms
Effects an exporter (OTLP over HTTP), where `OTEL_EXPORTER_OTLP_ENDPOINT` names one
Spec    009-B5; OpenTelemetry semantic conventions for generative AI

No text is exported unless ASSAY_SERVE_TELEMETRY_TEXTS says so; then it is the redacted prompt and
the raw reply.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assay.contract.model_names import shown_model
from assay.record.event import EventDraft, StoredEvent
from assay.runtime.costs.cost import Counts

VARIABLES: Final = {
    "OTEL_EXPORTER_OTLP_ENDPOINT": "Address that `assay serve` sends traces and measurements to "
    "(`assay[otel]`); all other variables `OTEL_…` of the SDK count, too.",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "The same for traces alone.",
}
"""What is read from the environment for this, for the page on settings."""

_MOST_OPEN: Final = 10_000
_PROVIDERS: Final = frozenset({"openai", "anthropic"})


@dataclass(slots=True)
class _OpenCall:
    span: Any
    prompt: str = ""


class Traces:
    """Turns what is committed into spans and measurements."""

    def __init__(self, tracers: Any, meters: Any, *, texts: bool) -> None:
        """Use a tracer provider and a meter provider; *texts* exports prompts and replies."""
        from opentelemetry import trace

        self._trace = trace
        self.tracer = tracers.get_tracer("assay")
        meter = meters.get_meter("assay")
        self._usage = meter.create_histogram("gen_ai.client.token.usage", unit="{token}")
        self._duration = meter.create_histogram("gen_ai.client.operation.duration", unit="s")
        self._texts = texts
        self._open: OrderedDict[str, _OpenCall] = OrderedDict()

    def hear(self, events: Sequence[tuple[StoredEvent, EventDraft]]) -> None:
        """The events of one transaction become parts of a trace."""
        for event, draft in events:
            if event.call is None:
                continue
            match event.kind:
                case "call.opened":
                    self._begin(event.call, event)
                case "prompt.built" if self._texts and event.call in self._open:
                    text = draft.payloads.get("prompt_redacted", b"")
                    self._open[event.call].prompt = text.decode("utf-8", "replace")
                case "model.answered":
                    self._add_exchange(self._open.get(event.call), event, draft)
                case "output.judged":
                    self._note_verdict(self._open.get(event.call), event)
                case "call.settled":
                    self._end(self._open.pop(event.call, None), event)
                case _:
                    pass

    def _begin(self, call: str, event: StoredEvent) -> None:
        contract = str(event.facts["contract"])
        span = self.tracer.start_span(
            f"call {contract}",
            start_time=_nanoseconds(event.at),
            attributes={"assay.contract": contract, "assay.call": call},
        )
        self._open[call] = _OpenCall(span)
        if len(self._open) > _MOST_OPEN:
            self._open.popitem(last=False)[1].span.end()

    def _add_exchange(self, known: _OpenCall | None, event: StoredEvent, draft: EventDraft) -> None:
        facts, stop = event.facts, _nanoseconds(event.at)
        took_ms = facts.get("llm_latency_ms")
        took_ms = took_ms if type(took_ms) is int and took_ms >= 0 else 0
        provider, _, model = shown_model(str(facts["model_name"])).partition(":")
        common = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider if provider in _PROVIDERS else f"assay.{provider}",
            "gen_ai.request.model": model or provider,
        }
        attributes: dict[str, Any] = {**common, "assay.attempt": facts.get("attempt", 0)}
        if facts.get("provider_model"):
            attributes["gen_ai.response.model"] = str(facts["provider_model"])
        if facts.get("finish_reason"):
            attributes["gen_ai.response.finish_reasons"] = [str(facts["finish_reason"])]
        counts = Counts.of_answer(facts)
        for way, count in (("input", counts.input), ("output", counts.output)):
            if count is not None:
                attributes[f"gen_ai.usage.{way}_tokens"] = count
                self._usage.record(count, {**common, "gen_ai.token.type": way})
        self._duration.record(took_ms / 1_000, common)
        if self._texts and known is not None:
            reply = draft.payloads.get("raw", b"").decode("utf-8", "replace")
            attributes |= {"assay.prompt_redacted": known.prompt, "assay.reply": reply}
        span = self.tracer.start_span(
            f"chat {model or provider}",
            context=None if known is None else self._trace.set_span_in_context(known.span),
            kind=self._trace.SpanKind.CLIENT,
            start_time=stop - took_ms * 1_000_000,
            attributes=attributes,
        )
        if facts.get("generation_status") != "OK":
            span.set_attribute("error.type", str(facts.get("failure") or "unknown"))
            span.set_status(self._trace.StatusCode.ERROR)
        span.end(end_time=stop)

    def _note_verdict(self, known: _OpenCall | None, event: StoredEvent) -> None:
        if known is None:
            return
        codes = sorted({str(found["code"]) for found in event.facts["findings"]})
        attributes = {"assay.verdict": str(event.facts["verdict"]), "assay.findings": codes}
        known.span.add_event("assay.judged", attributes, timestamp=_nanoseconds(event.at))

    def _end(self, known: _OpenCall | None, event: StoredEvent) -> None:
        if known is None:
            return
        known.span.set_attribute("assay.outcome", str(event.facts["outcome"]))
        if event.facts.get("reason"):
            known.span.set_attribute("assay.reason", str(event.facts["reason"]))
        known.span.end(end_time=_nanoseconds(event.at))


class TracedRequests:
    """ASGI middleware: a span for each request, under the one that its sender names."""

    def __init__(self, app: ASGIApp, traces: Traces) -> None:
        from opentelemetry.propagate import extract

        self._app = app
        self._tracer = traces.tracer
        self._extract = extract

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        method = str(scope["method"])
        with self._tracer.start_as_current_span(
            method, context=self._extract(headers), attributes={"http.request.method": method}
        ) as span:

            async def note_status(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                await send(message)

            await self._app(scope, receive, note_status)
            route = getattr(scope.get("route"), "path", None)
            if route is not None:
                span.set_attribute("http.route", route)
                span.update_name(f"{method} {route}")


def export_traces(*, texts: bool) -> tuple[Traces, Callable[[], None]]:
    """Traces that go out by OTLP, as the variables `OTEL_…` say; and what ends them.

    Raises:
        ImportError: the SDK or its exporter is not installed.
    """
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    resource = Resource.create({"service.name": "assay"})
    tracers = TracerProvider(resource=resource)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    meters = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], resource=resource)

    def end() -> None:
        tracers.shutdown()
        meters.shutdown()

    return Traces(tracers, meters, texts=texts), end


def _nanoseconds(at: str) -> int:
    return round(datetime.fromisoformat(at).timestamp() * 1_000_000) * 1_000
