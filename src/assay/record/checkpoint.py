"""Signed tree heads, in the form that transparency logs share: C2SP tlog-checkpoint.

In      size and root of the log, Ed25519 keys
Out     the text of a checkpoint; what a text says and whose signatures on it hold
Pure    yes
Spec    C2SP tlog-checkpoint and signed-note; RFC 8032

A checkpoint is a note: the log's name, the number of entries and the root in Base64, a line
each, perhaps further lines; then an empty line; then a signature a line:
`— KEYNAME BASE64(four bytes of key id, signature)`. Keys are rotated by signing with the old and
the new one for a while: whoever knows either of them accepts the note, and lines by unknown keys
mean nothing.
"""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from assay.errors import InputError, IntegrityError

_ED25519 = b"\x01"
_DASH = "\u2014 "
_KEY_BYTES = 32
_MAX_SIGNATURES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Verifier:
    """The public half of a key, under the name that its signatures carry."""

    name: str
    """Names the log or the witness; without white space and `+`."""

    public: bytes
    """32 bytes."""

    def __post_init__(self) -> None:
        _check_name(self.name)
        if len(self.public) != _KEY_BYTES:
            raise InputError("a public key has 32 bytes")

    @classmethod
    def parse(cls, text: str) -> Verifier:
        """A key in the form `NAME+HEXID+BASE64`, which may be handed to anybody.

        Raises:
            InputError: the text has another form, or its id is not that of the key.
        """
        try:
            name, key_id, encoded = text.strip().split("+", 2)
            data = _decode(encoded)
        except ValueError as error:
            raise InputError("a verifier key has the form NAME+ID+KEY") from error
        if data[:1] != _ED25519:
            raise InputError("the key is of a kind that is not known; Ed25519 is")
        verifier = cls(name=name, public=data[1:])
        if verifier.key_id.hex() != key_id:
            raise InputError("the id of the verifier key is not that of the key")
        return verifier

    @property
    def key_id(self) -> bytes:
        """Four bytes that tell keys of one name apart."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:4]

    def __str__(self) -> str:
        encoded = b64encode(_ED25519 + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{encoded}"

    def accepts(self, message: bytes, signature: bytes) -> bool:
        """Whether *signature* was made over *message* with the other half of this key."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """The secret half of a key."""

    name: str
    """As in the verifier."""

    seed: bytes = field(repr=False)
    """32 secret bytes."""

    def __post_init__(self) -> None:
        _check_name(self.name)
        if len(self.seed) != _KEY_BYTES:
            raise InputError("a signing key has 32 bytes")

    @classmethod
    def parse(cls, text: str) -> Signer:
        """A key in the form `PRIVATE+KEY+NAME+HEXID+BASE64`.

        Raises:
            InputError: the text has another form; the message holds nothing of it.
        """
        try:
            private, key, name, key_id, encoded = text.strip().split("+", 4)
            data = _decode(encoded)
        except ValueError as error:
            raise InputError("a signing key has the form PRIVATE+KEY+NAME+ID+KEY") from error
        if (private, key, data[:1]) != ("PRIVATE", "KEY", _ED25519):
            raise InputError("a signing key has the form PRIVATE+KEY+NAME+ID+KEY")
        signer = cls(name=name, seed=data[1:])
        if signer.verifier.key_id.hex() != key_id:
            raise InputError("the id of the signing key is not that of the key")
        return signer

    @property
    def verifier(self) -> Verifier:
        """The public half."""
        private = Ed25519PrivateKey.from_private_bytes(self.seed)
        return Verifier(name=self.name, public=private.public_key().public_bytes_raw())

    def secret_text(self) -> str:
        """The form that `parse` reads: a secret."""
        encoded = b64encode(_ED25519 + self.seed).decode()
        return f"PRIVATE+KEY+{self.name}+{self.verifier.key_id.hex()}+{encoded}"

    def sign(self, message: bytes) -> bytes:
        return Ed25519PrivateKey.from_private_bytes(self.seed).sign(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """One signature line, whoever made it."""

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A head of the log, as it is signed."""

    origin: str
    """The log's own name, without white space at its ends; no two logs share one."""

    size: int
    """How many entries."""

    root: bytes
    """32 bytes: the root over them."""

    extensions: tuple[str, ...] = ()
    """Further lines that are signed too; none of them empty."""

    def __post_init__(self) -> None:
        lines = (self.origin, *self.extensions)
        if not all(lines) or any("\n" in line or not _is_text(line) for line in lines):
            raise InputError("a line of a checkpoint is not empty and holds no control characters")
        if self.size < 0 or len(self.root) != _KEY_BYTES:
            raise InputError("a checkpoint has a size and a root of 32 bytes")

    @property
    def body(self) -> str:
        """The text that is signed."""
        root = b64encode(self.root).decode()
        lines = (self.origin, str(self.size), root, *self.extensions)
        return "".join(f"{line}\n" for line in lines)

    def sign(self, signers: Sequence[Signer]) -> str:
        """The whole note, with a signature line for each of *signers*."""
        if not signers:
            raise InputError("a checkpoint needs a signing key")
        message = self.body.encode()
        lines = [
            _line(signer.verifier.name, signer.verifier.key_id, signer.sign(message))
            for signer in signers
        ]
        return self.body + "\n" + "".join(lines)


