"""`assay keys` as a person or a script uses it."""

from __future__ import annotations

import pytest

from tests import command

STORE = ("--store", "sqlite:///n.db")


@pytest.mark.clause("009-A1")
def test_a_key_is_shown_once_listed_and_revoked(tmp_path):
    """The secret is printed when it is made and never again."""
    made = command.assay(
        tmp_path, "keys", "add", "Ann", "--role", "reviewer", "--days", "3", *STORE, "--json"
    )
    listed = command.assay(tmp_path, "keys", "list", *STORE)
    document = made.documents[0]
    revoked = command.assay(tmp_path, "keys", "revoke", document["id"], *STORE, "--json")
    again = command.assay(tmp_path, "keys", "revoke", document["id"], *STORE)
    after = command.assay(tmp_path, "keys", "list", *STORE, "--json").documents[0]["keys"]

    assert document["secret"].startswith("assay_")
    assert b"Ann" in listed.raw
    assert document["secret"].encode() not in listed.raw
    assert [{"revoked": document["id"]}] == revoked.documents
    assert (10, "not_found") == (again.code, again.err[6:15])
    assert [True] == [key["revoked_at"] is not None for key in after]


@pytest.mark.clause("009-A1")
def test_people_are_told_what_the_key_may_and_how_it_goes(tmp_path):
    """Its secret alone on the first line, so that it can be copied or cut off."""
    made = command.assay(tmp_path, "keys", "add", "crm", "--role", "operator", *STORE)
    first, rest = made.raw.decode().splitlines()

    assert (0, 1) == (made.code, len(first.split()))
    assert "crm is operator; it never expires; assay keys revoke " in rest


@pytest.mark.clause("009-A1")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("add", "Ann"), 2),
        (("add", "Ann", "--role", "root"), 2),
        (("add", " ", "--role", "viewer"), 10),
        (("list",), 10),
        (("revoke", "k1"), 10),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(tmp_path, words, code):
    """No role, an unknown one, no name, no store."""
    done = command.assay(tmp_path, "keys", *words, *STORE)

    assert (code, 1) == (done.code, len(done.err.splitlines()))
