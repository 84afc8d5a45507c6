"""A service with a pack that shows what nobody has judged, and clients of OpenAI for it."""

from __future__ import annotations

from contextlib import contextmanager

from tests.parts import require_part
from tests.runtime.tiny import FILES, write_pack
from tests.server.serving import serving

(openai,) = require_part("openai", "openai")

TEXT = "There is water in the cellar. The pipe broke on Monday."
MESSAGES = [{"role": "user", "content": TEXT}]
NAMED = {"x-assay-contract": "tiny/triage"}


@contextmanager
def serving_doors(place, model="extractive", **environ):
    """A service with `tiny`, and `open`: the same, but its replies are shown as they arrive."""
    declared = FILES["pack.yaml"].replace(b"name: tiny", b"name: open")
    declared = declared.replace(b"source: text", b"source: documents") + b"show: unjudged\n"
    write_pack(place / "open", {**FILES, "pack.yaml": declared})
    packs = f"{place / 'tiny'} {place / 'open'} intake grants services grounded"
    with serving(place, model, ASSAY_SERVE_PACKS=packs, **environ) as service:
        yield service


def client_of(service, role="operator", **options):
    """The SDK of OpenAI as somebody; a key of None is no key of the service."""
    key = "assay_nobody" if role is None else service.keys[role]
    client = openai.OpenAI(
        base_url=f"{service.address}/openai/v1", api_key=key, max_retries=0, timeout=60, **options
    )
    service.clients.append(client)
    return client
