"""A real browser that looks at a real service, and what every page is held to.

Debian's Chromium, driven by Playwright. Each look fails on a word on the console, on a request
that leaves the service, and on a serious fault that axe-core finds. Screenshots of every page, in
light and dark and three widths, are kept in `build/screenshots`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.parts import absent, require_part
from tests.server.serving import Serving, run_aside

playwright, axe = require_part(
    "browser", "playwright.sync_api", "axe_playwright_python.sync_playwright"
)

from assay.runtime.access.callers import start_session  # noqa: E402
from assay.server.guard import COOKIE  # noqa: E402
from assay.wiring.service import open_keys  # noqa: E402

SHOTS = Path(__file__).resolve().parents[3] / "build" / "screenshots"
WIDTHS = (390, 1280, 1920)
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def browsing() -> Iterator[Any]:
    """Chromium; where there is none, the tests that need one say so."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if found is None:
        absent("browser", "Chromium is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


class Looking:
    """Somebody who is signed in at a service, with a window of their own."""

    def __init__(
        self,
        browser: Any,
        service: Serving,
        role: str = "admin",
        *,
        person: str | None = None,
        language: str = "en",
        **options: Any,
    ) -> None:
        self.service = service
        self.faults: list[str] = []
        self.context = browser.new_context(
            base_url=service.address, locale=language, viewport={"width": 1280, "height": 900},
            **options,
        )  # fmt: skip
        self.context.add_cookies(
            [
                {
                    "name": COOKIE,
                    "value": sign_in(service.store, person or role, role),
                    "url": service.address,
                }
            ]
        )
        self.page = self.context.new_page()
        self.page.on("console", self._note_console)
        self.page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        self.page.on("request", self._note_request)

    def _note_console(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.faults.append(f"console: {message.text}")

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self.service.address, "data:", "blob:")):
            self.faults.append(f"leaves the host: {request.url}")

    def __enter__(self) -> Looking:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        self.context.close()
        if kind is None:
            assert [] == self.faults

    def open(self, path: str) -> Any:
        """Go to a page; it is there when this returns."""
        response = self.page.goto(path)
        assert response is not None
        assert response.status < 500, response.text()
        return self.page

    def require_fit(self) -> None:
        """What axe-core holds a page to."""
        found = axe.Axe().run(self.page)
        bad = [
            (each["id"], each["impact"], [node["html"][:160] for node in each["nodes"][:3]])
            for each in found.response["violations"]
            if each["impact"] in {"serious", "critical"}
        ]
        assert [] == bad

    def keep_shots(self, name: str) -> None:
        """Pictures of the page as it stands: light and dark, three widths, printed."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        for scheme in ("light", "dark"):
            for width in WIDTHS:
                self.page.emulate_media(color_scheme=scheme)
                self.page.set_viewport_size({"width": width, "height": 900})
                self.page.screenshot(path=SHOTS / f"{name}-{scheme}-{width}.png", full_page=True)
                over = self.page.evaluate(
                    "document.documentElement.scrollWidth - document.documentElement.clientWidth"
                )
                assert over <= 0, f"{name} is {over} px too wide at {width}"
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size({"width": 1280, "height": 900})


def sign_in(store: str, person: str, role: Any) -> str:
    """A session of the pages, made in the store; the value of its cookie."""

    async def begin() -> str:
        async with open_keys(store) as (runtime, service):
            return await start_session(service, runtime.context.clock, person=person, role=role)

    return run_aside(begin())
