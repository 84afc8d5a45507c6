"""The template registry drawn for people.

In      the documents that `assay templates --json` prints
Out     text on a console
"""

from __future__ import annotations

from typing import Any

from rich.console import Console

from assay.cli.tables import plain_text, rows_table


def version_of(document: dict[str, Any]) -> str:
    """`ROLE/NAME@VERSION`."""
    return f"{document['role']}/{document['name']}@{document['version']}"


def draw(console: Console, document: dict[str, Any]) -> None:
    """One version with its text."""
    facts = [{"field": key, "value": value} for key, value in document.items() if key != "template"]
    console.print(rows_table(version_of(document), facts, ("field", "value")))
    console.print()
    console.print(plain_text(document["template"]), markup=False, soft_wrap=True)


def draw_diff(console: Console, document: dict[str, Any]) -> None:
    """What is different between two versions."""
    if document["same"]:
        console.print("no difference")
    for line in document["text"]:
        console.print(plain_text(line), markup=False, soft_wrap=True)
    for word in ("added", "removed"):
        if document["variables"][word]:
            console.print(f"variables {word}: {', '.join(document['variables'][word])}")
    for part in ("instructions", "schema"):
        for line in document["blueprint"][part]:
            console.print(plain_text(line), markup=False, soft_wrap=True)
    if document["cases"]:
        console.print(
            f"{len(document['rendered'])} of {document['cases']} golden prompts change", end="\n"
        )
    for change in document["rendered"]:
        console.print(
            f"case {plain_text(change['case'])} {plain_text(change['fault'])}", markup=False
        )
        for line in change["diff"]:
            console.print(plain_text(line), markup=False, soft_wrap=True)


def draw_drift(console: Console, document: dict[str, Any]) -> None:
    """What drifted."""
    console.print(
        f"{document['versions']} versions, {document['contexts']} prompts on record: "
        f"{len(document['drift'])} drifted, {document['last_24h']} hits in the last 24 hours"
    )
    for hit in document["drift"]:
        unreadable = ", cannot be read" if hit.get("found", hit) is None else ""
        what = hit["id"] or ("without a name" if hit["kind"] == "version" else "of no version")
        console.print(f"{hit['kind']}: {plain_text(what)}{unreadable}", style="red", markup=False)
