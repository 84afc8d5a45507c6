"""Where a server is, and what its kind of address asks for.

In      the base URL as a person has it, the version of the API, the key
Out     Address
Pure    yes
Spec    interfaces.md, "Models" (Azure)

Azure has two kinds of address: `/openai/v1`, like OpenAI's own, and the older one of deployments,
`/openai/deployments/NAME?api-version=…`. A gateway in front of either keeps the path, so the path
tells it as well as the host. Whole endpoints, as portals show them, are cut down to the base.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from assay.errors import UsageError

HOME: Final = "https://api.openai.com/v1"
VERSION_SETTING: Final = "OPENAI_API_VERSION"

_AZURE: Final = re.compile(
    r"\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$", re.IGNORECASE
)
_OWN: Final = re.compile(r"(?:^|\.)api\.openai\.com$", re.IGNORECASE)
_DEPLOYMENT: Final = re.compile(r"^(?P<base>.*/openai)/deployments/(?P<name>[^/]+)$")
_ENDPOINT: Final = re.compile(r"/(?:chat/completions|completions|responses|models)$")
_TOKEN: Final = re.compile(r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """What a client is made with."""

    base_url: str
    """Without a query."""

    host: str
    """With its port, never with a password."""

    query: Mapping[str, str] = field(default_factory=dict)
    """Sent with every request: `api-version`."""

    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Sent beside the bearer: Azure's `api-key`."""

    newest: bool = False
    """OpenAI's own models live here: they know the limit by its newer name."""

    def facts(self) -> dict[str, str]:
        """For the identity of the model."""
        version = self.query.get("api-version")
        return {"api_version": version} if version else {}


def read_address(url: str, *, api: str, model: str, key: str, version: str = "") -> Address:
    """What *url* stands for.

    Args:
        url: `OPENAI_BASE_URL`, or HOME.
        api: `chat` or `responses`.
        model: The deployment, where the address of an Azure resource names none.
        key: Sent as `api-key` to Azure, unless it is a token of a signed-in person or service.
        version: `OPENAI_API_VERSION`; one that stands in *url* goes first.

    Raises:
        UsageError: no address, or a deployment of Azure without a version of its API.
    """
    no_address = UsageError("OPENAI_BASE_URL is no address", hint="write it like https://HOST/v1")
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise no_address from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise no_address
    query = dict(parse_qsl(parts.query))
    path = _ENDPOINT.sub("", parts.path.rstrip("/"))
    at_azure = _AZURE.search(parts.hostname) is not None
    version = query.get("api-version") or version
    if at_azure and path in ("", "/openai"):
        path = f"/openai/deployments/{model}" if version else "/openai/v1"
    deployment = _DEPLOYMENT.match(path)
    if deployment is not None:
        if version:
            query["api-version"] = version
        elif at_azure:
            raise UsageError(
                f"{VERSION_SETTING} is not set, and the address names no api-version",
                hint=f"export {VERSION_SETTING}=2024-10-21, or use an address that ends in "
                "/openai/v1",
            )
        if api == "responses":
            path = deployment["base"]  # the deployment is named as the model
    azure = at_azure or deployment is not None
    return Address(
        base_url=urlunsplit((parts.scheme, parts.netloc, path, "", "")),
        host=parts.netloc.rpartition("@")[2],
        query=query,
        headers={"api-key": key} if azure and not _TOKEN.fullmatch(key) else {},
        newest=azure or _OWN.search(parts.hostname) is not None,
    )
