"""Signing keys of checkpoints as they stand in files.

In      the bytes of a key file; the name that a key without one goes by
Out     Signer, Verifier
Pure    yes
Spec    RFC 8410; C2SP signed-note

A file may hold several keys, as PEM blocks or as lines of the note format. That is how keys are
rotated: sign with the old and the new one for a while, then take the old one out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from assay.errors import InputError
from assay.record.checkpoint import Signer, Verifier

_PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]+)-----.*?-----END \1-----", re.DOTALL)
_HINT = "assay audit keygen, or: openssl genpkey -algorithm ed25519 -out FILE"


def read_signers(data: bytes, name: str) -> tuple[Signer, ...]:
    """All secret keys of a file, in its order.

    Args:
        data: PEM (PKCS 8, not encrypted), or lines `PRIVATE+KEY+NAME+ID+KEY`.
        name: What keys in PEM, which have no name, go by: the origin of the log.

    Raises:
        InputError: there is none, or one cannot be read. The message holds nothing of it.
    """
    signers = []
    for pem, text in _pieces(data, "signing key"):
        if not pem:
            signers.append(Signer.parse(text))
            continue
        try:
            key = load_pem_private_key(text.encode("ascii"), password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise InputError("a signing key cannot be read", hint=_HINT) from error
        if not isinstance(key, Ed25519PrivateKey):
            raise InputError("a signing key is no Ed25519 key", hint=_HINT)
        signers.append(Signer(name=name, seed=key.private_bytes_raw()))
    if not signers:
        raise InputError("the file holds no signing key", hint=_HINT)
    return tuple(signers)


def read_verifiers(data: bytes, name: str) -> tuple[Verifier, ...]:
    """All public keys of a file; of a file with secret keys, their public halves.

    Args:
        data: PEM, or lines `NAME+ID+KEY`.
        name: As in `read_signers`.

    Raises:
        InputError: there is none, or one cannot be read.
    """
    if b"PRIVATE" in data:
        return tuple(signer.verifier for signer in read_signers(data, name))
    verifiers = []
    for pem, text in _pieces(data, "trusted key"):
        if not pem:
            verifiers.append(Verifier.parse(text))
            continue
        try:
            key = load_pem_public_key(text.encode("ascii"))
        except (ValueError, UnsupportedAlgorithm) as error:
            raise InputError("a trusted key cannot be read") from error
        if not isinstance(key, Ed25519PublicKey):
            raise InputError("a trusted key is no Ed25519 key")
        verifiers.append(Verifier(name=name, public=key.public_bytes_raw()))
    if not verifiers:
        raise InputError("the file holds no public key", hint="PEM, or lines NAME+ID+KEY")
    return tuple(verifiers)


def key_files(seed: bytes) -> tuple[bytes, bytes]:
    """The secret key from 32 secret bytes, and its public half, both in PEM."""
    key = Ed25519PrivateKey.from_private_bytes(seed)
    return (
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    )


def _pieces(data: bytes, what: str) -> Iterator[tuple[bool, str]]:
    """Each key in *data*: whether it is PEM, and its text."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError as error:
        raise InputError(f"the file of a {what} is no text", hint=_HINT) from error
    for found in _PEM.finditer(text):
        yield True, found.group() + "\n"
    for line in _PEM.sub("", text).splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield False, line.strip()
