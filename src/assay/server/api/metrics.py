"""`/metrics`, as Prometheus scrapes it.

In      what this process counted, the state of the service
Out     the text format
Effects counts the reviews that wait
Spec    009-B2; interfaces.md, "HTTP"
"""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.responses import Response

from assay.errors import StoreUnavailableError
from assay.protocols import ReviewFilter
from assay.runtime.access.callers import Caller
from assay.server.api.routes import ERROR_RESPONSES, service_of
from assay.server.guard import Needs

Scraper = Annotated[Caller, Depends(Needs("read", without_store=True))]

router = APIRouter(tags=["life"], responses=ERROR_RESPONSES)


@router.get(
    "/metrics",
    summary="Figures of this process",
    response_class=Response,
    responses={
        200: {
            "description": "The text format of Prometheus.",
            "content": {
                "text/plain": {
                    "schema": {"type": "string"},
                    "example": "# TYPE assay_requests_working gauge\nassay_requests_working 1.0\n",
                }
            },
        }
    },
)
async def metrics(request: Request, _: Scraper) -> Response:
    """The text format; the reviews that wait are counted as it is asked for.

    While the store is away, what this process counted is told all the same, and no number of
    reviews: NaN.
    """
    service = service_of(request)
    found = service.metrics
    context = service.runtime.context
    found.working.set(service.admission.working_now)
    found.waiting.set(service.admission.waiting_now)
    due = context.clock.now() - timedelta(hours=service.settings.review_due_hours)
    try:
        found.open_reviews.set(await context.store.count_reviews(ReviewFilter()))
        found.overdue.set(await context.store.count_reviews(ReviewFilter(opened_before=due)))
    except StoreUnavailableError:
        found.open_reviews.set(math.nan)
        found.overdue.set(math.nan)
    return Response(generate_latest(found.registry), media_type=CONTENT_TYPE_LATEST)
