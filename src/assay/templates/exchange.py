"""Templates from and to the forms of other tools: Dotprompt, Langfuse, MLflow.

In      the bytes of a file in another form; or a version
Out     Imported: what a version needs, and what could not be carried over; or a file
Pure    yes
Spec    002-T1, 002-T3, 002-R4; interfaces.md, "Templates"

What another form can say and a template cannot is listed, never dropped in silence. What would
change the prompt itself (sections, helpers, partials) is refused with its place, like any other
template that has logic.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from assay.core.json.strict import Refused, parse_object
from assay.errors import InputError, TemplateError
from assay.templates.chat import join_helpers, join_messages, refuse_marks, with_role_helpers
from assay.templates.frontmatter import decode, has_front_matter, split_front_matter
from assay.templates.template import TemplateVersion, make_template

FORMS: Final = ("dotprompt", "langfuse", "mlflow")

_OWN: Final = "assay"
"""Our own fields stand under this name space in a Dotprompt file."""

_DOTPROMPT_LOST: Final = {
    "model": "the model; a contract names the models it allows",
    "config": "model parameters; a contract names temperature and limits",
    "tools": "tools",
    "toolDefs": "tools",
    "maxTurns": "turns with tools",
    "returnToolRequests": "turns with tools",
    "output": "the output format and schema; put the schema into a contract",
    "metadata": "metadata",
    "variant": "the variant",
    "version": "the version; the registry numbers its own",
}
_LANGFUSE_LOST: Final = {
    "config": "model parameters; a contract names temperature and limits",
    "labels": "labels; set them with `assay templates label`",
    "tags": "tags",
    "commitMessage": "the message of the commit",
    "version": "the version; the registry numbers its own",
    "projectId": "the project",
    "createdBy": "who made it",
    "createdAt": "when it was made",
    "updatedAt": "when it was changed",
    "resolutionGraph": "how prompts were put together",
    "lastUpdatedAt": "when it was changed",
    "isActive": "whether it is active; promote it",
    "id": "the id",
}
_MLFLOW_LOST: Final = {
    "version": "the version; the registry numbers its own",
    "commit_message": "the message of the commit",
    "description": "the description",
    "tags": "tags",
    "aliases": "aliases; set them with `assay templates label`",
    "response_format": "the response format; put the schema into a contract",
    "model_config": "model parameters; a contract names temperature and limits",
    "creation_timestamp": "when it was made",
    "last_updated_timestamp": "when it was changed",
    "user_id": "who made it",
    "prompt_type": "the type",
    "variables": "the list of variables; it is read from the text",
    "uri": "the address",
}
_REFERENCE = re.compile(r"@@@\s*langfusePrompt\s*:[^@\n]{0,400}@@@")
"""Another prompt of Langfuse, put in its place when the prompt is fetched."""

_HISTORY = re.compile(r"(?<!\\)\{\{\s*history\s*\}\}")
_THIS = re.compile(r"(?<!\\)\{\{\s*(this(?:\.\w+)*|else)\s*\}\}")
_COMMENTS = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)+(?=---[ \t]*\r?\n)")
"""What Dotprompt lets stand before the front matter: comments, as of a licence, and blank lines."""

_COMMENT_LINE = re.compile(r"^[ \t]*#", re.MULTILINE)
_ESCAPE = re.compile(r"\\\\(?=\{\{)|\\\{\{")
_JINJA = re.compile(r"\{%|(?<!\{)\{#")
"""A statement or a comment; `{{#if}}` is a section of Handlebars, whose place is told later."""
_PLAIN = re.compile(r"[^A-Za-z0-9_.\-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """A template of another tool, as far as it can be one of ours."""

    name: str
    role: str | None
    """None when the form does not say."""

    body: str
    blueprint_schema: Mapping[str, Any] | None = None
    blueprint_instructions: str = ""
    lost: tuple[str, ...] = ()
    """What cannot be carried over, for people."""

    def version(self, *, role: str | None, name: str | None, number: int) -> TemplateVersion:
        """The version that it makes.

        Raises:
            TemplateError: the text has logic, or is no template for another reason.
            InputError: nothing says the role.
        """
        known = role or self.role
        if known is None:
            raise InputError("the file does not say the role", hint="give --role")
        return make_template(
            name=name or self.name,
            role=known,
            version=number,
            body=self.body,
            blueprint_schema=self.blueprint_schema,
            blueprint_instructions=self.blueprint_instructions,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A version in the form of another tool."""

    text: str
    lost: tuple[str, ...]


