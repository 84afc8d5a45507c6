"""Master keys: what wraps the data keys that encrypt payloads at rest.

In      ASSAY_MASTER_KEY, or a key file
Out     MasterKeys, which is a `protocols.KeyRing`
Effects reads the file; random nonces
Spec    002-N1

A master key is 32 bytes, written as 64 hex digits or as Base64. Several, separated by white
space, are a rotation: the first wraps, all of them unwrap.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from assay.adapters.secret_values import read_secret
from assay.errors import InputError, IntegrityError, MasterKeyError

KEY_VARIABLE = "ASSAY_MASTER_KEY"
FILE_VARIABLE = "ASSAY_MASTER_KEY_FILE"
VARIABLES = {
    KEY_VARIABLE: "Master key, 32 bytes in hex or Base64: payloads are encrypted at rest and "
    "source texts are kept. Several, separated by white space: the first encrypts, all decrypt. "
    "`keyring:` takes them from the system's key store.",
    FILE_VARIABLE: "File with the master keys, instead of `ASSAY_MASTER_KEY`.",
}
"""What is read from the environment here, for the page on settings."""
_KEY_BYTES = 32
_NONCE_BYTES = 12
_HINT = "32 random bytes in hex or Base64, such as: openssl rand -hex 32"


class MasterKeys:
    """One or several master keys, named by a digest of themselves."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        """Take *keys*, the one that wraps first.

        Raises:
            InputError: there is none, or one has not 32 bytes.
        """
        if not keys:
            raise InputError("there is no master key", hint=_HINT)
        if any(len(key) != _KEY_BYTES for key in keys):
            raise InputError("a master key has not 32 bytes", hint=_HINT)
        self._ciphers = {_name(key): AESGCM(key) for key in keys}
        self._first = _name(keys[0])

    @classmethod
    def parse(cls, text: str) -> MasterKeys:
        """Keys as they are written in a variable or a file; `#` starts a comment line.

        Raises:
            InputError: a word is no key. The message never holds any of it.
        """
        lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
        return cls([_decode(word) for line in lines for word in line.split()])

    @classmethod
    def read(cls, path: Path) -> MasterKeys:
        """Keys from a file. Raises InputError when it cannot be read or holds no key."""
        try:
            text = path.read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"the key file {path.name!r} cannot be read", hint=f"check {FILE_VARIABLE}"
            ) from error
        return cls.parse(text)

    @property
    def key_id(self) -> str:
        return self._first

    def wrap(self, data_key: bytes) -> bytes:
        nonce = token_bytes(_NONCE_BYTES)
        return nonce + self._ciphers[self._first].encrypt(nonce, data_key, _context_of(self._first))

    def unwrap(self, key_id: str, wrapped: bytes) -> bytes:
        cipher = self._ciphers.get(key_id)
        if cipher is None:
            raise MasterKeyError(
                f"payloads are encrypted under master key {key_id}, which is not configured",
                hint=f"add that key to {KEY_VARIABLE}, after the one that wraps",
            )
        try:
            return cipher.decrypt(
                wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:], _context_of(key_id)
            )
        except (InvalidTag, ValueError) as error:
            raise IntegrityError("a wrapped data key was changed") from error


def keyring_from(environ: Mapping[str, str]) -> MasterKeys | None:
    """The key ring that the environment configures; None when it configures none.

    Raises:
        InputError: what is configured is no key, or both variables are set.
        UsageError, ModelUnavailableError: of the system's key store, when it is asked.
    """
    text, file = environ.get(KEY_VARIABLE, ""), environ.get(FILE_VARIABLE, "")
    if text and file:
        raise InputError(f"{KEY_VARIABLE} and {FILE_VARIABLE} are both set", hint="set only one")
    if file:
        return MasterKeys.read(Path(file))
    return MasterKeys.parse(read_secret(environ, KEY_VARIABLE)) if text else None


def _decode(word: str) -> bytes:
    try:
        if len(word) == 2 * _KEY_BYTES:
            return bytes.fromhex(word)
        padded = word + "=" * (-len(word) % 4)
        return base64.b64decode(
            padded, altchars=b"-_" if set(word) & set("-_") else None, validate=True
        )
    except (ValueError, binascii.Error) as error:
        raise InputError("a master key is neither hex nor Base64", hint=_HINT) from error


def _name(key: bytes) -> str:
    return sha256(b"assay master key\0" + key).hexdigest()[:16]


def _context_of(key_id: str) -> bytes:
    return b"assay data key\0" + key_id.encode()
