"""Contract and input become a prompt that holds its token budget.

In      Contract, Material, number of the attempt, Redactor
Out     Built: the prompt, what was shown of every source, what was left out; or OverBudget
Pure    yes: equal inputs give equal bytes
Spec    000 retry policy and token budgets

A prompt over its budget is never returned. What is shown of a source is always a verbatim
slice of it, so that evidence leads back to the original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from assay.contract.attempts import omitted_parts, shorten
from assay.contract.catalogue import LABELS, SCHEMA, Filled, fill, sources_of
from assay.contract.contract import Contract
from assay.contract.material import Built, Material, Omission, OverBudget, Placement
from assay.contract.private import hide
from assay.contract.prompt import make_prompt
from assay.contract.surrogates import Hidden
from assay.core.text.spans import Shown
from assay.core.text.tokens import count
from assay.errors import InputError
from assay.redaction.redactor import Redactor
from assay.templates.template import (
    LITERAL,
    Part,
    Rendered,
    Section,
    TemplateVersion,
    fallback_prompt,
    render,
    system_variables,
)

PREAMBLE: Final = "preamble"
CORRECTION: Final = "correction"

_MOST_KNOWN: Final = 1000
"""Values found by way of the template: beyond these nobody looks again."""

LONGEST_TOKEN_BYTES: Final = 256
"""No token of the tokenizers in use covers more; a text longer than this times the limit is
over it without counting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A prompt before it is sealed."""

    text: str
    sections: tuple[Section, ...]
    values: Mapping[str, Filled]
    parts: tuple[Part, ...]


def build(
    contract: Contract, material: Material, attempt: int, redactor: Redactor
) -> Built | OverBudget:
    """Make the prompt of attempt number *attempt*.

    Args:
        attempt: From 1; the contract's ladder says what it changes.

    Returns:
        A prompt within the attempt's budget, or OverBudget when even a prompt without any
        source text is over it, or nothing more can be left out.

    Raises:
        InputError: the contract has no template or no such attempt, or the template gives text
            from outside the rank of the system and the contract does not allow it.
        PromptTemplateError: the template declares a variable that nothing fills.

    Spec: 000 retry policy, attempt 2 "a shortened input"; token budgets
    """
    template = contract.template
    if template is None:
        raise InputError(f"contract {contract.reference!r} has no template: it can only judge")
    require_inner_system(contract, template)
    rung = contract.attempt(attempt)
    limit = contract.budget.input_limit(rung)
    names = sources_of(template.variables, material)
    correction = material.correction if rung.correct else ""
    views = {name: Shown.of_text(name, material.texts[name]) for name in names}
    hidden = None
    if contract.send == "redacted":
        hidden = _hide(
            material, redactor, lambda found: _draft(contract, template, material, views, "", found)
        )

    def draft(shown: Mapping[str, Shown]) -> _Draft:
        return _draft(contract, template, material, shown, correction, hidden)

    def tokens_of(text: str) -> int | None:
        """None when the text is over the limit for certain."""
        if len(text) > limit * LONGEST_TOKEN_BYTES:
            return None
        tokens = count(text, contract.tokenizer)
        return tokens if tokens <= limit else None

    def fits(shown: tuple[Shown, ...]) -> bool:
        return tokens_of(draft({view.name: view for view in shown}).text) is not None

    final = draft(views)
    tokens = tokens_of(final.text)
    if names and (rung.shorten or tokens is None):
        shorter = shorten({name: material.texts[name] for name in names}, fits)
        if shorter is None:
            return OverBudget(tokens=count(draft({}).text, contract.tokenizer), limit=limit)
        views = {view.name: view for view in shorter}
        final = draft(views)
        tokens = tokens_of(final.text)
    if tokens is None:  # whatever the shortening said: nothing is sent over budget
        return OverBudget(tokens=count(final.text, contract.tokenizer), limit=limit)
    prompt = make_prompt(
        final.text,
        sections=final.sections,
        tokens=tokens,
        redactor=redactor,
        template=None if contract.fallback else template,
    )
    shown = tuple(views[name] for name in names)
    return Built(
        prompt=prompt,
        shown=shown,
        omitted=tuple(part for view in shown for part in _omissions(view)),
        attempt=attempt,
        placements=_placements(final),
        variables={name: value.text for name, value in final.values.items()},
        max_input_tokens=limit,
        prefix_chars=_prefix_chars(final),
        hidden=hidden,
        parts=final.parts,
    )


def outside_in_system(template: TemplateVersion) -> tuple[str, ...]:
    """The variables of the system part whose values are not the pack's own words.

    Labels and schema are; everything else is, or may be, what somebody sent.
    """
    return tuple(
        name
        for name in system_variables(template)
        if name != SCHEMA and not name.startswith(LABELS)
    )


def require_inner_system(contract: Contract, template: TemplateVersion) -> None:
    """Text from outside never gains the rank of the system without the contract's word.

    Raises:
        InputError: the template's system part has a place for it that the contract does not
            name under `system_inputs`.
    """
    if contract.fallback:
        return  # the fallback prompt has one part
    for name in outside_in_system(template):
        if name not in contract.system_inputs:
            raise InputError(
                f"template {template.name!r} puts {name!r} into its system part",
                hint=f"contract {contract.reference!r} has to allow it under `system_inputs`",
            )


def _hide(material: Material, redactor: Redactor, draft: Callable[[Hidden], _Draft]) -> Hidden:
    """What to send, so that redaction finds nothing more in the values of the prompt.

    Beside the words of a template a text may read as a name that alone it does not.
    """
    known: list[tuple[str, str]] = []
    while True:
        hidden = hide(material, redactor, known)
        more = list(_left_in(draft(hidden), redactor))
        if len(known) >= _MOST_KNOWN or not set(more) - set(known):
            return hidden
        known += more


def _left_in(draft: _Draft, redactor: Redactor) -> Iterator[tuple[str, str]]:
    """Class and value of what redaction still finds in the values of a prompt."""
    starts = [*_code_points(draft), len(draft.text)]
    for span in redactor.redact(draft.text).spans:
        for place, section in enumerate(draft.sections):
            start, stop = max(span.start, starts[place]), min(span.stop, starts[place + 1])
            if start < stop and not _is_static(section.name):
                yield span.cls, draft.text[start:stop]


def _draft(
    contract: Contract,
    template: TemplateVersion,
    material: Material,
    shown: Mapping[str, Shown],
    correction: str,
    hidden: Hidden | None,
) -> _Draft:
    values = fill(contract, material, template.variables, shown, hidden)
    texts = {name: value.text for name, value in values.items()}
    if contract.fallback:
        rendered = fallback_prompt(template.role, texts)
    else:
        rendered = render(template, texts)
    before = "" if contract.preamble is None else render(contract.preamble, {}).text + "\n\n"
    if before:
        rendered = _with_preamble(rendered, before)
    if correction:
        rendered = _with_correction(rendered, f"\n\n{correction}")
    return _Draft(
        text=rendered.text, sections=rendered.sections, values=values, parts=rendered.parts
    )


def _with_preamble(rendered: Rendered, before: str) -> Rendered:
    """In front of everything; of everything in the system part, where there is one."""
    # The line that begins the part is ASCII: as many bytes as code points.
    at = rendered.parts[0].start if rendered.parts else 0
    shift = len(before.encode("utf-8"))
    sections = [Section(name=LITERAL, start=0, stop=at)] if at else []
    sections.append(Section(name=PREAMBLE, start=at, stop=at + shift))
    sections += [
        Section(name=part.name, start=max(part.start, at) + shift, stop=part.stop + shift)
        for part in rendered.sections
        if part.stop > at or part.start >= at
    ]
    return replace(
        rendered,
        text=rendered.text[:at] + before + rendered.text[at:],
        sections=tuple(sections),
        parts=tuple(
            replace(
                part,
                start=part.start + (0 if part.start == at else len(before)),
                stop=part.stop + len(before),
            )
            for part in rendered.parts
        ),
    )


def _with_correction(rendered: Rendered, after: str) -> Rendered:
    """Behind everything: in the user part, where there is one."""
    start = len(rendered.text.encode("utf-8"))
    end = Section(name=CORRECTION, start=start, stop=start + len(after.encode("utf-8")))
    return replace(
        rendered,
        text=rendered.text + after,
        sections=(*rendered.sections, end),
        parts=tuple(
            replace(part, stop=part.stop + len(after)) if part.role == "user" else part
            for part in rendered.parts
        ),
    )


def _placements(draft: _Draft) -> tuple[Placement, ...]:
    starts = _code_points(draft)
    return tuple(
        Placement(
            source=piece.source, start=piece.start, stop=piece.stop, at=starts[index] + piece.at
        )
        for index, section in enumerate(draft.sections)
        if section.name in draft.values
        for piece in draft.values[section.name].pieces
    )


def _code_points(draft: _Draft) -> list[int]:
    """Where each section starts, counted in code points instead of bytes."""
    if draft.text.isascii():
        return [section.start for section in draft.sections]
    raw = draft.text.encode("utf-8")
    starts: list[int] = []
    at = 0
    for section in draft.sections:
        starts.append(at)
        at += len(raw[section.start : section.stop].decode("utf-8"))
    return starts


def _prefix_chars(draft: _Draft) -> int:
    starts = [*_code_points(draft), len(draft.text)]
    for index, section in enumerate(draft.sections):
        if not _is_static(section.name):
            return starts[index]
    return starts[-1]


def _is_static(name: str) -> bool:
    return name in (LITERAL, PREAMBLE, SCHEMA) or name.startswith(LABELS)


def _omissions(view: Shown) -> Iterable[Omission]:
    if view == Shown.of_text(view.name, view.original):
        return ()  # taking a text apart costs more than all the rest of a prompt
    return (
        Omission(source=view.name, kind=block.kind, start=block.start, stop=block.stop)
        for block in omitted_parts(view)
    )
