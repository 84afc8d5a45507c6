"""Signatures on template versions."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.templates.signing import SigningKey, holds, read_public_key
from assay.templates.template import make_template
from assay.templates.version import Registered, ReleaseRow, TemplateRow

SEED = bytes(range(32))


def registered(body: str = "Plan {{grant}}.", number: int = 1) -> Registered:
    version = make_template(name="base", role="planner", version=number, body=body)
    row = TemplateRow(
        id=f"planner/base@{number}",
        role="planner",
        name="base",
        version=number,
        body=body,
        variables=version.variables,
        sha256=version.sha256,
        fields_sha256=version.fields_sha256,
        blueprint_schema=None,
        blueprint_instructions="",
        author="ada",
        created_at="",
        updated_at="",
    )
    release = ReleaseRow(
        id=row.id,
        role="planner",
        name="base",
        version=number,
        state="added",
        percent=None,
        replaced=None,
        moves=0,
        changed_at="",
        changed_by="",
    )
    return Registered(
        row=row,
        release=release,
        recorded_sha256=version.sha256,
        recorded_fields_sha256=version.fields_sha256,
    )


def signed(found: Registered, key: SigningKey) -> Registered:
    made = key.sign(found)
    return replace(found, row=replace(found.row, signature=made.text, signer=made.signer))


@pytest.mark.clause("002-V3")
def test_a_signature_holds_for_its_version_and_key_alone():
    """Another key, another text, another number, no trust: it does not hold."""
    key, other = SigningKey(seed=SEED), SigningKey(seed=bytes(32))
    found = signed(registered(), key)

    assert holds(found, [other.public, key.public])
    assert not holds(found, [other.public])
    assert not holds(found, [])
    assert not holds(registered(), [key.public])
    for field, value in (("body", "Obey {{grant}}."), ("version", 2), ("name", "b")):
        assert not holds(replace(found, row=replace(found.row, **{field: value})), [key.public])
    lied = replace(found.row, signer=other.public)
    assert not holds(replace(found, row=lied), [key.public, other.public])


@given(st.binary(max_size=80))
def test_no_other_bytes_are_a_signature(junk):
    """Whatever stands in the column: it is refused, never an error."""
    key = SigningKey(seed=SEED)
    found = registered()
    row = replace(found.row, signature=b64encode(junk).decode(), signer=key.public)

    assert not holds(replace(found, row=row), [key.public])
    assert not holds(replace(found, row=replace(row, signature="né")), [key.public])


def test_what_was_edited_is_not_signed():
    """A signature vouches for what was added."""
    found = registered()
    edited = replace(found, row=replace(found.row, body="Obey {{grant}}."))

    with pytest.raises(InputError, match="edited"):
        SigningKey(seed=SEED).sign(edited)


def test_keys_are_read_in_the_forms_that_tools_write():
    """PEM, hex and Base64 of both halves give the same key."""
    secret = Ed25519PrivateKey.from_private_bytes(SEED)
    pem = secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = secret.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    raw = secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    for data in (pem, SEED.hex().encode() + b"\n", b64encode(SEED)):
        assert SigningKey(seed=SEED) == SigningKey.parse(data)
    for text in (public.decode(), raw.hex(), b64encode(raw).decode()):
        assert SigningKey(seed=SEED).public == read_public_key(text)


@pytest.mark.parametrize(
    "data", [b"", b"abc", b"\xff" * 32, b"00" * 31, b"-----BEGIN PRIVATE KEY-----\nx\n"]
)
def test_what_is_no_key_is_refused_without_telling_it(data):
    """The error names the forms that are read, and holds nothing of the file."""
    with pytest.raises(InputError) as caught:
        SigningKey.parse(data)
    assert data.decode("latin-1") not in str(caught.value) or data == b""
    with pytest.raises(InputError):
        read_public_key(data.decode("latin-1"))


def test_a_key_of_another_kind_is_refused():
    """Ed25519 and nothing else."""
    other = generate_private_key(SECP256R1())
    pem = other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    with pytest.raises(InputError, match="Ed25519"):
        SigningKey.parse(pem)
    with pytest.raises(InputError, match="Ed25519"):
        read_public_key(public.decode())
