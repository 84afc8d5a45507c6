"""How the record calls a file: by a surrogate, for its name is personal data.

In      the name of an input or of a source text, a redactor
Out     the name that may stand in rows and facts
Pure    yes
Spec    interfaces.md, "A file name in a record is replaced by its redacted view"; 005-P16

No rule tells which words of a name are somebody's, so the whole name goes, folders included; its
ending stays, because it decides how the bytes are read, and the number of a mail in a mailbox.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from assay.contract.material import ATTACHMENT
from assay.redaction.redactor import Redactor

FILE: Final = "FILE"
"""The class of such a surrogate."""

_OWN = re.compile(r"input-[0-9]{1,9}|-")
"""Names that the program gives to inputs that have none."""

_ENDING = re.compile(r"(?i)\.(?:eml|raw|mbox|msg|txt|md|json|jsonl|html|htm|pdf|docx|csv)\Z")
_NUMBER = re.compile(r"#[0-9]{1,9}\Z")


def recorded_name(name: str, redactor: Redactor) -> str:
    """The name of an input as rows and facts hold it: equal names, equal surrogates.

    Example:
        >>> recorded_name("mail/Jane Doe.eml#2", Redactor())
        '[FILE_fd4415accd].eml#2'
    """
    if _OWN.fullmatch(name) or _is_recorded(name):
        return name
    number = _NUMBER.search(name)
    tail = "" if number is None else number[0]
    plain = name.removesuffix(tail)
    ending = _ENDING.search(plain)
    kept = "" if ending is None else ending[0].lower()
    return f"{redactor.surrogate(FILE, plain)}{kept}{tail}"


def readable_name(name: str) -> str:
    """A name as text that any document can hold: a byte that is no UTF-8 as `\\xff`.

    Example:
        >>> readable_name("caf\\udce9.eml")
        'caf\\\\xe9.eml'
    """
    try:
        data = name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that stands for no byte
        data = name.encode("utf-8", "backslashreplace")
    return data.decode("utf-8", "backslashreplace")


def recorded_facts(value: Any, redactor: Redactor) -> Any:
    """Facts in which source texts that are named after files go by their surrogates."""
    if isinstance(value, str):
        if not value.startswith(ATTACHMENT):
            return value
        return ATTACHMENT + recorded_name(value.removeprefix(ATTACHMENT), redactor)
    if isinstance(value, Mapping):
        return {name: recorded_facts(each, redactor) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [recorded_facts(each, redactor) for each in value]
    return value


_RECORDED = re.compile(rf"\[{FILE}_[0-9a-f]{{10}}\](?:\.[a-z]{{2,5}})?(?:#[0-9]{{1,9}})?")


def _is_recorded(name: str) -> bool:
    return _RECORDED.fullmatch(name) is not None
