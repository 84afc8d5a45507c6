"""What the files of a pack are made of, as typed forms: every key they may have, and no other.

In      parsed YAML
Out     pydantic models of `pack.yaml`, `labels.yaml`, `lexicon.yaml` and `contracts/NAME.yaml`
Pure    yes
Spec    interfaces.md, "Packs"

This is the edge of the program: what is read here is turned into frozen dataclasses by the
other modules of this package. The forms of `tables.yaml`, `stages.yaml` and golden cases stand
with the code that reads those.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from assay.core.amounts import read_amount

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.\-]*$", max_length=120)]
Pointer = Annotated[str, Field(pattern=r"^(/.*)?$")]
Text = Annotated[str, Field(min_length=1)]
Tokens = Annotated[int, Field(ge=1, strict=True)]
Column = Annotated[str, Field(min_length=1, max_length=120)]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
Place = Annotated[str, Field(pattern=r"^state\.[^.]+(\.[^.]+)*$")]


def _version_text(value: Any) -> Any:
    """A version may be written as a number; it is a text all the same."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _amount(value: Any) -> Any:
    """Exactly what is written; anything else is left to be refused."""
    amount = read_amount(value)
    return value if amount is None else amount


Money = Annotated[Decimal, BeforeValidator(_amount), Field(ge=0)]
Version = Annotated[str, BeforeValidator(_version_text), Field(min_length=1, max_length=60)]


class Form(BaseModel):
    """What all files share: no unknown key, no silent conversion."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=False)


# --- pack.yaml ------------------------------------------------------------------------------


class RunBudgetForm(Form):
    """Limits of a whole run in tokens and money; what is absent is unlimited."""

    max_input_tokens: Tokens | None = None
    max_output_tokens: Tokens | None = None
    max_total_tokens: Tokens | None = None
    max_cost: Money | None = None
    """In the currency of the model's price."""


class ClassForm(Form):
    """A redaction class that the pack adds."""

    name: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$", max_length=40)]
    pattern: Text
    check: str | None = None
    """Name of check digits that a match must have."""


class RedactionForm(Form):
    """What the pack adds to redaction."""

    classes: list[ClassForm] = []


class PackForm(Form):
    """`pack.yaml`."""

    name: Name = ""
    """The name of its folder when absent."""

    version: Version = "0"
    description: str = ""
    source: Literal["mail", "text", "json", "documents", "none"] = "none"
    flow: list[Name] | str = []
    """Contracts in order, or the name of the stage file."""

    budget: RunBudgetForm = RunBudgetForm()
    refusals: list[Text] = []
    """Openings of a refusal beside the built-in ones, for every contract of the pack."""

    redaction: RedactionForm = RedactionForm()
    strict_templates: bool = False
    """A template that was edited in the store never renders."""

    require_template: bool = False
    """No fallback prompt: without an active template version a call is refused."""

    shortened: Literal["accept", "review"] = "accept"
    """What becomes of an input whose accepted outputs were judged without own words of the sender
    that did not fit: `review` keeps the results and holds the input for a person."""

    show: Literal["judged", "unjudged"] = "judged"
    """Of a conversation or answers: `unjudged` shows on a terminal what arrives before it is
    judged, marked as such."""

    document: Name | None = None
    """Contract of the flow whose output is a document to be written out."""

    models: Annotated[list[Text], Field(min_length=1)] | None = None
    """Of a pack without contracts: name patterns of the models that its prompt is frozen for."""

    tokenizer: Literal["o200k_base", "cl100k_base"] = "o200k_base"


# --- labels.yaml ----------------------------------------------------------------------------


class LabelSetForm(Form):
    """One label set with its own keys."""

    description: str = ""
    multi: bool = False
    repeats: bool = False
    primary_priority: list[str] = []
    default: str | None = None
    """The label for what no other fits."""

    labels: dict[str, str | None] | list[str]


class LexiconForm(Form):
    """How one label sounds."""

    phrases: list[Text] = []
    patterns: list[Text] = []
    signals: list[Text] = []


# --- signs.yaml -----------------------------------------------------------------------------


class SignForm(Form):
    """What one danger sounds like."""

    patterns: dict[Language, Annotated[list[Text], Field(min_length=1)]]
    """Language -> RE2 patterns, over the text in small letters without accents."""

    but_not: dict[Language, list[Text]] = {}
    """What sounds like it and is not."""

    everywhere: bool = False
    """Also in quotes and signatures."""


# --- contracts/NAME.yaml --------------------------------------------------------------------


class LabelUseForm(Form):
    """A label set at one place, with what differs there."""

    set: str
    repeats: bool | None = None


class EvidenceForm(Form):
    """Where snippets stand, and which places must have some."""

    snippets: Pointer
    required: list[Pointer] = []


class RuleForm(Form):
    """One assertion in CEL."""

    id: Name
    code: str = ""
    assert_: Annotated[str, Field(alias="assert", min_length=1)]
    severity: Literal["reject", "note"] = "reject"
    message: str = ""


class AttemptForm(Form):
    """One rung of the ladder."""

    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = None
    shorten: bool = False
    max_input_tokens: Tokens | None = None
    correct: bool = False


