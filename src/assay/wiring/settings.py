"""What the environment may set, and `assay.toml` beside it.

In      environment variables; those of the settings file under them
Out     Settings
Spec    interfaces.md, "Command line"
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from assay.adapters.secret_values import FILE_SUFFIX, read_secret
from assay.errors import UsageError
from assay.wiring.settings_file import merge_settings, read_settings_file

REDACTION_KEY = "ASSAY_REDACTION_KEY"

_SECRET = frozenset(
    {"redaction_key", "store", "tsa_url", "oidc_client_secret", "webhook_secret", "webhook_url"}
)
"""Fields that are secret, or whose URL may hold a password."""


class Settings(BaseModel):
    """What the environment may set; each field names its variable."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    store: str = Field(
        "sqlite:///.assay/assay.db", alias="ASSAY_STORE", description="Where the record lives."
    )
    index: str = Field(
        ".assay/index",
        alias="ASSAY_INDEX",
        description="Folder of the indexes of `assay ask --docs`; they hold the documents' text.",
    )
    model: str = Field("extractive", alias="ASSAY_MODEL", description="What answers.")
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None = Field(
        0.2,
        alias="ASSAY_TEMPERATURE",
        description="Temperature of the first attempt, 0 to 2; the second is always 0.0. `none` "
        "leaves it out of both, for models that take none.",
    )
    reasoning_effort: str | None = Field(
        None,
        pattern="[a-z]{2,16}",
        alias="ASSAY_REASONING_EFFORT",
        description="How long a reasoning model may think, in the provider's word: `low`, "
        "`medium`, `high`; unset, the model decides.",
    )
    prices: str | None = Field(
        None,
        alias="ASSAY_PRICES",
        description="YAML file with what models cost; its entries come before the list prices of "
        "providers that the library holds.",
    )
    redaction_key: str | None = Field(
        None,
        alias="ASSAY_REDACTION_KEY",
        description="Key of the surrogates (HMAC-SHA256); without it they are plain digests. "
        "`ASSAY_REDACTION_KEY_FILE` names a file with it, `keyring:` asks the system's key store.",
    )
    recogniser: Literal["", "presidio"] = Field(
        "",
        alias="ASSAY_RECOGNISER",
        description="`presidio`: redaction also asks the pattern recognisers of "
        "presidio-analyzer, offline, about what the rules left. Slower by far; part of the "
        "recorded rules, so that replay names the difference.",
    )
    recogniser_model: str = Field(
        "",
        alias="ASSAY_RECOGNISER_MODEL",
        description="With `ASSAY_RECOGNISER=presidio`: a folder with a spaCy model, or an "
        "installed package that is one. It finds names of people in running text, and is part "
        "of the recorded rules.",
    )
    retry_attempts: int = Field(
        4, ge=1, le=20, alias="ASSAY_RETRY_ATTEMPTS", description="Tries of one exchange."
    )
    retry_total_s: float = Field(
        300.0,
        gt=0,
        allow_inf_nan=False,
        alias="ASSAY_RETRY_TOTAL_S",
        description="Seconds for all tries together.",
    )
    call_deadline_s: float = Field(
        120.0,
        gt=0,
        allow_inf_nan=False,
        alias="ASSAY_CALL_DEADLINE_S",
        description="Seconds for one try.",
    )

    strict_templates: bool = Field(
        False,
        alias="ASSAY_STRICT_TEMPLATES",
        description="1: a template that was edited in the store never renders.",
    )
    require_template: bool = Field(
        False,
        alias="ASSAY_REQUIRE_TEMPLATE",
        description="1: no fallback prompt; a call without an active template is refused.",
    )
    template_keys: str = Field(
        "",
        alias="ASSAY_TEMPLATE_KEYS",
        description="Trusted public keys (hex or Base64, separated by white space); set, only "
        "template versions signed under one of them render.",
    )
    template_approval: bool = Field(
        False,
        alias="ASSAY_TEMPLATE_APPROVAL",
        description="1: who added a template version may not release it.",
    )

    signing_key: str | None = Field(
        None,
        alias="ASSAY_SIGNING_KEY",
        description="File with the Ed25519 key (PEM) that signs checkpoints; several keys in it "
        "all sign, which is how they are rotated.",
    )
    checkpoint_keys: str | None = Field(
        None,
        alias="ASSAY_CHECKPOINT_KEYS",
        description="File with the public keys (PEM, or lines NAME+ID+KEY) whose checkpoints "
        "count as anchors.",
    )
    tsa_url: str | None = Field(
        None,
        alias="ASSAY_TSA_URL",
        description="Address of an RFC 3161 authority that time-stamps each checkpoint.",
    )
    tsa_roots: str | None = Field(
        None,
        alias="ASSAY_TSA_ROOTS",
        description="File with the certificates (PEM) that time-stamps are checked against.",
    )

    secrets: ClassVar[tuple[str, ...]] = (REDACTION_KEY,)
    """Variables that are secret: each may stand in a file or in the system's key store."""

    @field_validator("temperature", mode="before")
    @classmethod
    def _none_is_none(cls, value: Any) -> Any:
        return None if value == "none" else value

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Self:
        """From *environ*; None means this process, and the settings file.

        Raises:
            UsageError: names the variable which is wrong, never its value.
        """
        if environ is None:
            environ = environment()
        names = {field.alias for field in cls.model_fields.values()}
        given = {name: value for name, value in environ.items() if name in names and value}
        for name in cls.secrets:
            secret = read_secret(environ, name)
            if secret:
                given[name] = secret
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            wrong = sorted({str(fault["loc"][0]) for fault in error.errors()})
            hints = [cls._expected(name) for name in wrong]
            raise UsageError(
                f"the setting {', '.join(wrong)} is not valid", hint=" ".join(hints)
            ) from error

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Without values that are secret or may hold a password; `repr` ends up in logs."""
        for name, value in super().__repr_args__():
            yield name, "(hidden)" if name in _SECRET and value else value

    @classmethod
    def _expected(cls, name: str) -> str:
        """What a variable may say: its kind and its description."""
        field = next(each for each in cls.model_fields.values() if each.alias == name)
        kind = "1 or 0: " if field.annotation is bool else ""
        return f"{name} is {kind}{field.description}"


class ServiceSettings(Settings):
    """What the service reads beside all that."""

    packs: str = Field(
        "intake grants services grounded",
        alias="ASSAY_SERVE_PACKS",
        description="Packs that the service runs, by name or folder, separated by white space. "
        "Callers name them; no caller names a folder.",
    )
    documents: str = Field(
        "",
        alias="ASSAY_SERVE_DOCUMENTS",
        description="What may be asked over, as `NAME=FOLDER`, separated by white space; callers "
        "give the name.",
    )
    origin: str = Field(
        "",
        pattern=r"|https?://[^/\s?#]+",
        alias="ASSAY_SERVE_ORIGIN",
        description="Address at which browsers reach the pages, as `https://assay.example`, where "
        "a proxy stands before the service; with https cookies are for https alone.",
    )
    max_body_bytes: int = Field(
        20_000_000,
        ge=1_000,
        alias="ASSAY_SERVE_MAX_BODY_BYTES",
        description="A longer request is refused (413).",
    )
    body_wait_s: float = Field(
        20.0,
        gt=0,
        allow_inf_nan=False,
        alias="ASSAY_SERVE_BODY_WAIT_S",
        description="Seconds within which a request must have arrived whole (408).",
    )
    answer_wait_s: float = Field(
        600.0,
        gt=0,
        allow_inf_nan=False,
        alias="ASSAY_SERVE_ANSWER_WAIT_S",
        description="Seconds within which a request is answered; what it began goes on and is "
        "found by its idempotency key (504).",
    )
    at_once: int = Field(
        64,
        ge=1,
        alias="ASSAY_SERVE_AT_ONCE",
        description="Requests that are worked on at once, in each process.",
    )
    waiting: int = Field(
        256,
        ge=0,
        alias="ASSAY_SERVE_WAITING",
        description="Requests that may wait for a place, in each process; more are told when to "
        "come again (429).",
    )
    per_minute: int = Field(
        6_000,
        ge=1,
        alias="ASSAY_SERVE_PER_MINUTE",
        description="Requests a minute and caller, in each process, where its key says nothing "
        "else.",
    )
    answers_hours: float = Field(
        24.0,
        gt=0,
        allow_inf_nan=False,
        alias="ASSAY_SERVE_ANSWERS_HOURS",
        description="Hours for which the answer to an idempotency key is kept.",
    )
    review_due_hours: float = Field(
        24.0,
        gt=0,
        allow_inf_nan=False,
        alias="ASSAY_REVIEW_DUE_HOURS",
        description="Hours after which a review is due; then it stands first in the queue, and "
        "is told of.",
    )
    oidc_issuer: str = Field(
        "",
        alias="ASSAY_OIDC_ISSUER",
        description="OpenID Connect provider for the pages, as `https://login.example`; its "
        "`.well-known/openid-configuration` says the rest.",
    )
    oidc_client_id: str = Field(
        "", alias="ASSAY_OIDC_CLIENT_ID", description="What the provider knows the service as."
    )
    oidc_client_secret: str | None = Field(
        None,
        alias="ASSAY_OIDC_CLIENT_SECRET",
        description="The provider's secret for it. `ASSAY_OIDC_CLIENT_SECRET_FILE` names a file "
        "with it, `keyring:` asks the system's key store.",
    )
    oidc_claim: str = Field(
        "groups",
        alias="ASSAY_OIDC_CLAIM",
        description="Claim of the ID token that says what somebody belongs to.",
    )
    oidc_roles: str = Field(
        "",
        alias="ASSAY_OIDC_ROLES",
        description="Which role which group has, as `claims-team=reviewer`, separated by white "
        "space; of several the one that stands first. Nobody else gets in.",
    )
    webhook_url: str = Field(
        "",
        alias="ASSAY_SERVE_WEBHOOK_URL",
        description="Where reviews, drift and releases are told of, by signed requests.",
    )
    webhook_secret: str | None = Field(
        None,
        alias="ASSAY_SERVE_WEBHOOK_SECRET",
        description="Signs them (Standard Webhooks, HMAC-SHA256). "
        "`ASSAY_SERVE_WEBHOOK_SECRET_FILE` names a file with it, `keyring:` asks the system's "
        "key store.",
    )
    telemetry_texts: bool = Field(
        False,
        alias="ASSAY_SERVE_TELEMETRY_TEXTS",
        description="1: traces carry redacted prompts and raw replies. Off, they carry neither.",
    )

    secrets: ClassVar[tuple[str, ...]] = (
        *Settings.secrets,
        "ASSAY_OIDC_CLIENT_SECRET",
        "ASSAY_SERVE_WEBHOOK_SECRET",
    )


def own_variables() -> tuple[str, ...]:
    """The variables of all settings, with the files that the secrets among them may come from."""
    fields = ServiceSettings.model_fields.values()
    files = (f"{name}{FILE_SUFFIX}" for name in ServiceSettings.secrets)
    return (*(str(field.alias) for field in fields), *files)


def environment(environ: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """The variables of this process over those of the settings file.

    Raises:
        UsageError: the file is not fit; its line and the nearest known key are named.
    """
    environ = os.environ if environ is None else environ
    return merge_settings(read_settings_file(environ, own_variables()), environ)
