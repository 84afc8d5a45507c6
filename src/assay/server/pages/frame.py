"""What all pages share: their frame, their language, how times and digests are shown.

In      a request, the name of a page's template, its values
Out     HTML
Effects reads the package's templates once
Spec    009-P1, 009-P2; pages without script are whole

Everything that is shown is escaped; a value that a template needs and does not get is an error.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any, Final
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from assay.contract.model_names import shown_model
from assay.core.json.canonical import digest
from assay.core.text.controls import show_unseen
from assay.runtime.access.callers import Caller
from assay.server.guard import FORM_FIELD
from assay.server.pages.shown_text import isolate_text, show_source, tell_foreign
from assay.server.pages.words import LANGUAGES, NAMES, Words, choose_language, words_of

LANGUAGE_COOKIE: Final = "assay_language"

PAGES: Final = (
    ("/reviews", "reviews"),
    ("/calls", "calls"),
    ("/sessions", "sessions"),
    ("/answers", "answers"),
    ("/templates", "templates"),
    ("/record", "record"),
    ("/figures", "figures"),
)
"""What the frame leads to, in this order: address, key of its name."""

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def language_of(request: Request) -> str:
    """The language that this page is shown in."""
    return choose_language(
        request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language", "")
    )


def words_for(request: Request) -> Words:
    """The words of the language that this page is shown in."""
    return words_of(language_of(request))


def render_page(
    request: Request,
    template: str,
    *,
    title: str,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> HTMLResponse:
    """A whole page.

    Args:
        template: Its file under `templates`; it extends `base.html`.
        title: Of the page, in the words of its language.
        values: What the template shows.
    """
    caller: Caller | None = getattr(request.state, "caller", None)
    words = words_for(request)
    now = request.app.state.service.runtime.context.clock.now()
    html = (
        environment()
        .get_template(template)
        .render(
            {
                "t": words,
                "title": title,
                "request": request,
                "path": request.url.path,
                "caller": caller,
                "form_field": FORM_FIELD,
                "form_token": "" if caller is None else caller.form_token or "",
                "pages": PAGES,
                "languages": [(code, NAMES[code]) for code in LANGUAGES],
                "told": lambda key, **given: tell_foreign(words, key, **given),
                "ago": lambda moment: tell_ago(words, moment, now),
                "with_query": lambda **changes: with_query(request, changes),
                **values,
            }
        )
    )
    return HTMLResponse(html, status_code=status, headers=dict(headers or {}))


@cache
def environment() -> Environment:
    """The templates of all pages."""
    made = Environment(
        loader=PackageLoader("assay.server.pages", "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["short"] = short_digest
    made.filters["moment"] = show_moment
    made.filters["seen"] = show_unseen
    made.filters["foreign"] = isolate_text
    made.filters["source"] = show_source
    made.filters["shown_model"] = shown_model
    made.filters["as_json"] = show_json
    made.globals["asset"] = asset_path
    return made


def short_digest(text: str) -> str:
    """The first ten characters of a digest or an id, without its algorithm.

    Example:
        >>> short_digest("sha256:0123456789abcdef")
        '0123456789'
    """
    return text.removeprefix("sha256:")[:10]


def show_json(value: Any) -> str:
    """A value as JSON for people; what is text already stays as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def show_moment(moment: datetime | str) -> str:
    """A time to the second, in UTC.

    Example:
        >>> show_moment("2026-05-01T12:00:00.250000Z")
        '2026-05-01 12:00:00 UTC'
    """
    return f"{_moment(moment):%Y-%m-%d %H:%M:%S} UTC"


def tell_ago(words: Words, moment: datetime | str, now: datetime) -> str:
    """How long ago, or in how long, in the page's words."""
    seconds = (now - _moment(moment)).total_seconds()
    way = "ago" if seconds >= 0 else "in"
    seconds = abs(seconds)
    if seconds < _MINUTE:
        return words(f"time.{way}.now")
    for unit, size in (("day", _DAY), ("hour", _HOUR), ("minute", _MINUTE)):
        if seconds >= size:
            return words.count(f"time.{way}.{unit}", int(seconds // size))
    raise AssertionError("a minute is at least a minute")


def _moment(moment: datetime | str) -> datetime:
    found = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return found.astimezone(UTC)


def with_query(request: Request, changes: Mapping[str, Any]) -> str:
    """This page's address with parts of its query changed; None takes one away."""
    query = {**request.query_params, **{k: v for k, v in changes.items() if v is not None}}
    for name in [name for name, value in changes.items() if value is None]:
        query.pop(name, None)
    return f"{request.url.path}?{urlencode(query)}" if query else request.url.path


@cache
def asset(name: str) -> bytes:
    """A file of `static`. Raises FileNotFoundError."""
    if name not in asset_names():
        raise FileNotFoundError(name)
    return resources.files("assay.server.pages").joinpath("static", name).read_bytes()


@cache
def asset_names() -> Sequence[str]:
    """The files of `static`."""
    folder = resources.files("assay.server.pages").joinpath("static")
    return sorted(each.name for each in folder.iterdir() if each.is_file())


def asset_path(name: str) -> str:
    """Where a file of `static` is served: with its digest, so that it may be cached for good."""
    return f"/static/{digest(asset(name)).removeprefix('sha256:')[:12]}/{name}"
