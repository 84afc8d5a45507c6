"""`/metrics`, as Prometheus scrapes it.

In      what this process counted, the state of the service
Out     the text format
Effects counts the reviews that wait
Spec    009-B2; interfaces.md, "HTTP"
"""

from __future__ import annotations

from datetime import timedelta

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response

from assay.protocols import ReviewFilter
from assay.server.api.routes import Reader, service_of

router = APIRouter(include_in_schema=False)


@router.get("/metrics")
async def metrics(request: Request, _: Reader) -> Response:
    """The text format; the reviews that wait are counted as it is asked for."""
    service = service_of(request)
    found = service.metrics
    context = service.runtime.context
    found.working.set(service.admission.working_now)
    found.waiting.set(service.admission.waiting_now)
    found.open_reviews.set(await context.store.count_reviews(ReviewFilter()))
    due = context.clock.now() - timedelta(hours=service.settings.review_due_hours)
    found.overdue.set(await context.store.count_reviews(ReviewFilter(opened_before=due)))
    return Response(generate_latest(found.registry), media_type=CONTENT_TYPE_LATEST)
