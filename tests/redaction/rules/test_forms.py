"""Personal data in the forms that people and programs write it; the forms stand by subject."""

from __future__ import annotations

import pytest

from assay.redaction.redactor import Redactor
from tests.redaction.rules.forms_of_codes import ACCOUNTS, BIRTH_DATES, HOSTS, IDENTIFIERS
from tests.redaction.rules.forms_of_names import NAMES, WITHOUT_CASE
from tests.redaction.rules.forms_of_numbers import ADDRESSES, TELEPHONES
from tests.redaction.rules.forms_of_places import PLACES
from tests.redaction.rules.forms_of_secrets import SECRETS

REDACTOR = Redactor()

TABLES = {
    # By twos and fives, with dots, over a line end, glued to its label.
    "account": ("005-P14", "ID_CODE", ACCOUNTS),
    # By check digits, or behind a word that says what it is.
    "identifier": ("005-P14", "ID_CODE", IDENTIFIERS),
    # In words and figures, a place between, in many languages.
    "birth date": ("005-P14", "ID_CODE", BIRTH_DATES),
    # IPv4 and IPv6, in brackets, with a port, in the address of a page.
    "host": ("005-P14", "ID_CODE", HOSTS),
    # Published prefixes, shapes of tokens, what a label announces.
    "secret": ("005-P14", "ID_CODE", SECRETS),
    # Spaced signs, glued words, line ends, extensions, addresses of pages, all scripts.
    "telephone": ("005-P14", "PHONE", TELEPHONES),
    # Encoded, spelt out, with something glued behind, in letters of every script.
    "mail address": ("005-P14", "EMAIL", ADDRESSES),
    # Upper case, without a space, the place on the line below, in ten countries.
    "place": ("005-P14", "ADDRESS_LINE", PLACES),
    # Introductions, signatures, in front of an address, a telephone number, a street.
    "name": ("005-P14", "SIMPLE_NAME", NAMES),
    # After labels and titles, before honorifics.
    "name without case": ("005-P15", "SIMPLE_NAME", WITHOUT_CASE),
}
"""The point that asks for them, their class, and texts with the value that must be hidden."""

FORMS = [
    pytest.param(text, value, cls, marks=pytest.mark.clause(clause), id=f"{kind}: {value}")
    for kind, (clause, cls, forms) in TABLES.items()
    for text, value in forms
]


@pytest.mark.parametrize(("text", "value", "cls"), FORMS)
def test_personal_data_is_hidden_in_each_form(text, value, cls):
    """One finding of its class covers the whole value, and a second pass finds no more."""
    view = REDACTOR.redact(text)

    at = text.index(value)
    assert any(s.cls == cls and s.start <= at and s.stop >= at + len(value) for s in view.spans), (
        view.text
    )
    assert view.text == REDACTOR.redact(view.text).text
