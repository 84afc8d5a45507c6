"""Signing keys in files: PEM or the note format, one or several."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import InputError
from assay.record.checkpoint import Signer
from assay.record.keys import key_files, read_signers, read_verifiers

ONE = Signer(name="log", seed=b"1" * 32)
TWO = Signer(name="other", seed=b"2" * 32)


def test_pem_and_notes_say_the_same_key() -> None:
    """A key in PEM goes by the name of the log; one in the note format by its own."""
    secret, public = key_files(b"1" * 32)
    note = (ONE.secret_text() + "\n").encode()

    assert (ONE,) == read_signers(secret, "log") == read_signers(note, "any")
    assert (ONE.verifier,) == read_verifiers(public, "log")
    assert (ONE.verifier,) == read_verifiers(secret, "log")
    assert (ONE.verifier,) == read_verifiers(str(ONE.verifier).encode(), "any")


def test_a_file_holds_several_keys_in_order() -> None:
    """That is how keys are rotated; comments and empty lines are passed over."""
    secret, public = key_files(b"1" * 32)
    secrets = b"# new\n\n" + secret + (TWO.secret_text() + "\n").encode()
    publics = public + f"# old\n{TWO.verifier}\n".encode()

    assert (ONE, TWO) == read_signers(secrets, "log")
    assert (ONE.verifier, TWO.verifier) == read_verifiers(publics, "log")


def _other_kind() -> tuple[bytes, bytes]:
    key = generate_private_key(SECP256R1())
    return (
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    )


def _locked() -> bytes:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(b"1" * 32)
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"p"))


SECRET = b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize("data", [b"", b"# only a comment", b"word", b"\xff", SECRET, _locked()])
def test_what_is_no_secret_key_is_refused(data: bytes) -> None:
    """Empty, words, bytes, damaged, locked with a password; nothing of it in the message."""
    with pytest.raises(InputError) as caught:
        read_signers(data, "log")
    assert "AAAA" not in str(caught.value)


def test_other_kinds_of_key_are_refused() -> None:
    """Ed25519 alone signs checkpoints."""
    secret, public = _other_kind()
    with pytest.raises(InputError, match="Ed25519"):
        read_signers(secret, "log")
    with pytest.raises(InputError, match="Ed25519"):
        read_verifiers(public, "log")
    with pytest.raises(InputError):
        read_verifiers(b"", "log")


@given(st.binary(max_size=200))
def test_bytes_are_keys_or_refused(data: bytes) -> None:
    """Whatever a file holds, it ends in keys or in a refusal."""
    for read in (read_signers, read_verifiers):
        try:
            keys = read(data, "log")
        except InputError:
            continue
        assert keys
