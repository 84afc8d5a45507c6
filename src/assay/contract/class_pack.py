"""Where a recorded call of a class finds its contract again: on record, and in the class.

In      the class where it is at hand; the document on record
Out     ClassPack, in the place of a pack
Pure    yes
Spec    007-C5
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from pydantic import BaseModel

from assay.contract.classes.declared import PACK
from assay.contract.contract import Contract
from assay.contract.job import FindPack
from assay.contract.kept import KeptCall
from assay.errors import InputError, NotFoundError
from assay.redaction.redactor import PatternClass


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPack:
    """A pack of one contract, that of a class."""

    model: type[BaseModel] | None = None
    """None where only the record is at hand: what the class's own code decides stays open."""

    said: Mapping[str, Any] | None = None
    """What the record says of the contract."""

    @classmethod
    def of_call(cls, kept: KeptCall, find_pack: FindPack) -> Self:
        """Of a recorded call, with its class where *find_pack* has it.

        Raises:
            NotFoundError: the record holds no contract of the call any more.
        """
        try:
            found = find_pack(PACK)
        except InputError:
            found = cls()
        if not isinstance(found, cls):
            raise NotFoundError(
                f"call {kept.id} was made under a class, not under a pack",
                hint="give the class, or nothing",
            )
        return replace(found, said=kept.declared)

    @property
    def name(self) -> str:
        return PACK

    @property
    def version(self) -> str:
        return "" if self.said is None else str(self.said["version"])

    @property
    def stages(self) -> None:
        return None

    @property
    def redaction_classes(self) -> tuple[PatternClass, ...]:
        return ()

    @property
    def models(self) -> tuple[str, ...]:
        return ("*",) if self.said is None else tuple(self.said["models"])

    def contract(self, name: str) -> Contract:
        """Raises NotFoundError where the record says nothing of it."""
        if self.said is None:
            raise NotFoundError(
                f"contract {PACK}/{name} is not on record",
                hint="its call was sent nothing, or has been erased",
            )
        return Contract.from_record(self.said, self.model)

    def answer_policy(self) -> Any:
        raise InputError("a class has no policy for answers")
