"""`contracts/NAME.yaml` and its schema become a Contract.

In      the contract's document, and what the pack holds for it to name
Out     Contract, sealed with a digest over everything it consists of
Pure    yes
Spec    interfaces.md, "Packs"; 000

Whatever a contract names must exist: a missing label set, policy or check is an error when
the pack is read, never a check that quietly checks nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from assay.contract.budget import Attempt, Budget
from assay.contract.build import outside_in_system
from assay.contract.catalogue import LABELS
from assay.contract.contract import Contract
from assay.contract.result_spec import ResultSpec
from assay.contract.signs import Sign
from assay.core.json.schema import Schema, locate_refusal
from assay.core.json.schema_drafts import unknown_format
from assay.core.yaml import Path
from assay.errors import AssayError, PackError
from assay.gate.gate import Check
from assay.gate.labels import Examples, LabelRule, LabelSet, LexiconEntry
from assay.gate.rule_fields import Shape, unknown_fields
from assay.gate.rules import Rule
from assay.gate.snippets import EvidenceRule
from assay.gate.tables import Table
from assay.pack.document import Document, read_json, suggest_name, validate_form
from assay.pack.forms import ContractForm, LabelUseForm, PackForm, ResultForm, RuleForm
from assay.pack.labels import find_set
from assay.pack.results import result_facts, result_spec
from assay.pack.seal import seal_contract
from assay.pack.signs import use_signs
from assay.pack.tables import read_ways, table_checks
from assay.templates.blueprint import check_blueprint
from assay.templates.template import TemplateVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class PackContents:
    """What a pack holds for its contracts to name."""

    pack: PackForm
    files: Mapping[str, bytes]
    schemas: Mapping[str, Document]
    """Every `*.schema.json`, by name."""

    templates: Mapping[str, TemplateVersion]
    label_sets: Mapping[str, LabelSet]
    lexicon: Mapping[str, Mapping[str, LexiconEntry]]
    examples: Examples
    policies: Mapping[str, Document]
    checks: Mapping[str, Check]
    """Checks written in Python, by the name they are published under."""

    signs: Mapping[str, Sign]
    tables: Mapping[str, Table]
    """What members, mentions and placeholders are looked up in."""

    def schema(
        self, document: Document, place: Path, name: str, folder: str, *, formats: bool = False
    ) -> Schema:
        """The schema file *name*, sought in *folder* and from the root of the pack.

        Raises:
            PackError: there is no such file, or it is no schema.
        """
        for file in (f"{folder}{name}", name):
            if file in self.schemas:
                return self.compile(self.schemas[file], formats=formats)
            if file in self.files:
                return self.compile(read_json(file, self.files[file]), formats=formats)
        raise document.fault(
            f"schema file {name!r} does not exist",
            *place,
            hint=suggest_name(folder + name, self.schemas),
        )

    def compile(self, document: Document, *, formats: bool = False) -> Schema:
        """Compile a schema; references lead to the other schemas of the pack by their `$id`.

        Raises:
            PackError: with the line of the keyword that is wrong, where it can be told; also a
                format that nobody knows, where formats are judged.
        """
        if not isinstance(document.value, dict | bool):
            raise document.fault("a schema must be an object, true or false")
        unknown = unknown_format(document.value) if formats else None
        if unknown is not None:
            raise document.fault(unknown[1], *unknown[0])
        others = [other.value for other in self.schemas.values() if isinstance(other.value, dict)]
        registry = {
            other["$id"]: other
            for other in others
            if other is not document.value and isinstance(other.get("$id"), str)
        }
        try:
            return Schema.compile(document.value, registry=registry, formats=formats)
        except AssayError as error:
            line = document.line(*locate_refusal(error))
            message = f"is no valid schema: {error}"
            raise PackError(message, file=document.file, line=line) from error


def bare_contract(name: str, document: Document, contents: PackContents) -> Contract:
    """A contract that is a schema and nothing else.

    Raises:
        PackError: the file is no schema.
    """
    schema = contents.compile(document, formats=True)
    contract = Contract(
        name=name,
        pack=contents.pack.name,
        pack_version=contents.pack.version,
        version="1",
        schema=schema,
        refusals=tuple(contents.pack.refusals),
        tokenizer=contents.pack.tokenizer,
    )
    if not schema.names_format:
        return seal_contract(contract)
    before = seal_contract(replace(contract, schema=contents.compile(document)))
    return seal_contract(replace(contract, before_formats=before), formats=True)


def read_contract(
    name: str, document: Document, contents: PackContents, *, folder: str
) -> Contract:
    """Read one contract file.

    Args:
        folder: Where the contract's schema is sought first: `contracts/`, or empty.

    Raises:
        PackError: with file and line of the first fault.
    """
    form = validate_form(document, ContractForm)
    file = form.schema_ or f"{name}.schema.json"
    schema = contents.schema(document, ("schema",), file, folder, formats=form.formats is not False)
    template = _template(document, form, contents, "template")
    preamble = _template(document, form, contents, "preamble")
    if preamble is not None and preamble.variables:
        raise document.fault("a preamble has no variables", "preamble")
    if preamble is not None and preamble.turn is not None:
        raise document.fault("a preamble has no parts of its own", "preamble")
    _check_system_part(document, form, template)
    labels = tuple(
        LabelRule(
            pattern=document.pattern(pattern, "labels", pattern),
            set=_used_set(document, contents, pattern, use),
        )
        for pattern, use in form.labels.items()
    )
    label_sets = _label_sets(document, template, labels, contents)
    looked_up, table_facts = table_checks(
        document, contents.tables, form.members, form.mentions, form.placeholders
    )
    ways = read_ways(document, contents.tables, form.ways)
    contract = Contract(
        name=name,
        pack=contents.pack.name,
        pack_version=contents.pack.version,
        version=form.version,
        ways=ways,
        schema=schema,
        template=template,
        preamble=preamble,
        system_inputs=tuple(form.system_inputs),
        labels=labels,
        label_sets=label_sets,
        evidence=_evidence(document, form),
        rules=tuple(
            read_rule(document, rule, "rules", place, output=Shape.of_schema(schema.document))
            for place, rule in enumerate(form.rules)
        ),
        scores=tuple(
            document.pattern(pattern, "scores", place) for place, pattern in enumerate(form.scores)
        ),
        extra=(
            *looked_up,
            *(_check(document, contents, name, place) for place, name in enumerate(form.checks)),
        ),
        earlier=dict(form.earlier),
        **_attempts(form),
        budget=Budget(
            max_input_tokens=form.budget.max_input_tokens,
            max_output_tokens=form.budget.max_output_tokens,
            max_total_tokens=form.budget.max_total_tokens,
        ),
        models=tuple(form.models),
        signs=use_signs(
            document,
            form.signs,
            contents.signs,
            labels,
            cut_holds=contents.pack.shortened == "review",
        ),
        lexicon={name: contents.lexicon[name] for name in label_sets if name in contents.lexicon},
        examples=replace(
            contents.examples,
            sets={name: one for name, one in contents.examples.sets.items() if name in label_sets},
        ),
        refusals=(*contents.pack.refusals, *form.refusals),
        tokenizer=contents.pack.tokenizer,
        send=form.send,
    )
    result, facts = None, None
    if form.result is not None:
        result, facts = _result(document, form.result, labels, contents)
    sealed = replace(contract, result=result)
    seal = partial(seal_contract, checks=form.checks, result=facts, tables=table_facts)
    if form.formats is not None or not schema.names_format:
        return seal(sealed)
    remarks = contents.schema(document, ("schema",), file, folder)
    before = seal(replace(sealed, schema=remarks))
    return seal(replace(sealed, before_formats=before), formats=True)


def _check_system_part(
    document: Document, form: ContractForm, template: TemplateVersion | None
) -> None:
    """Text from outside in a system part would speak with the rank of the pack.

    Raises:
        PackError: the contract does not name it, or names what is not there.
    """
    outside = () if template is None else outside_in_system(template)
    for name in outside:
        if name not in form.system_inputs:
            raise document.fault(
                f"the system part of template {form.template!r} holds {name!r}, whose text comes"
                " from outside and would speak as the system",
                "template",
                hint=f"move it behind `=== user ===`, or allow it with `system_inputs: [{name}]`",
            )
    for place, name in enumerate(form.system_inputs):
        if name not in outside:
            raise document.fault(
                f"no text from outside stands as {name!r} in the template's system part",
                "system_inputs",
                place,
            )


def _result(
    document: Document, form: ResultForm, labels: tuple[LabelRule, ...], contents: PackContents
) -> tuple[ResultSpec, Any]:
    """How an output becomes a result, and what of it the digest covers."""

    def result_schema(name: str) -> Schema:
        return contents.schema(document, ("result", "schema"), name, "results/")

    spec = result_spec(document, form, labels, contents.policies, result_schema)
    return spec, result_facts(form, spec)


def read_rule(
    document: Document, form: RuleForm, *path: str | int, output: Shape | None = None
) -> Rule:
    """Compile one rule.

    Args:
        output: What its contract's schema declares, where that is known.

    Raises:
        PackError: the assertion is no CEL, or reads a field that no output can have.
    """
    try:
        rule = Rule.compile(
            id=form.id,
            assert_text=form.assert_,
            code=form.code,
            severity=form.severity,
            message=form.message,
        )
    except AssayError as error:
        raise document.fault(f"rule {form.id!r}: {error}", *path, "assert") from error
    for unknown in () if output is None else unknown_fields(form.assert_, {"output": output}):
        message = f"rule {form.id!r} reads {unknown!r}, which the schema does not have"
        raise document.fault(message, *path, "assert")
    return rule


def _template(
    document: Document, form: ContractForm, contents: PackContents, key: str
) -> TemplateVersion | None:
    name = getattr(form, key)
    if name is None:
        return None
    if name not in contents.templates:
        message = f"template {name!r} does not exist in templates/"
        raise document.fault(message, key, hint=suggest_name(name, contents.templates))
    template = contents.templates[name]
    try:
        check_blueprint(template.role, template.blueprint_schema)
    except AssayError as error:
        raise document.fault(f"template {name!r}: {error}", key, hint=error.hint) from error
    return template


def _used_set(
    document: Document, contents: PackContents, pattern: str, use: str | LabelUseForm
) -> LabelSet:
    name = use if isinstance(use, str) else use.set
    found = find_set(contents.label_sets, name)
    if found is None:
        message = f"label set {name!r} does not exist"
        raise document.fault(
            message, "labels", pattern, hint=suggest_name(name, contents.label_sets)
        )
    if isinstance(use, LabelUseForm) and use.repeats is not None:
        return replace(found, repeats=use.repeats)
    return found


def _label_sets(
    document: Document,
    template: TemplateVersion | None,
    labels: tuple[LabelRule, ...],
    contents: PackContents,
) -> dict[str, LabelSet]:
    sets = {rule.set.name: rule.set for rule in labels}
    for variable in () if template is None else template.variables:
        if not variable.startswith(LABELS):
            continue
        name = variable.removeprefix(LABELS)
        found = find_set(contents.label_sets, name)
        if found is None:
            message = f"its template lists label set {name!r}, which does not exist"
            raise document.fault(message, "template", hint=suggest_name(name, contents.label_sets))
        sets.setdefault(name, found)
    return sets


def _evidence(document: Document, form: ContractForm) -> EvidenceRule | None:
    if form.evidence is None:
        return None
    if not form.evidence.snippets.endswith("/*"):
        message = "must name the items of a list of snippets: end it with /*"
        raise document.fault(message, "evidence", "snippets")
    return EvidenceRule(
        snippets=document.pattern(form.evidence.snippets, "evidence", "snippets"),
        required=tuple(
            document.pattern(pattern, "evidence", "required", place)
            for place, pattern in enumerate(form.evidence.required)
        ),
    )


def _check(document: Document, contents: PackContents, name: str, place: int) -> Check:
    if name not in contents.checks:
        message = f"check {name!r} is not published by any installed package"
        raise document.fault(message, "checks", place, hint=suggest_name(name, contents.checks))
    return contents.checks[name]


def _attempts(form: ContractForm) -> dict[str, Any]:
    if form.attempts is None:
        return {}
    return {
        "attempts": tuple(
            Attempt(
                temperature=attempt.temperature,
                shorten=attempt.shorten,
                max_input_tokens=attempt.max_input_tokens,
                correct=attempt.correct,
            )
            for attempt in form.attempts
        )
    }
