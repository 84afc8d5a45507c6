"""What type checkers have to refuse: each line that ends with `# wrong` is an error, no other."""

from __future__ import annotations

from pydantic import BaseModel

import assay


class Triage(BaseModel):
    topic: str


def mistake(text: str) -> None:
    """A value may be None; a source is a text; a class is no text; there are no other options."""
    verdict = assay.judge(Triage, text)
    print(verdict.value.topic)  # wrong
    assay.judge(Triage, text, sources={"body": 3})  # wrong
    assay.judge("Triage", text)  # wrong
    assay.open(store="sqlite:///x.db", modle="extractive")  # wrong
    with assay.open(store="sqlite:///x.db", model="extractive") as runtime:
        done = runtime.complete(Triage, "{{body}}", sources={"body": text})
        print(done.value.topic)  # wrong
        runtime.complete(Triage, "{{body}}", source={"body": text})  # wrong
    assay.Attempt(temprature=0.0)  # wrong
