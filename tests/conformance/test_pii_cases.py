"""The public personal-data cases, scored as their README says."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from assay.redaction.redactor import Redaction, Redactor

REDACTOR = Redactor()
NOT_PHONES = {"DATE_TIME", "CREDIT_CARD", "IBAN_CODE", "STREET_ADDRESS"}


def rows(cases: Path, name: str) -> list[dict]:
    with (cases / "pii" / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def redact(text: str, region: str = "") -> Redaction:
    return (Redactor(regions=(region,)) if region else REDACTOR).redact(text)


def hidden(view: Redaction, start: int, stop: int, cls: str = "") -> bool:
    """Whether no character of the range is left (under *cls*, where given)."""
    for span in view.spans:
        if span.start <= start < span.stop and (not cls or span.cls == cls):
            start = span.stop
    return start >= stop


def right(entry: dict) -> set[str]:
    return {entry["class"], *entry["also_right"]} - {None}


@pytest.fixture(scope="module")
def mapping(cases) -> dict:
    return json.loads((cases / "pii" / "mapping.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def research(cases) -> list[dict]:
    return rows(cases, "presidio_research.jsonl")


def test_recall_of_the_structured_classes(research, mapping):
    """Every e-mail address, telephone number, identifier and number of the texts is hidden."""
    known = mapping["presidio_research"]
    missed = Counter()
    for row in research:
        view = redact(row["text"])
        for span in row["spans"]:
            cls = known[span["category"]]["class"]
            if cls in {"EMAIL", "PHONE", "ID_CODE", "NUMBER"}:
                missed[cls] += not hidden(view, span["start"], span["stop"])

    assert {"EMAIL": 0, "PHONE": 0, "ID_CODE": 0, "NUMBER": 0} == missed


PINNED = frozenset(("DATE_TIME", "IP_ADDRESS"))
"""The public mapping has no class for these; birth dates and addresses of machines are ID_CODE."""


def test_precision_of_the_structured_classes(research, mapping):
    """At most one surrogate of these classes covers something that it should not."""
    known = mapping["presidio_research"]
    wrong = []
    for row in research:
        for found in redact(row["text"]).spans:
            if found.cls in {"SIMPLE_NAME", "ADDRESS_LINE"}:
                continue
            over = [s for s in row["spans"] if s["start"] < found.stop and found.start < s["stop"]]
            if found.cls == "ID_CODE" and any(s["category"] in PINNED for s in over):
                continue
            if not any(found.cls in right(known[s["category"]]) for s in over):
                wrong.append((found.cls, row["id"]))

    assert len(wrong) <= 1, wrong


def test_nothing_else_is_taken_for_a_telephone_number(research):
    """No date, card, account number or address becomes PHONE."""
    taken = [
        (row["id"], span["category"])
        for row in research
        for found in redact(row["text"]).spans
        if found.cls == "PHONE"
        for span in row["spans"]
        if span["category"] in NOT_PHONES
        and span["start"] < found.stop
        and found.start < span["stop"]
    ]

    assert [] == taken


def test_no_hidden_value_is_left_and_twice_is_once(research):
    """The value of a hidden span stands nowhere; redacting again changes nothing."""
    for row in research:
        view = redact(row["text"])
        values = {row["text"][s.start : s.stop] for s in view.spans}
        values |= {s["text"] for s in row["spans"] if hidden(view, s["start"], s["stop"])}

        assert [] == [value for value in values if value in view.text], row["id"]
        assert view.text == REDACTOR.redact(view.text).text, row["id"]


@pytest.mark.parametrize(
    ("kind", "cls"),
    [("iban", "ID_CODE"), ("credit_card", "ID_CODE"), ("email", "EMAIL"), ("phone", "PHONE")],
)
def test_recogniser_cases(cases, kind, cls):
    """Positives are hidden; what fails its check is not claimed as that very kind."""
    for row in rows(cases, "recogniser_cases.jsonl"):
        if row["recogniser"] != kind:
            continue
        view = redact(row["text"])
        if row["expected_count"]:
            assert all(hidden(view, span[0], span[1]) for span in row["expected_spans"]), row
            assert len(view.spans) >= row["expected_count"], row
        else:
            assert cls not in view.counts, row


def test_valid_addresses_accounts_and_cards_are_hidden(cases, mapping):
    """validator.js: e-mail addresses, account numbers and cards, under a right class."""
    for row in rows(cases, "validatorjs.jsonl"):
        if row["validator"] in {"isEmail", "isIBAN", "isCreditCard"} and row["valid"]:
            classes = right(mapping["validatorjs"][row["validator"]])

            assert classes & set(redact(row["text"]).counts), row


def test_invalid_addresses_are_not_taken_whole(cases):
    """validator.js: what is no e-mail address is not masked as one; part of it may be."""
    for row in rows(cases, "validatorjs.jsonl"):
        if row["validator"] == "isEmail" and not row["valid"] and row["args"] == []:
            spans = [(s.start, s.stop) for s in redact(row["text"]).spans if s.cls == "EMAIL"]

            assert (0, len(row["text"])) not in spans, row


@pytest.mark.parametrize("own_region", [True, False])
def test_phone_matcher_expectations(cases, own_region):
    """libphonenumber: every expectation is met, under its region and under the default ones."""
    for row in rows(cases, "phone_matcher.jsonl"):
        view = redact(row["text"], row["region"] if own_region else "")
        if row["expected"] == "phone":
            assert hidden(view, 0, len(row["text"]), "PHONE"), row
        if row["expected"] == "no_phone":
            assert "PHONE" not in view.counts, row


def test_most_addresses_are_found(cases):
    """libpostal: of 46 lines 33 hold a street that the rules tell; the rest is reported."""
    found = [
        row
        for row in rows(cases, "addresses.jsonl")
        if "ADDRESS_LINE" in redact(row["text"]).counts
    ]

    assert len(found) >= 33


def test_bugs_reported_against_others(cases):
    """The entries on redaction: their inputs, our answers."""
    with (cases / "bugs.jsonl").open(encoding="utf-8") as lines:
        bugs = {row["id"]: row for row in map(json.loads, lines)}
    three = redact(bugs["several-addresses-one-token"]["input"]["text"])
    spans = redact(bugs["offsets-of-masked-text"]["input"]["text"])
    uuid = redact(bugs["phone-inside-an-identifier"]["input"]["text"])

    assert ({"EMAIL": 3}, 3, 2) == (three.counts, len(three.map), three.text.count("] ["))
    assert {"SIMPLE_NAME": 1, "EMAIL": 1, "PHONE": 1} == spans.counts
    assert {"ID_CODE": 1} == uuid.counts
