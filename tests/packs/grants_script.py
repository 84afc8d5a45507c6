"""A perfect planner, writer and formatter for one call, for the tests of the grants pack."""

from __future__ import annotations

import json
from typing import Any

CALL = (
    "Village Wells Fund, round 3. Grants of up to 20,000 euro pay for safe drinking water in "
    "places of fewer than 2,000 people. Applicants must be registered charities. Projects must "
    "start before 1 June 2027. Running costs are not paid."
)
NOTES = (
    "We are Brunnen e.V., a registered charity. The village of Au has 340 people and one well, "
    "which fell dry in 2025. We drill a new well of 60 metres and train two wardens. Drilling "
    "costs 14,000 euro, the pump 3,500 euro. We start in March 2027."
)
INPUT = {"call": CALL, "notes": NOTES}

PLAN: dict[str, Any] = {
    "title": "A new well for Au",
    "requirements": [
        {
            "requirement": "The applicant is a registered charity.",
            "evidence_snippets": ["Applicants must be registered charities."],
        },
        {
            "requirement": "The place has fewer than 2,000 people.",
            "evidence_snippets": ["places of fewer than 2,000 people"],
        },
    ],
    "sections": {
        "summary": "Who asks for what.",
        "need": "340 people, one dry well.",
        "approach": "Drill a new well, train two wardens.",
        "impact": "Safe water for all.",
        "resources": "Costs of drilling and pump.",
    },
}

DRAFT: dict[str, Any] = {
    "summary": {
        "text": "Brunnen e.V., a registered charity, asks for 17,500 euro. It drills a new well.",
        "evidence_snippets": ["a registered charity", "We drill a new well of 60 metres"],
    },
    "need": {
        "text": "Au has 340 people. Its one well fell dry in 2025.",
        "evidence_snippets": ["has 340 people and one well, which fell dry in 2025"],
    },
    "approach": {
        "text": "The well is 60 metres deep. Two wardens are trained.",
        "evidence_snippets": ["train two wardens"],
    },
    "impact": {
        "text": "All 340 people have safe drinking water.",
        "evidence_snippets": ["safe drinking water"],
    },
    "resources": {
        "text": "Drilling: 14,000 euro. Pump: 3,500 euro.",
        "evidence_snippets": ["Drilling costs 14,000 euro, the pump 3,500 euro."],
    },
}


def _section(number: str, heading: str, *text: str, kind: str = "paragraph") -> dict[str, Any]:
    blocks = [{"kind": kind, "text": list(text)}]
    return {"number": number, "heading": heading, "blocks": blocks}


DOCUMENT: dict[str, Any] = {
    "title": "A new well for Au",
    "sections": {
        "summary": _section(
            "1",
            "Summary",
            "Brunnen e.V., a registered charity, asks for 17,500 euro.",
            "It drills a new well.",
        ),
        "project": {
            "number": "2",
            "heading": "The project",
            "sections": {
                "need": _section(
                    "2.1", "Need", "Au has 340 people. Its one well fell dry in 2025."
                ),
                "approach": _section(
                    "2.2", "Approach", "The well is 60 metres deep. Two wardens are trained."
                ),
                "impact": _section("2.3", "Impact", "All 340 people have safe drinking water."),
            },
        },
        "resources": _section(
            "3", "Resources", "Drilling: 14,000 euro.", "Pump: 3,500 euro.", kind="list"
        ),
    },
}


def changed(value: dict[str, Any], new: Any, *path: str | int) -> dict[str, Any]:
    """A copy of *value* with something else at *path*."""
    copy = json.loads(json.dumps(value))
    place: Any = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = new
    return copy