def origin_of(first_leaf: bytes) -> str:
    """The name of the log whose first entry has the leaf hash *first_leaf*."""
    return f"assay/{first_leaf.hex()[:32]}"


def add_signature(note: str, signer: Signer) -> str:
    """*note* with one more signature line, as a witness or a rotation adds it.

    Raises:
        InputError: *note* is no checkpoint.
    """
    checkpoint, _ = read_note(note)
    key = signer.verifier
    return note + _line(key.name, key.key_id, signer.sign(checkpoint.body.encode()))


def read_note(note: str) -> tuple[Checkpoint, tuple[Signature, ...]]:
    """What *note* says, without asking whether its signatures hold.

    Raises:
        InputError: it is no checkpoint.
    """
    try:
        body, signatures = _split(note)
        origin, size, root, *extensions = body[:-1].split("\n")
        if not size.isascii() or not size.isdigit() or (size != "0" and size[0] == "0"):
            raise ValueError
        checkpoint = Checkpoint(
            origin=origin, size=int(size), root=_decode(root), extensions=tuple(extensions)
        )
    except (ValueError, InputError) as error:
        raise InputError(
            "the text is no checkpoint",
            hint="lines: origin, size, root in Base64; an empty line; signatures",
        ) from error
    return checkpoint, signatures


def verify(
    note: str, verifiers: Iterable[Verifier], *, origin: str | None = None
) -> tuple[Checkpoint, tuple[Verifier, ...]]:
    """What *note* says, and which of *verifiers* vouch for it: at least one.

    Every line that carries the name and id of a known key must hold; lines of unknown keys are
    passed over.

    Args:
        note: The text.
        verifiers: The keys that are trusted, old ones and new ones.
        origin: The log it must be of, if that is known.

    Raises:
        InputError: it is no checkpoint.
        IntegrityError: no known key signed it, a known key's signature does not hold, or it is
            of another log.
    """
    checkpoint, signatures = read_note(note)
    if origin is not None and checkpoint.origin != origin:
        raise IntegrityError("the checkpoint is of another log")
    message = checkpoint.body.encode()
    known = {(verifier.name, verifier.key_id): verifier for verifier in verifiers}
    vouching: dict[tuple[str, bytes], Verifier] = {}
    for line in signatures:
        key = line.name, line.key_id
        verifier = known.get(key)
        if verifier is None:
            continue
        if not verifier.accepts(message, line.signature):
            raise IntegrityError(f"a signature of {verifier.name} on the checkpoint does not hold")
        vouching[key] = verifier
    if not vouching:
        raise IntegrityError("no known key signed the checkpoint", hint="check the keys you trust")
    return checkpoint, tuple(vouching.values())


def _split(note: str) -> tuple[str, tuple[Signature, ...]]:
    body, gap, tail = note.rpartition("\n\n")
    if not gap or not tail.endswith("\n") or not _is_text(note.replace("\n", "")):
        raise ValueError
    lines = tail[:-1].split("\n")
    if len(lines) > _MAX_SIGNATURES:
        raise ValueError
    signatures = []
    for line in lines:
        if not line.startswith(_DASH):
            raise ValueError
        name, space, encoded = line.removeprefix(_DASH).partition(" ")
        data = _decode(encoded)
        if not space or len(data) <= 4:
            raise ValueError
        _check_name(name)
        signatures.append(Signature(name=name, key_id=data[:4], signature=data[4:]))
    return body + "\n", tuple(signatures)


def _line(name: str, key_id: bytes, signature: bytes) -> str:
    return f"{_DASH}{name} {b64encode(key_id + signature).decode()}\n"


def _decode(text: str) -> bytes:
    """Standard Base64 in its one canonical spelling; raises ValueError."""
    try:
        data = b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError from error
    if b64encode(data).decode() != text:
        raise ValueError
    return data


def _check_name(name: str) -> None:
    if not name or "+" in name or any(char.isspace() for char in name) or not _is_text(name):
        raise InputError("the name of a key has no white space and no plus sign")


def _is_text(text: str) -> bool:
    """No control characters, nothing that UTF-8 cannot write."""
    return not any(char < " " or "\ud800" <= char <= "\udfff" for char in text)
