"""What the forms of all pack files are made of.

In      nothing
Out     Form, and the kinds of values that several files share
Pure    yes
Spec    interfaces.md, "Packs"
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.\-]*$", max_length=120)]
Pointer = Annotated[str, Field(pattern=r"^(/.*)?$")]
Text = Annotated[str, Field(min_length=1)]
Tokens = Annotated[int, Field(ge=1, strict=True)]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


def _version_text(value: Any) -> Any:
    """A version may be written as a number; it is a text all the same."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Version = Annotated[str, BeforeValidator(_version_text), Field(min_length=1, max_length=60)]


class Form(BaseModel):
    """What all files share: no unknown key, no silent conversion."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=False)