def import_template(data: bytes, form: str, *, name: str = "") -> Imported:
    """Read a template of another tool.

    Args:
        data: The file.
        form: `dotprompt`, `langfuse` or `mlflow`.
        name: What to call it when the file does not say.

    Raises:
        InputError: it is no file of that form.
        TemplateError: its front matter cannot be read.
    """
    if form == "dotprompt":
        return _from_dotprompt(data, name)
    document = parse_object(data)
    if isinstance(document, Refused):
        raise InputError(f"the file is no JSON object ({document.code})", hint=document.message)
    if form == "langfuse":
        return _from_json(document.value, "prompt", _LANGFUSE_LOST, name)
    if form == "mlflow":
        return _from_json(document.value, "template", _MLFLOW_LOST, name)
    raise InputError(f"{form!r} is no form of templates", hint=", ".join(FORMS))


def export_dotprompt(version: TemplateVersion) -> Exported:
    """The version as a Dotprompt file. What Dotprompt has no word for stands under `assay`."""
    own: dict[str, Any] = {"role": version.role, "version": version.version}
    if version.blueprint_schema is not None:
        own["blueprint_schema"] = _plain_scalar(version.blueprint_schema)
    if version.blueprint_instructions:
        own["blueprint_instructions"] = version.blueprint_instructions
    front: dict[str, Any] = {"name": version.name, _OWN: own}
    if version.variables:
        front["input"] = {"schema": _nest_fields(version.variables)}
    parts: list[str] = []
    lost = []
    for text, name in with_role_helpers(version):
        # A backslash before a placeholder or a helper would make a text of it; two stand for one.
        escape = "\\" if name is not None and parts and parts[-1].endswith("\\") else ""
        parts.append(escape + (text.replace("{{", "\\{{") if name is None else f"{{{{{name}}}}}"))
        if "\\{{" in text:
            lost.append("a backslash before a literal {{ has no spelling in Dotprompt")
    if version.turn is not None and "\r\n" in version.body[: version.turn.system_start]:
        lost.append("CR LF behind the lines that begin the parts; the parts themselves keep theirs")
    if version.blueprint_schema is not None or version.blueprint_instructions:
        lost.append("the blueprint is not appended by Dotprompt; it stands under assay")
    head = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=10_000)
    return Exported(text=f"---\n{head}---\n{''.join(parts)}", lost=tuple(lost))


def export_assay(version: TemplateVersion) -> Exported:
    """The version as a template file: what `parse_template` reads."""
    front: dict[str, Any] = {
        "name": version.name,
        "role": version.role,
        "version": version.version,
        "variables": list(version.variables),
    }
    if version.blueprint_schema is not None:
        front["blueprint_schema"] = _plain_scalar(version.blueprint_schema)
    if version.blueprint_instructions:
        front["blueprint_instructions"] = version.blueprint_instructions
    head = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=10_000)
    return Exported(text=f"---\n{head}---\n{version.body}", lost=())


def _from_dotprompt(data: bytes, name: str) -> Imported:
    text = decode(data)
    lost: list[str] = []
    fields: Mapping[str, Any] = {}
    before = _COMMENTS.match(text)
    if before:
        if "#" in before[0]:
            lost.append("comments before the front matter")
        text = text[before.end() :]
    if has_front_matter(text):
        parts = split_front_matter(text)
        if _COMMENT_LINE.search(text[: len(text) - len(parts.body)]):
            lost.append("comments within the front matter")
        fields, text = parts.fields, parts.body
    if found := _THIS.search(text):
        raise TemplateError(
            f"{{{{{found[1]}}}}} is no variable: a template has no logic",
            hint="name the variable that is meant",
        )
    given = fields.get(_OWN)
    own: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
    for key, value in fields.items():
        if key in ("name", _OWN):
            continue
        if key == "input":
            lost += _lost_input(value)
        else:
            lost.append(f"{key}: {_DOTPROMPT_LOST.get(key, 'a field of another tool')}")
    if _HISTORY.search(text):
        lost.append("{{history}}: the earlier messages of a chat; a variable would not be filled")
        text = _HISTORY.sub("", text)
    text = join_helpers(text, lost)
    schema = own.get("blueprint_schema")
    instructions = own.get("blueprint_instructions")
    role = own.get("role")
    return Imported(
        name=_name(str(fields.get("name") or name)),
        role=role if isinstance(role, str) else None,
        body=_ESCAPE.sub(lambda found: "\\" if found[0] == "\\\\" else "{{{{", text),
        blueprint_schema=schema if isinstance(schema, Mapping) else None,
        blueprint_instructions=instructions if isinstance(instructions, str) else "",
        lost=tuple(lost),
    )


