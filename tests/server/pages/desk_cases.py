"""Cases for the review desk: mails as people write them, replies that the gate rejects."""

from __future__ import annotations

import base64
import json
from typing import Any

from assay.runtime.access.keys import make_key
from assay.wiring.service import open_keys
from tests.runtime.tiny import UNKNOWN_LABEL
from tests.server.serving import run_aside

MAIL = """\
From: Sabine Köhler <sabine.koehler@example.org>
To: schaden@versicherung.example
Subject: Wasserschaden in der Küche, Police HR-2024-118833
Date: Mon, 02 Nov 2026 08:14:00 +0100
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8

Sehr geehrte Damen und Herren,

am Freitag ist in unserer Küche ein Rohr gebrochen. Das Wasser stand zwei Zentimeter hoch, \
der Boden und die Küchenzeile sind beschädigt. 🚿 Meine Versicherungsnummer ist HR-2024-118833.

Wenn ich bis Freitag nichts von Ihnen höre, schalte ich einen Anwalt ein.

Mit freundlichen Grüßen
Sabine Köhler

Am 30.10.2026 um 09:12 schrieb Kundenservice <service@versicherung.example>:
> Sehr geehrte Frau Köhler,
>
> vielen Dank für Ihre Anfrage zur Hausratversicherung.
> Bitte senden Sie uns die Unterlagen bis Monatsende.
>
> Ihr Kundenservice
"""


def _snippets(label: str, confidence: float, *quotes: str) -> dict[str, Any]:
    return {"label": label, "confidence": confidence, "evidence_snippets": list(quotes)}


WRONG = {
    "intents": [
        _snippets("INTENT_CLAIM_NEW", 0.91, "in unserer Küche ein Rohr gebrochen"),
        _snippets("INTENT_LEGAL", 0.7, "schalte ich sofort einen Anwalt ein"),
    ],
    "primary_intent": "INTENT_CLAIM",
    "product_line": _snippets("PROD_HOME", 0.8, "unserer Küche"),
    "urgency": _snippets("URG_HIGH", 0.75, "bis Freitag"),
    "risk_flags": [_snippets("RISK_LEGAL_THREAT", 0.8, "einen Anwalt")],
}
"""One label that there is not, one quote that stands nowhere, two quotes over each other."""

WRONG_REPLY = json.dumps(WRONG, ensure_ascii=False)

HOSTILE = (
    "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\"> "
    "\x1b[31mred\x1b[0m \u202egnorw\u202c {{ 7 * 7 }} water in the cellar </textarea><h1>big</h1>"
)


def long_mail() -> bytes:
    """A German mail of 300 lines: what happened, a long list of what was damaged, old mails."""
    head = MAIL.partition("\n\n")[0].replace(
        "Wasserschaden in der Küche", "Aufstellung der Schäden"
    )
    things = (
        "Donaudampfschifffahrtsgesellschaftskapitänsmütze (Erbstück, Wert geschätzt)",
        "Einbauküche samt Arbeitsplatte, Hängeschränken und Geschirrspüler",
        "Bodenbelag im Flur, Eichenparkett, vollflächig verklebt und aufgequollen",
        "Rechnung des Installateurbetriebs für die Notabdichtung am Freitagabend",
    )
    lines = ["Sehr geehrte Damen und Herren,", "", "anbei die Liste zum Schaden vom Freitag:", ""]
    lines += [
        f"{number}. {things[number % 4]}: {number * 37},00 EUR, angeschafft {1990 + number % 30}"
        for number in range(1, 240)
    ]
    lines += ["", "Bitte bestätigen Sie mir den Eingang dieser Schadenmeldung.", "", "S. Köhler"]
    lines += ["", "Am 30.10.2026 um 09:12 schrieb Kundenservice <service@versicherung.example>:"]
    lines += [f"> Zeile {number} der alten Nachricht an Sie." for number in range(50)]
    return (head + "\n\n" + "\n".join(lines) + "\n").encode()


def run(service: Any, pack: str, *inputs: tuple[str, bytes]) -> list[str]:
    """Run *inputs*; the ids of the reviews that they opened, the oldest first."""
    client = service.as_role()
    known = {each["id"] for each in _open(client)}
    body = {
        "pack": pack,
        "inputs": [
            {"name": name, "base64": base64.b64encode(content).decode()} for name, content in inputs
        ],
    }
    said = client.post("/v1/runs", json=body)
    assert 200 == said.status_code, said.text
    return [each["id"] for each in _open(client) if each["id"] not in known]


def tiny(service: Any, *texts: str) -> list[str]:
    """Reviews of the pack `tiny` about *texts*; each reply names a label that there is not."""
    return run(service, "tiny", *((f"{text[:20]}.txt", text.encode()) for text in texts))


def status_of(service: Any, review: str) -> str:
    """Of a review, as the API has it."""
    return str(service.as_role().get(f"/v1/reviews/{review}").json()["review"]["status"])


def know_reviewer(service: Any, name: str) -> None:
    """Have the service know somebody of this *name* who may decide."""

    async def make() -> None:
        async with open_keys(service.store) as (runtime, kept):
            await make_key(runtime.context, kept, name=name, role="reviewer", by="tests")

    run_aside(make())


def holder_of(service: Any, review: str) -> str | None:
    """Who works on a review, as the API has it."""
    held = service.as_role().get(f"/v1/reviews/{review}").json()["assigned_to"]
    return None if held is None else str(held["person"])


def _open(client: Any) -> list[dict[str, Any]]:
    return list(client.get("/v1/reviews?limit=1000").json()["reviews"])


UNKNOWN = [UNKNOWN_LABEL] * 400
