"""Files become a pack: everything is read, everything that is named must exist.

In      {relative file name: bytes}
Out     Pack, or PackError with file and line
Pure    yes
Spec    interfaces.md, "Packs"

Layouts. With `pack.yaml` the folder is a pack. Without it, it is a folder of contracts that
only judge: `contracts/NAME.schema.json`, `contracts/NAME.yaml` with a schema beside it, or
the same files directly in the folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from assay.contract.confirm import CHECK_DIGITS
from assay.contract.contract import Contract
from assay.core.json.canonical import digest
from assay.errors import AssayError, PackError, TemplateError
from assay.flow.graph import StageGraph
from assay.gate.gate import Check
from assay.gate.labels import Examples, LabelSet, LexiconEntry
from assay.gate.tables import Table
from assay.pack.contracts import PackContents, bare_contract, read_contract
from assay.pack.document import Document, read_json, read_yaml, suggest_name, validate_form
from assay.pack.examples import EXAMPLES, LEARNED, read_examples
from assay.pack.forms import ClassForm, PackForm
from assay.pack.labels import read_label_sets, read_lexicon, trimmed_labels
from assay.pack.lock import files_digest
from assay.pack.pack import Pack
from assay.pack.signs import SIGNS, read_signs
from assay.pack.stages import read_stages
from assay.pack.tables import TABLES, read_tables
from assay.redaction.redactor import PatternClass, Redactor
from assay.templates.blueprint import check_blueprint
from assay.templates.template import TemplateVersion, is_version, parse_template

PACK: Final = "pack.yaml"
LABELS: Final = "labels.yaml"
LEXICON: Final = "lexicon.yaml"
CONTRACTS: Final = "contracts/"
TEMPLATES: Final = "templates/"
POLICIES: Final = "policies/"
RESULTS: Final = "results/"
SCHEMA: Final = ".schema.json"

_MISNAMED: Final = ("pack", "labels", "lexicon", "examples", "signs", "stages", "tables")


def read_pack(
    files: Mapping[str, bytes], *, name_hint: str = "", checks: Mapping[str, Check] | None = None
) -> Pack:
    """Read all files of a pack.

    Args:
        files: Content by relative name with `/`.
        name_hint: What the pack is called when it has no `pack.yaml` (its folder's name).
        checks: Checks written in Python that contracts may name.

    Raises:
        PackError: the first fault, with file and line.

    Spec: interfaces.md, "Packs"
    """
    _refuse_misnamed(files)
    form, pack_document = _pack_form(files, name_hint)
    label_sets = _optional(files, LABELS, read_label_sets) or {}
    tables = _tables(files, label_sets)
    contents = PackContents(
        pack=form,
        files=files,
        schemas={name: read_json(name, data) for name, data in files.items() if _is_schema(name)},
        templates=_templates(files),
        label_sets=label_sets,
        lexicon=_lexicon(files, label_sets),
        examples=_examples(files, label_sets),
        signs=_optional(files, SIGNS, read_signs) or {},
        policies={
            name.removeprefix(POLICIES).removesuffix(".yaml"): read_yaml(name, data)
            for name, data in files.items()
            if name.startswith(POLICIES) and name.endswith(".yaml")
        },
        checks={} if checks is None else checks,
        tables=tables,
    )
    contracts = _contracts(files, contents)
    if not contracts and pack_document is None:
        message = "holds no pack.yaml and no contract (NAME.schema.json, NAME.yaml)"
        raise PackError(message, file=name_hint or "the folder", hint="see `assay pack new`")
    if form.models is not None and contracts and pack_document is not None:
        raise pack_document.fault("stands with each contract of a pack that has some", "models")
    flow, stages = _flow(files, form, pack_document, contracts, tables)
    if form.show == "unjudged" and stages is None and form.source != "documents" and pack_document:
        raise pack_document.fault("shows replies of a conversation or of answers only", "show")
    return Pack(
        name=form.name,
        version=form.version,
        source=form.source,
        flow=flow,
        contracts=contracts,
        templates=contents.templates,
        label_sets=label_sets,
        policies={
            name: document.value if isinstance(document.value, dict) else {}
            for name, document in contents.policies.items()
        },
        tables=tables,
        stages=stages,
        budget=form.budget,
        shortened=form.shortened,
        show=form.show,
        document=form.document,
        models=tuple(form.models or ("*",)),
        redaction_classes=_classes(form, pack_document),
        strict_templates=form.strict_templates,
        require_template=form.require_template,
        description=form.description,
        warnings=_warnings(files),
        digest=files_digest(files),
        files=dict(files),
    )


def _refuse_misnamed(files: Mapping[str, bytes]) -> None:
    for stem in _MISNAMED:
        if f"{stem}.yml" in files:
            raise PackError("would not be read", file=f"{stem}.yml", hint=f"call it {stem}.yaml")


def _pack_form(files: Mapping[str, bytes], name_hint: str) -> tuple[PackForm, Document | None]:
    name = _spare_name(name_hint)
    if PACK in files:
        document = read_yaml(PACK, files[PACK])
        form = validate_form(document, PackForm)
        return form if form.name else form.model_copy(update={"name": name}), document
    return PackForm.model_construct(name=name), None


def _spare_name(name_hint: str) -> str:
    """A name made of the folder's, for a pack that does not say its own."""
    letters = "".join(char if char.isalnum() or char in "._-" else "-" for char in name_hint)
    return letters if letters[:1].isalpha() else f"pack{letters}"


def _optional(
    files: Mapping[str, bytes], name: str, read: Callable[[Document], dict[str, Any]]
) -> dict[str, Any] | None:
    return read(read_yaml(name, files[name])) if name in files else None


def _warnings(files: Mapping[str, bytes]) -> tuple[PackError, ...]:
    if LABELS not in files:
        return ()
    return tuple(trimmed_labels(read_yaml(LABELS, files[LABELS])))


def _lexicon(
    files: Mapping[str, bytes], sets: Mapping[str, LabelSet]
) -> dict[str, dict[str, LexiconEntry]]:
    found = _optional(files, LEXICON, lambda document: dict(read_lexicon(document, sets)))
    return found or {}


def _examples(files: Mapping[str, bytes], sets: Mapping[str, LabelSet]) -> Examples:
    found = _optional(files, EXAMPLES, lambda document: dict(read_examples(document, sets)))
    return Examples(sets=found or {}, learned=files.get(LEARNED, b""))


def _tables(files: Mapping[str, bytes], label_sets: dict[str, LabelSet]) -> dict[str, Table]:
    """The tables; label sets that are made of them join *label_sets*."""
    if TABLES not in files:
        return {}
    document = read_yaml(TABLES, files[TABLES])
    tables, made = read_tables(document, files)
    for name, labels in made.items():
        if name in label_sets:
            raise document.fault(f"label set {name!r} is in {LABELS}, too", "labels", name)
        label_sets[name] = labels
    return tables


def _is_schema(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    return file.endswith(SCHEMA) and folder in ("", "contracts", "results")


def _templates(files: Mapping[str, bytes]) -> dict[str, TemplateVersion]:
    """Every template version; a text without front matter is a file like any other."""
    templates: dict[str, TemplateVersion] = {}
    for name, data in files.items():
        stem, dot, ending = name.removeprefix(TEMPLATES).rpartition(".")
        if not name.startswith(TEMPLATES) or ending not in ("md", "txt") or not dot:
            continue
        if not is_version(data):
            continue
        try:
            template = parse_template(data, file=name)
            check_blueprint(template.role, template.blueprint_schema, template.places)
        except TemplateError as error:
            raise PackError(error.message, file=name, line=error.line, hint=error.hint) from error
        if stem in templates:
            raise PackError(f"there are two templates called {stem!r}", file=name, line=1)
        templates[stem] = template
    return templates


def contract_files(files: Mapping[str, bytes]) -> dict[str, str]:
    """The file of every contract by its name: `NAME.yaml`, or a schema without such a file."""
    found: dict[str, str] = {}
    for folder in (CONTRACTS,) if PACK in files else (CONTRACTS, ""):
        for name in sorted(files):
            stem = name.removeprefix(folder)
            if (
                not name.startswith(folder)
                or "/" in stem
                or stem in (LABELS, LEXICON, SIGNS, TABLES)
            ):
                continue
            if stem.endswith(".yaml"):
                found.setdefault(stem.removesuffix(".yaml"), name)
            elif stem.endswith(SCHEMA) and f"{name.removesuffix(SCHEMA)}.yaml" not in files:
                found.setdefault(stem.removesuffix(SCHEMA), name)
    return found


def _contracts(files: Mapping[str, bytes], contents: PackContents) -> dict[str, Contract]:
    contracts: dict[str, Contract] = {}
    for key, name in contract_files(files).items():
        if name.endswith(SCHEMA):
            contracts[key] = bare_contract(key, contents.schemas[name], contents)
        else:
            folder = name.removesuffix(f"{key}.yaml")
            document = read_yaml(name, files[name])
            contracts[key] = read_contract(key, document, contents, folder=folder)
    return contracts


def _flow(
    files: Mapping[str, bytes],
    form: PackForm,
    document: Document | None,
    contracts: Mapping[str, Contract],
    tables: Mapping[str, Table],
) -> tuple[tuple[str, ...], StageGraph | None]:
    if document is None:
        return tuple(contracts), None
    if isinstance(form.flow, str):
        if form.flow not in files:
            raise document.fault(f"stage file {form.flow!r} does not exist", "flow")
        if form.shortened != "accept":
            raise document.fault("holds inputs of an ordered flow, no conversation", "shortened")
        return (), read_stages(read_yaml(form.flow, files[form.flow]), contracts, tables)
    for place, name in enumerate(form.flow):
        if name not in contracts:
            message = f"contract {name!r} does not exist"
            raise document.fault(message, "flow", place, hint=suggest_name(name, contracts))
    names = [contracts[name].result_name for name in form.flow]
    if len(set(names)) != len(names):
        raise document.fault("two contracts of the flow name their result alike", "flow")
    _check_earlier(form, document, contracts)
    return tuple(form.flow), None


def _check_earlier(form: PackForm, document: Document, contracts: Mapping[str, Contract]) -> None:
    """What a contract takes from earlier ones must come from earlier ones."""
    before: list[str] = []
    for place, name in enumerate(form.flow):
        for text, taken in contracts[name].earlier.items():
            result = taken.partition("/")[0]
            if result not in before:
                message = f"contract {name!r} takes {text!r} from {result!r}, no earlier result"
                raise document.fault(message, "flow", place, hint=suggest_name(result, before))
        before.append(contracts[name].result_name)
    if form.document is not None and form.document not in form.flow:
        message = f"contract {form.document!r} does not stand in the flow"
        raise document.fault(message, "document", hint=suggest_name(form.document, form.flow))


def _classes(form: PackForm, document: Document | None) -> tuple[PatternClass, ...]:
    classes = []
    for place, added in enumerate(form.redaction.classes):
        assert document is not None
        path = ("redaction", "classes", place)
        try:
            classes.append(_class(added))
            Redactor(extra=tuple(classes))
        except AssayError as error:
            raise document.fault(str(error), *path, hint=error.hint) from error
    return tuple(classes)


def _class(form: ClassForm) -> PatternClass:
    if form.check is not None and form.check not in CHECK_DIGITS:
        message = f"check digits {form.check!r} do not exist"
        raise PackError(message, hint=suggest_name(form.check, CHECK_DIGITS))
    return PatternClass(
        name=form.name,
        pattern=form.pattern,
        validator=None if form.check is None else CHECK_DIGITS[form.check],
        digest=digest(form.check or ""),
    )