def _lost_input(value: Any) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield "input: what it names; values are strings"
        return
    for key in value:
        if key not in ("default", "schema"):
            yield f"input.{key}: a field of another tool"
    if value.get("default"):
        yield "input.default: default values; every variable must be given"
    schema = value.get("schema")
    if schema is None:
        return
    if not isinstance(schema, Mapping):
        yield "input.schema: what it names; values are strings"
        return
    optional = sorted(_optional_fields(schema))
    if optional:
        yield f"input.schema: optional variables ({', '.join(optional)}); all must be given"
    if any(_more_than_text(kind) for kind in schema.values()):
        yield "input.schema: types and descriptions of variables; values are strings"


def _optional_fields(schema: Mapping[Any, Any], above: str = "") -> Iterator[str]:
    """Names that Dotprompt's short form of a schema marks with `?`."""
    for key, kind in schema.items():
        name = f"{above}{str(key).partition('(')[0].strip()}"
        if name.endswith("?"):
            yield name[:-1]
        if isinstance(kind, Mapping):
            yield from _optional_fields(kind, f"{name.removesuffix('?')}.")


def _more_than_text(kind: Any) -> bool:
    if isinstance(kind, Mapping):
        return any(_more_than_text(inner) for inner in kind.values())
    return bool(kind != "string")


def _from_json(
    document: Mapping[str, Any], key: str, known: Mapping[str, str], name: str
) -> Imported:
    if key not in document:
        raise InputError(f"the file holds no {key!r}", hint="is it of the form that was named?")
    lost = [
        f"{field}: {known.get(field, 'a field of another tool')}"
        for field, value in document.items()
        if field not in ("name", "type", key) and value not in (None, [], {}, "")
    ]
    kind = document.get("type")
    if kind not in (None, "text", "chat"):
        lost.append("type: a kind of prompt that is not known here")
    body = document[key]
    if isinstance(body, list):
        body = join_messages(body, lost)
        if not body.strip():
            raise InputError(f"{key!r} holds no message with text")
    elif isinstance(body, str):
        refuse_marks(body)
    if not isinstance(body, str):
        raise InputError(f"{key!r} is neither text nor a list of messages")
    if _JINJA.search(body):
        raise TemplateError(
            "the text has Jinja statements, and a template has no logic",
            hint="write one version for each case",
        )
    if _REFERENCE.search(body):
        raise TemplateError(
            "the text refers to another prompt, which would be put in its place",
            hint="export it with its references resolved",
        )
    return Imported(
        name=_name(str(document.get("name") or name)), role=None, body=body, lost=tuple(lost)
    )


def _nest_fields(variables: Sequence[str]) -> dict[str, Any]:
    """`a.b` is the field b of an object a in Dotprompt."""
    tree: dict[str, Any] = {}
    for variable in variables:
        *path, last = variable.split(".")
        here = tree
        for step in path:
            inner = here.get(step)
            if not isinstance(inner, dict):
                inner = here[step] = {}
            here = inner
        here.setdefault(last, "string")
    return tree


def _name(text: str) -> str:
    """A name of another tool as one of ours: `folder/My prompt` is `folder.My-prompt`."""
    clean = _PLAIN.sub("-", text.replace("/", ".")).strip("-.")
    return clean if clean[:1].isalpha() else f"t{clean}"


def _plain_scalar(value: Any) -> Any:
    return json.loads(json.dumps(value, default=dict))
