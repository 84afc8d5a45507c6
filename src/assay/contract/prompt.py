"""The final bytes of one model call, with their digest and their redacted view.

In      text and byte sections, a redactor, a token count
Out     Prompt
Pure    yes
Spec    002 "Rendering Flow" 4-6; 000 "deterministic prompts"
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.core.json.canonical import digest
from assay.redaction.redactor import Redaction, Redactor
from assay.templates.template import Section, TemplateVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRef:
    """Which template version a prompt was rendered from."""

    name: str
    role: str
    version: int
    sha256: str
    """Digest of the body of the version, as it was when the prompt was built."""

    fields_sha256: str = ""
    """Digest of every field of the version, as it was then."""

    @classmethod
    def of(cls, template: TemplateVersion) -> TemplateRef:
        return cls(
            name=template.name,
            role=template.role,
            version=template.version,
            sha256=template.sha256,
            fields_sha256=template.fields_sha256,
        )

    def to_dict(self) -> dict[str, str | int]:
        return {
            "name": self.name,
            "role": self.role,
            "version": self.version,
            "sha256": self.sha256,
            "fields_sha256": self.fields_sha256,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What is sent, exactly; and what may be shown of it."""

    text: str
    """What is sent is its UTF-8, nothing added."""

    sha256: str
    """`sha256:` and 64 hex digits over these bytes."""

    sections: tuple[Section, ...]
    """Tile the text in order; offsets in bytes of its UTF-8."""

    tokens: int
    """Model tokens of the text under the contract's tokenizer."""

    redaction: Redaction
    """The only form of the prompt that may be stored or shown in the clear."""

    template: TemplateRef | None = None
    """None for the fallback prompt and for a file that is no version."""


def make_prompt(
    text: str,
    *,
    sections: tuple[Section, ...],
    tokens: int,
    redactor: Redactor,
    template: TemplateVersion | None = None,
) -> Prompt:
    """Seal *text*: digest and redacted view are taken from these very bytes."""
    return Prompt(
        text=text,
        sha256=digest(text),
        sections=sections,
        tokens=tokens,
        redaction=redactor.redact(text),
        template=None if template is None else TemplateRef.of(template),
    )
