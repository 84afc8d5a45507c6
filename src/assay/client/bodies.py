"""What the service takes, as models: the service reads them, the client writes them.

In      JSON
Out     models; a key that is not known is refused
Pure    yes
Spec    interfaces.md, "HTTP"; 009-H1
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, model_validator

Json = dict[str, Any]

_MOST_INPUTS = 1_000
_PACK = Field(description="A pack that the service runs, by name.", examples=["intake"])
MOST_REASON = 2_000
"""Characters of a reason."""

_REASON = Field(min_length=1, max_length=MOST_REASON, description="Why; kept with the move.")


class Body(BaseModel):
    """What all bodies share: closed, and silent about values in errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


class GateBody(Body):
    """One model output to be judged; no model is called and nothing is recorded."""

    contract: str = Field(description="`PACK/NAME`.", examples=["intake/classify"])
    output: str = Field(description="What the model said, byte for byte.", examples=["{}"])
    sources: dict[str, str] = Field(
        default_factory=dict,
        description="The texts that may be quoted, by name.",
        examples=[{"body": "A pipe has burst in the kitchen."}],
    )
    state: Json | None = Field(None, description="State of a conversation, for rules on it.")
    input: Json | None = Field(None, description="Facts of the input, for rules on them.")
    finish_reason: str | None = Field(
        None, max_length=100, description="How the reply ended.", examples=["stop"]
    )


class RenderBody(Body):
    """A template to be rendered."""

    template: str | None = Field(
        None,
        description="A version of the registry, `ROLE/NAME@VERSION`.",
        examples=["planner/outline@active"],
    )
    body: str | None = Field(
        None, description="Or the text of a template.", examples=["Dear {{name}}"]
    )
    variables: dict[str, str] = Field(
        default_factory=dict,
        description="Exactly those that it declares.",
        examples=[{"name": "Ann"}],
    )

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.template is None) == (self.body is None):
            raise ValueError("give template or body, and not both")
        return self


class RedactBody(Body):
    """A text to be redacted."""

    text: str = Field(examples=["Call Ann at +1 202 555 0143."])
    regions: list[Annotated[str, Field(pattern=r"^[A-Za-z]{2}$")]] = Field(
        default_factory=list,
        max_length=50,
        description="Whose national telephone numbers and identifiers to look for.",
        examples=[["US", "DE"]],
    )


class AssembleBody(Body):
    """Chunks that were retrieved, to become a prompt."""

    bundle: Any = Field(description="A RetrievalBundle.", examples=[{"results": []}])
    question: str = Field(examples=["When is the pool open?"])
    policy: Json | None = Field(None, description="A whole selection policy.")


class ValidateBody(Body):
    """An answer to be held against its assembly."""

    assembly: Json = Field(description="What `/v1/assemble` gave.", examples=[{}])
    answer: str = Field(examples=["The pool is open from 7 to 21. [C0]"])
    policy: Json | None = Field(None, description="A whole selection policy.")


class RunInput(Body):
    """One input of a run: its text, or its bytes."""

    name: str = Field(
        "input", min_length=1, max_length=500, description="For people.", examples=["claim.eml"]
    )
    text: str | None = Field(None, examples=["Subject: Pipe\n\nA pipe has burst."])
    base64: str | None = Field(None, description="The bytes of a file.")

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.text is None) == (self.base64 is None):
            raise ValueError("give text or base64, and not both")
        self.content()
        return self

    def content(self) -> bytes:
        """The bytes of the input. Raises ValueError where they are none."""
        if self.base64 is None:
            return (self.text or "").encode("utf-8", "surrogatepass")
        try:
            return base64.b64decode(self.base64, validate=True)
        except binascii.Error as error:
            raise ValueError("base64 is none") from error


class RunBody(Body):
    """Inputs to be brought through the flow of a pack."""

    pack: str = _PACK
    inputs: list[RunInput] = Field(min_length=1, max_length=_MOST_INPUTS)
    again: bool = Field(False, description="Ask the model even for what is settled already.")
    max_total_tokens: int | None = Field(None, ge=0, description="Budget of this run.")


class AnswerBody(Body):
    """A question to be answered from documents or from ready chunks."""

    question: str = Field(min_length=1, examples=["When is the pool open?"])
    documents: str | None = Field(
        None, description="Name of documents that the service may be asked over.", examples=["pool"]
    )
    bundle: Any = Field(None, description="Or a RetrievalBundle.")
    policy: Json | None = Field(None, description="A whole selection policy.")
    pack: str = Field("grounded", description="A pack of answers.")
    top_k: int = Field(20, ge=1, le=1_000, description="Passages to retrieve.")
    where: list[str] = Field(
        default_factory=list, max_length=20, description="`KEY=VALUE` that passages must have."
    )
    again: bool = False

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if (self.documents is None) == (self.bundle is None):
            raise ValueError("give documents or bundle, and not both")
        return self


class TurnBody(Body):
    """One message of a conversation."""

    message: str = Field(min_length=1, examples=["I want to register a car."])
    directive: str = Field("", description="An instruction from outside, for stages that take one.")


class SessionBody(TurnBody):
    """The first message of a conversation."""

    pack: str = Field(description="A pack with stages.", examples=["services"])
    session_id: UUID | None = Field(None, description="To start it under an id of your own.")


class DecisionBody(Body):
    """What a person says about a review."""

    accept: bool
    reason: str = _REASON
    output: str | None = Field(
        None, description="To accept: the output as it should have been. The gate judges it."
    )
    original_base64: str | None = Field(
        None, description="The bytes of the input, where its texts are not kept."
    )


class CheckBody(Body):
    """An output to be judged as a decision would be, without deciding."""

    output: str
    original_base64: str | None = None


class AssignBody(Body):
    """Whose hands a review goes into."""

    person: str = Field(min_length=1, max_length=200, examples=["Bo"])
    reason: str = _REASON


class ReasonBody(Body):
    """Why something is done."""

    reason: str = _REASON


class ReplayBody(Body):
    """Calls to be made again from the record."""

    calls: list[str] = Field(min_length=1, max_length=100)


class ReceiptBody(Body):
    """A call whose receipt is asked for."""

    call: str = Field(min_length=4, max_length=200, description="Its id, or the beginning of it.")


class TemplateBody(Body):
    """A template version to be added."""

    text: str = Field(description="Front matter and body.")
    reason: str = Field("", max_length=MOST_REASON)


class PromoteBody(ReasonBody):
    """A version to be made the active one."""

    backtest_with: str | None = Field(
        None, description="Refuse while recorded accepted calls of this pack would turn with it."
    )


class CanaryBody(ReasonBody):
    """A version to be given to a share of runs and sessions."""

    percent: int = Field(ge=0, le=100)


class LabelBody(ReasonBody):
    """A label to be put on a version."""

    label: str = Field(min_length=1, max_length=64, examples=["reviewed"])


class EraseBody(ReasonBody):
    """Whose traces are to be destroyed."""

    subject: str = Field(min_length=1, description="A pseudonym, or the mail address behind it.")


class KeyBody(Body):
    """A key of the service to be made."""

    name: str = Field(min_length=1, max_length=100, examples=["claims desk"])
    role: Literal["viewer", "operator", "reviewer", "approver", "admin"]
    days: int | None = Field(None, ge=1, le=3_650, description="It expires after so many.")
    per_minute: int | None = Field(None, ge=1, le=1_000_000)


FIELDS = frozenset(
    name
    for model in list(globals().values())
    if isinstance(model, type) and issubclass(model, Body)
    for name in model.model_fields
)
"""Every name of a field: words of ours, which an error may repeat."""
