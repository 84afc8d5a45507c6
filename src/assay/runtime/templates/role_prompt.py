"""`render_role_prompt` and `detect_template_drift`, by the names of the specification.

In      role, variables, where the templates are; the context of an earlier prompt
Out     RolePrompt: text, redacted view, template; whether a template drifted
Effects none of its own: a `TemplateSource` may read a store and count
Spec    002 "Rendering Flow", "Fallback Prompt", "Template Drift Detection"; interfaces.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from assay.contract.prompt import TemplateRef
from assay.core.json.canonical import digest
from assay.errors import NotAllowedError, PromptTemplateError, UsageError
from assay.redaction.redactor import Redaction, Redactor
from assay.templates.template import Part, TemplateVersion, fallback_prompt, render


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDigests:
    """What the text of a version is now."""

    sha256: str
    fields_sha256: str


class TemplateSource(Protocol):
    """Where `render_role_prompt` finds versions: a `TemplateBook`, or a runtime's registry."""

    @property
    def fallback_allowed(self) -> bool:
        """May a prompt be made without a template?"""
        ...

    def active(self, role: str, name: str) -> TemplateVersion | None:
        """The version that renders now; None when no version is active."""
        ...

    def stored_digests(self, role: str, name: str, version: int) -> StoredDigests | None:
        """Digests of what stands there now, read afresh; None when the version is gone."""
        ...

    def record_event(self, kind: str, facts: Mapping[str, Any]) -> None:
        """Count an occurrence: `template.fallback`, `template.variables`."""
        ...


@dataclass(slots=True, kw_only=True)
class TemplateBook:
    """Versions in memory: of a pack, or made by hand."""

    versions: Mapping[tuple[str, str], TemplateVersion]
    """The active version by role and name."""

    fallback_allowed: bool = True
    counts: Counter[str] = field(default_factory=Counter)
    """How often each kind of occurrence was counted."""

    @classmethod
    def of(
        cls, versions: Iterable[TemplateVersion], *, fallback_allowed: bool = True
    ) -> TemplateBook:
        """The highest version of each role and name is the active one."""
        book: dict[tuple[str, str], TemplateVersion] = {}
        for version in sorted(versions, key=lambda each: each.version):
            book[version.role, version.name] = version
        return cls(versions=book, fallback_allowed=fallback_allowed)

    def active(self, role: str, name: str) -> TemplateVersion | None:
        return self.versions.get((role, name))

    def stored_digests(self, role: str, name: str, version: int) -> StoredDigests | None:
        found = self.versions.get((role, name))
        if found is None or found.version != version:
            return None
        return StoredDigests(sha256=digest(found.body), fields_sha256=found.fields_sha256)

    def record_event(self, kind: str, facts: Mapping[str, Any]) -> None:  # noqa: ARG002
        self.counts[kind] += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RolePrompt:
    """A rendered prompt, with what a caller keeps of it."""

    template: TemplateVersion | None
    """None for the fallback prompt."""

    text: str
    """What is sent is its UTF-8."""

    sha256: str
    """Digest of these bytes."""

    redacted: str
    """The only form that may be stored or shown in the clear."""

    redaction: Redaction
    variables: tuple[str, ...]
    """The names of the variables put in."""

    parts: tuple[Part, ...] = ()
    """Slices that go out in a role of their own, in code points; none is one user message."""

    @property
    def fallback(self) -> bool:
        return self.template is None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobContext:
    """What the record keeps of one prompt, under the specification's names (002 "AIJobContext").

    It is read from the `prompt.built` event, which was stored before the model was called.
    """

    job: str
    """The call."""

    attempt: int
    prompt_template: TemplateRef | None
    """None for the fallback."""

    prompt_version: int | None
    rendered_prompt_redacted: str | None
    """None when it was erased."""

    template_sha256: str | None
    redaction_map: Mapping[str, str]
    """Surrogate to class; never a value."""

    model_params: Mapping[str, Any]
    snippet_ids: tuple[Any, ...]
    retrieval_metrics: Mapping[str, Any]
    release: str | None = None
    source: TemplateSource | None = field(default=None, repr=False, compare=False)
    """Where the text of the template is read from, afresh each time."""


def render_role_prompt(
    role: str,
    variables: Mapping[str, Any],
    name: str | None = None,
    *,
    registry: TemplateSource | None = None,
    redactor: Redactor | None = None,
) -> RolePrompt:
    """The prompt of a role: its active template with *variables*, or the fallback.

    Args:
        role: Such as `planner`.
        variables: Exactly those the template declares, each a string.
        name: Of the template; default `ROLE.base`.
        registry: Where the active version is found: `runtime.templates`, or a `TemplateBook`.
            Without one there is no active version.
        redactor: For the redacted view; default: without a key, with the default regions.

    Raises:
        PromptTemplateError: variables are missing, not declared, or no strings.
        NotAllowedError: no version is active and the registry allows no fallback.
        IntegrityError: the active version may not render; see `Registry.effective`.

    Example:
        >>> render_role_prompt("planner", {"grant": "A"}).text
        'ROLE: planner\\nINPUT: {"grant": "A"}\\n'

    Spec: 002-R1 to R7, F1
    """
    wanted = f"{role}.base" if name is None else name
    template = None if registry is None else registry.active(role, wanted)
    if template is None:
        if registry is not None:
            if not registry.fallback_allowed:
                raise NotAllowedError(
                    f"no version of template {role}/{wanted} is active",
                    hint=f"assay templates promote {role}/{wanted}@VERSION",
                )
            registry.record_event("template.fallback", {"role": role, "name": wanted})
        rendered = fallback_prompt(role, variables)
    else:
        try:
            rendered = render(template, variables)
        except PromptTemplateError as error:
            if registry is not None:
                registry.record_event("template.variables", refused_facts(template, error))
            raise
    view = (redactor or Redactor()).redact(rendered.text)
    return RolePrompt(
        template=template,
        text=rendered.text,
        sha256=digest(rendered.text),
        redacted=view.text,
        redaction=view,
        variables=rendered.variables,
        parts=rendered.parts,
    )


def detect_template_drift(ctx: JobContext, *, registry: TemplateSource | None = None) -> bool:
    """Is the text of the context's template no longer what it was when the prompt was built?

    Args:
        ctx: As `runtime.contexts(CALL)` gives it.
        registry: Where to read the text; default is where the context came from.

    Returns:
        True when text or any other field differs, or the version is gone. A fallback has no
        template and cannot drift.

    Raises:
        UsageError: there is nowhere to read from.

    Spec: 002-X1, X2
    """
    reference = ctx.prompt_template
    if reference is None:
        return False
    source = registry or ctx.source
    if source is None:
        raise UsageError("the context does not know its registry", hint="give registry=")
    now = source.stored_digests(reference.role, reference.name, reference.version)
    if now is None or now.sha256 != reference.sha256:
        return True
    return reference.fields_sha256 not in ("", now.fields_sha256)


def refused_facts(template: TemplateVersion | None, error: PromptTemplateError) -> dict[str, Any]:
    """What the record says of a prompt that was not made for its variables (002-M1)."""
    return {
        "role": None if template is None else template.role,
        "name": error.template,
        "version": None if template is None else template.version,
        "missing": list(error.missing),
        "unexpected": len(error.unexpected),  # a name from outside may be anything
        "wrong_type": [name for name, _ in error.wrong_type],
    }
