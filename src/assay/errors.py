"""Every exception that a caller of assay may see.

In      nothing
Out     exception classes with a stable code, a message, a hint and an exit code
Pure    yes
Spec    interfaces.md, "Command line" (exit codes, error lines)

A rejected model output is a value (`Verdict`), never one of these. Messages name what is
wrong and what to do; they never hold a value that could be personal data.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import ClassVar


class AssayError(Exception):
    """The root of all errors raised on purpose."""

    code: ClassVar[str] = "internal"
    """Stable, dotted; what programs match on."""

    exit_code: ClassVar[int] = 1
    """What the command line returns for it."""

    http_status: ClassVar[int] = 500
    """What the service answers for it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def to_dict(self) -> dict[str, str]:
        """The error document of the command line and of the service."""
        return {"code": self.code, "message": str(self), "hint": self.hint}


class UsageError(AssayError):
    """The caller asked for something that cannot be meant."""

    code = "usage"
    exit_code = 2
    http_status = 400


class CannotConverseError(UsageError):
    """The model cannot hold a conversation; nothing was asked and nothing recorded."""

    code = "model.cannot_converse"


class InputError(UsageError):
    """An input is missing, unreadable or not of the promised form."""

    code = "input.invalid"
    exit_code = 10
    http_status = 422


class NotFoundError(InputError):
    """A thing named by the caller does not exist."""

    code = "not_found"
    http_status = 404


class AmbiguousIdError(UsageError):
    """Several ids begin with what was given for one."""

    code = "id.ambiguous"

    def __init__(self, kind: str, given: str, found: Iterable[str], *, more: bool = False) -> None:
        self.found = tuple(found)
        many = f"{len(self.found)} or more" if more else str(len(self.found))
        super().__init__(
            f"{many} {kind}s begin with {given!r}: {', '.join(self.found)}{', …' if more else ''}",
            hint="give more characters of the one that is meant",
        )


class ConflictError(UsageError):
    """Somebody else changed the same thing first; read it again and decide again."""

    code = "conflict"
    exit_code = 10
    http_status = 409


class CallTakenError(ConflictError):
    """Somebody else makes, or has settled, the very same call."""

    code = "call.taken"


class PackError(UsageError):
    """A pack does not say what a pack must say."""

    code = "pack.invalid"
    exit_code = 60
    http_status = 422

    def __init__(self, message: str, *, file: str = "", line: int = 0, hint: str = "") -> None:
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(where + message, hint=hint)
        self.file = file
        self.line = line


class ContractClassError(UsageError):
    """A class does not say what a contract must say, or something that a gate cannot hold to."""

    code = "contract.class"
    http_status = 422


class TemplateError(InputError):
    """The text of a template is refused; `line` and `column` count from 1."""

    code = "template.invalid"

    def __init__(self, message: str, *, line: int = 0, column: int = 0, hint: str = "") -> None:
        where = f"line {line}, column {column}: " if line else ""
        super().__init__(where + message, hint=hint)
        self.line = line
        self.column = column


_FEW_PAIRS = 400
"""Comparing every extra name with every missing one takes its time; beyond this no hint."""


class PromptTemplateError(InputError):
    """The variables given to a template are not exactly those it declares, or no strings."""

    code = "prompt.variables"

    def __init__(
        self,
        template: str,
        *,
        missing: Iterable[str] = (),
        unexpected: Iterable[str] = (),
        wrong_type: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.template = template
        self.missing = tuple(sorted(missing))
        self.unexpected = tuple(sorted(unexpected))
        self.wrong_type = tuple(sorted(wrong_type))
        # Names only: a value may be personal data, and errors end up in logs.
        faults = [f"{name!r} is missing" for name in self.missing]
        few = len(self.unexpected) * len(self.missing) <= _FEW_PAIRS
        for name in self.unexpected:
            near = get_close_matches(name, self.missing, n=1) if few else []
            suggestion = f" (did you mean {near[0]!r}?)" if near else ""
            faults.append(f"{name!r} is not declared{suggestion}")
        faults += [f"{name!r} is no string but {kind}" for name, kind in self.wrong_type]
        super().__init__(
            f"template {template!r}: {'; '.join(faults)}",
            hint="give exactly the declared variables, each a string",
        )


class ExecutionError(AssayError):
    """A dependency cannot be reached: the model after all retries, or the database."""

    code = "dependency.unavailable"
    exit_code = 40
    http_status = 503


class ModelUnavailableError(ExecutionError):
    """The model could not be reached, refused the key, or has nothing more to say."""

    code = "model.unavailable"


class ModelUnfitError(ModelUnavailableError):
    """The model never answers what this contract asks; another one may."""

    code = "model.unfit"
    http_status = 400


class StoreUnavailableError(ExecutionError):
    """The store is locked, full, or gone; nothing of the transaction was kept."""

    code = "store.unavailable"


class StoreReadOnlyError(StoreUnavailableError):
    """The store can be read and not written; nothing was changed."""


class MasterKeyError(ExecutionError):
    """The master key that payloads were encrypted under is not the one that is configured."""

    code = "key.unavailable"


class IntegrityError(AssayError):
    """A digest, signature, chain or tree does not hold. Never swallowed."""

    code = "integrity"
    exit_code = 50
    http_status = 409


class NotAllowedError(IntegrityError):
    """A move that the rules of the registry or of the vault forbid."""

    code = "not_allowed"
    http_status = 403