class BudgetForm(Form):
    """Token limits of one call."""

    max_input_tokens: Tokens = 3000
    max_output_tokens: Tokens = 900
    max_total_tokens: Tokens | None = None


class KeysForm(Form):
    """Keys of an object that name rows."""

    of: Pointer
    column: Column
    fields: dict[Column, Pointer] = {}


class MemberForm(Form):
    """What must stand in a table."""

    at: Pointer
    table: Name
    fields: dict[Column, Pointer]
    keys: KeysForm | None = None
    among: dict[Column, Place | list[Place]] = {}
    """Column -> place of the state, or the first of several that is there."""

    alike: list[Column] = []


class MentionForm(Form):
    """A reply lists what it refers to."""

    text: Pointer
    listed: Pointer
    table: Name
    key: dict[Column, Pointer]
    names: list[Column]
    group: Column
    group_names: list[Column] = []
    aliases: list[Column] = []
    """Columns of further names, a text or a list of texts, found in any inflection."""


class WayForm(Form):
    """Values that go together, for models that decode under constraints."""

    at: dict[Pointer, Any]
    table: Name | None = None
    """One way for each row; a text that is a column's name in braces is that column's value."""


class PlaceholdersForm(Form):
    """A reply skeleton."""

    at: Pointer
    text: Pointer
    table: Name
    key: dict[Column, Pointer]
    values: dict[Name, Column]
    spare: Text


class PrimaryForm(Form):
    """The object of highest priority of a list, put in a place of its own."""

    of: Pointer
    to: Pointer
    label: str = "label"


class LimitForm(Form):
    """A threshold that depends on a label, or on another field than `confidence`."""

    value: str
    by: str | None = None
    field: str = "confidence"


class ThresholdsForm(Form):
    """Limits out of a policy: place -> dotted name in the policy."""

    policy: Name
    at: dict[Pointer, str | LimitForm]


class RedactForm(Form):
    """Values that are personal by type."""

    at: Pointer
    value: str
    by: str
    classes: dict[str, str] = {}


class KeyRuleForm(Form):
    """What a genuine key of one kind looks like."""

    pattern: Text
    check: str | None = None
    ignore: str = ""
    facts: list[str] = []
    never: list[str] = []
    """Other forms that its pattern would fit: `date`, `phone`, `account`, `amount`, `postcode`."""


class ConfirmForm(Form):
    """Keys to confirm."""

    at: Pointer
    value: str
    by: str
    kinds: dict[str, KeyRuleForm]


class SignalForm(Form):
    """A label that deterministic signs of the input decide."""

    to: Pointer
    item: dict[str, str | float]
    languages: Annotated[list[Language], Field(min_length=1)] | None = None
    """Decided by a guessed language that is none of these; without them by signs of a machine."""


class ResultForm(Form):
    """How an accepted output becomes a result."""

    name: Name
    schema_: Annotated[str, Field(alias="schema")]
    primary: PrimaryForm | None = None
    thresholds: ThresholdsForm | None = None
    redact: list[RedactForm] = []
    confirm: list[ConfirmForm] = []
    signals: list[SignalForm] = []


Earlier = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.\-]*(/.*)?$", max_length=300)]
"""A result, and a JSON Pointer into it: `plan`, `plan/title`."""


class ContractForm(Form):
    """`contracts/NAME.yaml`. All keys are optional: a schema alone is a contract."""

    description: str = ""
    version: Version = "1"
    template: Name | None = None
    preamble: Name | None = None
    system_inputs: list[Text] = []
    """Variables from outside that the template's system part may hold."""

    schema_: Annotated[str | None, Field(alias="schema")] = None
    formats: bool | None = None
    """`false` takes `format` (uuid, email, date …) as a remark; else it is judged."""

    labels: dict[Pointer, str | LabelUseForm] = {}
    evidence: EvidenceForm | None = None
    scores: list[Pointer] = []
    rules: list[RuleForm] = []
    signs: dict[Name, dict[Pointer, Annotated[list[Text], Field(min_length=1)]]] = {}
    """Sign of `signs.yaml` -> places of labels -> the labels that answer it."""

    members: list[MemberForm] = []
    """What must stand in tables of the pack."""

    mentions: list[MentionForm] = []
    """Replies that list what they refer to."""

    placeholders: PlaceholdersForm | None = None
    """A reply skeleton."""

    ways: list[WayForm] = []
    """Values that go together, for models that decode under constraints."""

    checks: list[Name] = []
    """Checks written in Python, by the name they are published under."""

    earlier: dict[Name, Earlier] = {}
    """Name of a text -> earlier result of the flow that it is made from, or a place in it."""

    attempts: Annotated[list[AttemptForm], Field(min_length=1, max_length=10)] | None = None
    budget: BudgetForm = BudgetForm()
    models: Annotated[list[Text], Field(min_length=1)] = ["*"]
    refusals: list[Text] = []
    send: Literal["text", "redacted"] = "text"
    """`redacted` keeps personal data out of the prompt."""

    result: ResultForm | None = None
