"""A pack: contracts, templates, label sets, policies and stages of one system.

In      what `assay.pack.read` found in the files
Out     Pack
Pure    yes
Spec    interfaces.md, "Packs"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.answers.assemble import TEMPLATE_FILE
from assay.answers.evidence.policy import SelectionPolicy, read_policy
from assay.answers.prompt_v1 import read_frozen_template
from assay.contract.contract import Contract
from assay.errors import InputError, NotFoundError, PackError, UsageError
from assay.flow.graph import StageGraph
from assay.gate.labels import LabelSet
from assay.gate.tables import Table
from assay.pack.document import suggest_name
from assay.pack.forms import RunBudgetForm
from assay.redaction.redactor import PatternClass
from assay.templates.template import TemplateVersion

Source = Literal["mail", "text", "json", "documents", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """Everything that a folder declares, checked."""

    name: str
    version: str
    source: Source
    """What the pack takes as input."""

    flow: tuple[str, ...]
    """Names of the contracts in order; empty for a staged pack."""

    contracts: Mapping[str, Contract]
    templates: Mapping[str, TemplateVersion] = field(default_factory=dict)
    """By file name without its ending."""

    label_sets: Mapping[str, LabelSet] = field(default_factory=dict)
    policies: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    """Data that outputs are held against."""

    stages: StageGraph | None = None
    """For a conversation instead of an ordered flow."""

    budget: RunBudgetForm = field(default_factory=RunBudgetForm)
    """Token limits of a whole run."""

    shortened: Literal["accept", "review"] = "accept"
    """What becomes of an input whose accepted outputs were judged without some of its own words."""

    show: Literal["judged", "unjudged"] = "judged"
    """Whether text that is not judged yet may be shown while it arrives."""

    document: str | None = None
    """Contract of the flow whose output is a document to be written out."""

    models: tuple[str, ...] = ("*",)
    """Of a pack without contracts: name patterns of the models that its prompt is frozen for."""

    redaction_classes: tuple[PatternClass, ...] = ()
    """What the pack adds to redaction."""

    strict_templates: bool = False
    """A template that was edited in the store never renders."""

    require_template: bool = False
    """There is no fallback prompt for its contracts."""

    description: str = ""
    warnings: tuple[PackError, ...] = ()
    """What was read otherwise than it is written, each with file and line."""

    digest: str
    """Over the digests of all files but the lock."""

    files: Mapping[str, bytes] = field(repr=False)
    """As they were read, by relative name with `/`."""

    def contract(self, name: str) -> Contract:
        """The contract *name*.

        Raises:
            NotFoundError: there is none; the hint names what there is.
        """
        found = self.contracts.get(name)
        if found is None:
            message = f"pack {self.name!r} has no contract {name!r}"
            raise NotFoundError(message, hint=suggest_name(name, self.contracts))
        return found

    def answer_policy(self) -> SelectionPolicy:
        """The selection policy of a pack of answers.

        Raises:
            InputError: it is no pack of answers, or has not exactly one policy, or the policy is
                refused.
            PackError: its template is not byte for byte the frozen one.

        Spec: 004 R2.2, R2.6.
        """
        self.require_answers()
        if len(self.policies) != 1:
            message = f"pack {self.name!r} has {len(self.policies)} policies"
            raise InputError(message, hint="give the one that holds")
        (policy,) = self.policies.values()
        return read_policy(policy)

    def require_answers(self) -> None:
        """Raises InputError or PackError when this is no pack of answers."""
        if self.source != "documents" or self.contracts or TEMPLATE_FILE not in self.files:
            raise InputError(
                f"pack {self.name!r} is no pack of answers",
                hint=f"it has `source: documents`, {TEMPLATE_FILE} and no contracts",
            )
        if read_frozen_template(self.files[TEMPLATE_FILE]) is None:
            raise PackError("is not the frozen text of prompt contract V1", file=TEMPLATE_FILE)

    def require_flow(self) -> None:
        """Raises UsageError where nothing of this pack judges an input by itself."""
        if self.flow:
            return
        if self.stages is not None:
            hint = f"talk to it: assay chat {self.name}"
        elif self.source == "documents":
            hint = f"ask it: assay ask QUESTION --pack {self.name}"
        else:
            hint = "name its contracts in `flow` of pack.yaml"
        raise UsageError(f"pack {self.name!r} has no contract that is run over inputs", hint=hint)

    def ordered_contracts(self) -> tuple[Contract, ...]:
        """The contracts of an ordered flow, in their order."""
        return tuple(self.contracts[name] for name in self.flow)
