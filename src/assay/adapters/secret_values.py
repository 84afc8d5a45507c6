"""A secret out of a variable, out of the file that a variable names, or out of the key store.

In      `NAME`, `NAME_FILE`, or `NAME=keyring:…`
Out     the secret's text
Effects reads the file; asks the system's key store
Spec    interfaces.md, "Models"

`NAME_FILE` is how Docker and Kubernetes hand secrets in. `keyring:` asks the key store for the
user NAME of the service `assay`; `keyring:SERVICE` and `keyring:SERVICE/USER` ask for others.
No message here holds any of a secret.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from assay.errors import ModelUnavailableError, UsageError

FILE_SUFFIX: Final = "_FILE"
STORE: Final = "keyring:"
_SERVICE: Final = "assay"
_LONGEST: Final = 65_536


def read_secret(environ: Mapping[str, str], name: str) -> str:
    """The secret *name*; empty where nothing says one.

    Raises:
        UsageError: the variable and its file are both set, or the file or the entry of the key
            store holds no secret. The variable is named.
        ModelUnavailableError: the key store cannot be asked.
    """
    text, file = environ.get(name, ""), environ.get(name + FILE_SUFFIX, "")
    if text and file:
        raise UsageError(f"{name} and {name}{FILE_SUFFIX} are both set", hint="set only one")
    if file:
        return read_secret_file(file, name + FILE_SUFFIX)
    return _from_store(text, name) if text.startswith(STORE) else text


def read_provider_key(environ: Mapping[str, str], name: str) -> str:
    """The key *name* of a provider, which goes out in a header; empty where nothing says one.

    Raises:
        UsageError: as `read_secret`, or no header can carry it.
        ModelUnavailableError: the key store cannot be asked.
    """
    key = read_secret(environ, name)
    if not (key.isascii() and key.isprintable()) or key != key.strip():
        variable = name + FILE_SUFFIX if environ.get(name + FILE_SUFFIX) else name
        raise UsageError(
            f"{variable}: the key has blanks around it, several lines, or letters that no key has",
            hint="copy it again, without quotation marks or line ends",
        )
    return key


def read_secret_file(file: str, variable: str) -> str:
    """The text of *file* without the line end after it.

    Raises:
        UsageError: it cannot be read, is empty, holds several lines, or everybody may change it.
    """
    try:
        with Path(file).open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            raw = opened.read(_LONGEST + 1)
        text = raw.decode("utf-8").rstrip("\r\n")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a NUL in the name
        raise UsageError(f"{variable}: the file cannot be read", hint="name a text file") from error
    if os.name == "posix" and mode & stat.S_IWOTH:
        raise UsageError(
            f"{variable}: everybody may change the file", hint=f"chmod o-w the file of {variable}"
        )
    if not text.strip() or len(raw) > _LONGEST or "\n" in text or "\r" in text or "\0" in text:
        raise UsageError(f"{variable}: the file holds no secret", hint="write it on one line")
    return text


def open_to_all(file: str) -> bool:
    """Whether any user of this machine may read *file*."""
    try:
        return os.name == "posix" and bool(Path(file).stat().st_mode & stat.S_IROTH)
    except (OSError, ValueError):
        return False


def _from_store(text: str, name: str) -> str:
    service, _, user = text.removeprefix(STORE).partition("/")
    try:
        import keyring
    except ImportError as error:
        raise ModelUnavailableError(
            f"{name} asks the system's key store, and the package 'keyring' is not installed",
            hint="pip install 'assay[keyring]'",
        ) from error
    try:
        found = keyring.get_password(service or _SERVICE, user or name)
    except Exception as error:  # each key store has errors of its own; their text is not repeated
        raise ModelUnavailableError(
            f"{name}: the system's key store cannot be asked ({type(error).__name__})",
            hint="unlock it first, or use a file: " + name + FILE_SUFFIX,
        ) from error
    if not found:
        raise UsageError(
            f"{name}: the system's key store has no such entry",
            hint=f"keyring set {service or _SERVICE} {user or name}",
        )
    return found
