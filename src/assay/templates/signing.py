"""Signatures on template versions: Ed25519 over every field of the version.

In      a version's reference and digest over all its fields; keys
Out     signature, and whether one holds under a key that is trusted
Pure    yes
Spec    002-V3; RFC 8032

What is signed names role, name, version and the digest over every field, so a signature fits
one version with one text and no other.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Collection
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from assay.core.json.canonical import canonical
from assay.errors import InputError
from assay.templates.version import Registered

_KEY_BYTES = 32
_HINT = "openssl genpkey -algorithm ed25519 -out FILE; or 32 bytes in hex or Base64"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Who says that a version is theirs."""

    text: str
    """Base64 of 64 bytes."""

    signer: str
    """The public key, 64 hex digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningKey:
    """The secret half of a key."""

    seed: bytes = field(repr=False)
    """32 secret bytes."""

    @classmethod
    def parse(cls, data: bytes) -> SigningKey:
        """A key from its file: PEM (PKCS 8), or 32 bytes in hex or Base64.

        Raises:
            InputError: it is none. The message holds nothing of it.
        """
        if b"-----BEGIN" in data:
            try:
                key = load_pem_private_key(data, password=None)
            except (ValueError, TypeError, UnsupportedAlgorithm) as error:
                raise InputError("the signing key cannot be read", hint=_HINT) from error
            if not isinstance(key, Ed25519PrivateKey):
                raise InputError("the signing key is no Ed25519 key", hint=_HINT)
            return cls(seed=key.private_bytes_raw())
        return cls(seed=_key_bytes(data, "signing key"))

    @property
    def public(self) -> str:
        """The other half, 64 hex digits; it may be handed to anybody."""
        return self._key().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()

    def sign(self, version: Registered) -> Signature:
        """Sign *version* as it was added.

        Raises:
            InputError: what stands in the store now is not what was added.
        """
        if version.drifted:
            raise InputError(f"template {version.row.id} was edited since it was added")
        signed = self._key().sign(message(version))
        return Signature(text=b64encode(signed).decode("ascii"), signer=self.public)

    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)


def message(version: Registered) -> bytes:
    """What a signature is made over: the version as it stands in the store now."""
    row = version.row
    return b"assay template version\n" + canonical(
        {
            "role": row.role,
            "name": row.name,
            "version": row.version,
            "fields_sha256": version.found_fields_sha256,
        }
    )


def read_public_key(text: str) -> str:
    """A trusted key, in hex, Base64 or PEM, as 64 hex digits.

    Raises:
        InputError: it is none.
    """
    if "-----BEGIN" in text:
        try:
            key = load_pem_public_key(text.encode("utf-8"))
        except (ValueError, UnsupportedAlgorithm) as error:
            raise InputError("a trusted template key cannot be read") from error
        if not isinstance(key, Ed25519PublicKey):
            raise InputError("a trusted template key is no Ed25519 key")
        return key.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
    return _key_bytes(text.encode("utf-8"), "trusted template key").hex()


def holds(version: Registered, trusted: Collection[str]) -> bool:
    """Is the version, as it stands now, signed under one of the *trusted* keys?"""
    row = version.row
    if row.signature is None or row.signer is None or row.signer not in trusted:
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(row.signer))
        key.verify(b64decode(row.signature, validate=True), message(version))
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return True


def _key_bytes(data: bytes, what: str) -> bytes:
    try:
        word = data.decode("ascii").strip()
        raw = bytes.fromhex(word) if len(word) == 2 * _KEY_BYTES else b64decode(word, validate=True)
    except (ValueError, binascii.Error) as error:
        raise InputError(f"a {what} is 32 bytes in hex or Base64", hint=_HINT) from error
    if len(raw) != _KEY_BYTES:
        raise InputError(f"a {what} is 32 bytes in hex or Base64", hint=_HINT)
    return raw
