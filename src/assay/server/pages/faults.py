"""An error as a page, for who looks with a browser.

In      errors
Out     a page that says what happened, that nothing was lost, what to do; or the way to sign in
Effects none
Spec    009-P1, 009-H2
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from assay.errors import AssayError
from assay.server.pages.entrance import sign_in_address
from assay.server.pages.frame import render_page, words_for

_PROGRAMS = ("/v1/", "/openai/", "/mcp", "/healthz", "/readyz", "/metrics")


def wants_page(request: Request) -> bool:
    """Whether a person looks, who wants a page and no JSON."""
    accepts = request.headers.get("accept", "")
    return "text/html" in accepts and not request.url.path.startswith(_PROGRAMS)


def fault_page(request: Request, status: int, error: AssayError) -> Response:
    """The page for *error*; who is not signed in is led there."""
    if status == 401:
        return RedirectResponse(sign_in_address(request), status_code=303)
    t = words_for(request)
    known = t.find(f"fault.title.{status}")
    return render_page(
        request,
        "fault.html",
        title=known or t("fault.title.other"),
        status=status,
        code=error.code,
        message=error.message,
        hint=error.hint,
    )
