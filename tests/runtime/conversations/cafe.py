"""A conversation that has nothing to do with public services: a café, in Spanish, with a loop."""

from __future__ import annotations

import json
from typing import Any

from assay.pack.pack import Pack
from assay.pack.read import read_pack

STAGES = """\
start: escuchar
end: adios
max_steps: 6
correction: "Corrige esto:"
reply: {field: /respuesta, safe: "Un momento, por favor.", conflict: "Ya le atiendo."}
summary: {items: 3, max_chars: 40}
slots:
  carta:
    table: plato
    among: {local: state.escuchar.local}
    columns: [nombre, precio]
    rank: [nombre, palabras]
    max_tokens: 60
stages:
  escuchar:
    inputs: [user_prompt, chat_context_summary]
    optional: [chat_context_summary]
    merge: {local: /local}
    next: {field: /siguiente, to: {pedir: ordenar, nada: adios}}
  ordenar:
    inputs: [user_prompt, carta, cached_state]
    merge: {platos: /platos}
    next: {field: /siguiente, to: {listo: preparar}}
  preparar:
    guard: size(state.ordenar.platos) > 0
    inputs: [cached_state]
    rules:
      - {id: minutos, assert: output.minutos < 60, message: menos de una hora}
    merge: {minutos: /minutos}
    sets_next: true
    next: {field: /siguiente, to: {otra: ordenar, servir: servir}}
  servir:
    inputs: [cached_state]
    merge: {".": ""}
    next: {field: /siguiente, to: {fin: adios}}
"""


def _schema(**properties: Any) -> bytes:
    document = {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }
    return json.dumps(document).encode()


def _template(name: str, *slots: str) -> bytes:
    variables = ", ".join(f"input.{slot}" for slot in slots)
    body = "\n".join(f"{slot}: {{{{input.{slot}}}}}" for slot in slots)
    head = f"---\nname: cafe.{name}\nrole: camarero\nversion: 1\nvariables: [{variables}]\n---\n"
    return f"{head}Etapa {name}.\n{body}\n".encode()


ROWS = [
    {"clave": "a", "local": "centro", "nombre": "Café solo", "precio": "1.20", "p": ["negro"]},
    {"clave": "b", "local": "centro", "nombre": "Chocolate", "precio": "2.50", "p": ["dulce"]},
    {"clave": "c", "local": "playa", "nombre": "Horchata", "precio": "3.00", "p": ["frio"]},
]
ATTEMPTS = "attempts: [{}, {correct: true}]\n"
FILES: dict[str, bytes] = {
    "pack.yaml": b"name: cafe\nversion: 1\nflow: stages.yaml\n",
    "stages.yaml": STAGES.encode(),
    "tables.yaml": (
        b"tables:\n  plato:\n    file: datos.jsonl\n    key: [clave]\n"
        b"    columns: {palabras: {words: p}}\n"
    ),
    "datos.jsonl": "\n".join(json.dumps(one) for one in ROWS).encode(),
    "contracts/escuchar.yaml": f"template: escuchar\n{ATTEMPTS}".encode(),
    "contracts/ordenar.yaml": (
        f"template: ordenar\n{ATTEMPTS}"
        "members:\n"
        "  - {at: /platos/*, table: plato, fields: {nombre: /nombre},"
        " among: {local: state.escuchar.local}}\n"
    ).encode(),
    "contracts/preparar.yaml": f"template: preparar\n{ATTEMPTS}".encode(),
    "contracts/servir.yaml": f"template: servir\n{ATTEMPTS}".encode(),
    "contracts/escuchar.schema.json": _schema(
        local={"type": "string"},
        respuesta={"type": ["string", "null"]},
        siguiente={"enum": ["pedir", "nada"]},
    ),
    "contracts/ordenar.schema.json": _schema(
        platos={"type": "array", "items": json.loads(_schema(nombre={"type": "string"}))},
        siguiente={"const": "listo"},
    ),
    "contracts/preparar.schema.json": _schema(
        minutos={"type": "integer"}, siguiente={"enum": ["otra", "servir"]}
    ),
    "contracts/servir.schema.json": _schema(
        respuesta={"type": "string"}, siguiente={"const": "fin"}
    ),
    "templates/escuchar.md": _template("escuchar", "user_prompt", "chat_context_summary"),
    "templates/ordenar.md": _template("ordenar", "user_prompt", "carta", "cached_state"),
    "templates/preparar.md": _template("preparar", "cached_state"),
    "templates/servir.md": _template("servir", "cached_state"),
}


def cafe(**changes: bytes) -> Pack:
    """The pack; a keyword such as `stages__yaml` replaces a file."""
    files = FILES | {
        ".".join(name.rsplit("__", 1)).replace("__", "/"): content
        for name, content in changes.items()
    }
    return read_pack(files, name_hint="cafe")


HEAR = {"local": "centro", "respuesta": None, "siguiente": "pedir"}
NOTHING = {"local": "centro", "respuesta": "Hasta luego.", "siguiente": "nada"}


def order(*names: str) -> dict[str, Any]:
    return {"platos": [{"nombre": name} for name in names], "siguiente": "listo"}


def prepare(minutes: int, following: str = "servir") -> dict[str, Any]:
    return {"minutos": minutes, "siguiente": following}


SERVE = {"respuesta": "Aquí tiene.", "siguiente": "fin"}
WHOLE: list[dict[str, Any]] = [
    HEAR,
    order("Café solo"),
    prepare(5, "otra"),
    order("Café solo", "Chocolate"),
    prepare(9),
    SERVE,
]
"""All replies of a turn that orders twice."""
