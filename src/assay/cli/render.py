"""`assay render TEMPLATE --vars FILE`: a template with its values put in; no model is called."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click

from assay.cli.options import common_options, read_argument, store_option
from assay.cli.output import emit
from assay.cli.redact import redactor_of
from assay.cli.terminal import write_exactly
from assay.contract.prompt import TemplateRef
from assay.core.json.canonical import digest
from assay.core.json.strict import Refused, parse_object
from assay.errors import InputError
from assay.templates.template import TemplateVersion, is_version, parse_body, parse_template, render

MAX_VARIABLES_BYTES = 64 << 20
_REFERENCE = re.compile(r"[A-Za-z][\w.\-]*/[A-Za-z][\w.\-]*(?:@[\w.\-]+)?")


@click.command()
@click.argument("template")
@click.option(
    "--vars",
    "variables_file",
    metavar="FILE",
    help="A JSON object of strings: exactly the variables of the template.",
)
@store_option
@common_options
def command(template: str, variables_file: str | None, store_url: str, as_json: bool) -> None:
    """Render TEMPLATE: a template file, or a version in the registry (ROLE/NAME@VERSION).

    A file without front matter is a body only; its variables are those that stand in it.
    """
    version, reference = find_template(template, store_url)
    rendered = render(version, read_variables(variables_file))
    view = redactor_of().redact(rendered.text)
    document = {
        "text": rendered.text,
        "sha256": digest(rendered.text),
        "redacted": view.text,
        "redaction_map": dict(view.map),
        "truncated": view.truncated,
        "template": None if reference is None else reference.to_dict(),
        "variables": list(rendered.variables),
        "parts": [part.to_dict() for part in rendered.parts],
    }
    emit(document, as_json=as_json, human=lambda _: write_exactly(rendered.text))


def find_template(name: str, store_url: str) -> tuple[TemplateVersion, TemplateRef | None]:
    """The template that *name* means; the reference is None for a body only.

    Raises:
        NotFoundError: neither a file nor a version of that name exists.
        TemplateError: the file is refused, with line and column.
    """
    if name != "-" and not Path(name).exists() and _REFERENCE.fullmatch(name):
        version = registered_version(name, store_url)
        return version, TemplateRef.of(version)
    data = read_argument(name, what="template")
    if not is_version(data):
        return parse_body(data, file=name), None
    version = parse_template(data, file=name)
    return version, TemplateRef.of(version)


def registered_version(reference: str, store_url: str) -> TemplateVersion:
    """The version that `ROLE/NAME@VERSION` names in the registry.

    Raises:
        NotFoundError: there is none.
        IntegrityError: it was edited since it was added and is no template any more.
    """
    from assay import wiring
    from assay.templates.version import Reference

    with wiring.open(store_url, "none", must_exist=True) as runtime:
        registry = runtime.registry
        found = runtime.do(registry.find(Reference.parse(reference)))
        runtime.do(registry.check(found))
        return registry.bound_contracts.parse(found)


def read_variables(file: str | None) -> dict[str, Any]:
    """The values to put in.

    Raises:
        InputError: no JSON object by the strict rules.
    """
    if file is None:
        return {}
    parsed = parse_object(read_argument(file, what="variables"), max_bytes=MAX_VARIABLES_BYTES)
    if isinstance(parsed, Refused):
        raise InputError(f"variables: no JSON object ({parsed.code})", hint=parsed.message)
    value: dict[str, Any] = parsed.value
    return value
