"""The HTTP client under a provider's SDK: proxies, certificate authorities, a certificate of ours.

In      the SDK; HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY; ASSAY_CA_FILE, ASSAY_CLIENT_CERT
Out     the asynchronous client that the SDK is handed; what a failed handshake means, in words
Effects reads the certificate files; nothing is sent
Spec    interfaces.md, "Models", "A fault of the set-up"

Settings are taken from the mapping that is handed in, never from the process, so that a
configuration file names a proxy as well as the environment does.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, Final
from urllib.parse import urlsplit

from assay.errors import UsageError
from assay.protocols import ModelFault

CA_SETTING: Final = "ASSAY_CA_FILE"
CERT_SETTING: Final = "ASSAY_CLIENT_CERT"
VARIABLES: Final = {
    CA_SETTING: "File with certificates (PEM) of authorities that are trusted beside the "
    "system's, for a server or a proxy with a certificate of the house.",
    CERT_SETTING: "File with a client certificate and its key (PEM), shown to servers that ask "
    "for one.",
    "HTTPS_PROXY": "Proxy of requests to `https:` addresses; small letters do as well.",
    "HTTP_PROXY": "Proxy of requests to `http:` addresses.",
    "ALL_PROXY": "Proxy of all requests that no other names one for.",
    "NO_PROXY": "Hosts, with commas between them, that are asked without a proxy: `localhost`, "
    "`.example.org`, `10.0.0.0/8`, or `*` for all.",
}
"""What is read from the environment here, for the page on settings."""

_SCHEMES: Final = ("http", "https", "all")
_SET_UP: Final = (
    "CERTIFICATE_REQUIRED",
    "UNKNOWN_CA",
    "BAD_CERTIFICATE",
    "UNSUPPORTED_CERTIFICATE",
    "HANDSHAKE_FAILURE",
    "PROTOCOL_VERSION",
    "UNSUPPORTED_PROTOCOL",
    "WRONG_VERSION_NUMBER",
    "HTTP_REQUEST",
    "NO_SHARED_CIPHER",
)
"""Ends of the reasons of OpenSSL that the next try would meet again."""


def make_client(sdk: ModuleType, environ: Mapping[str, str]) -> Any:
    """The client for *sdk* (`openai`, `anthropic`), with that SDK's own limits.

    Raises:
        UsageError: a certificate file or a proxy's address is not usable; the variable is named.
    """
    kind = sdk.DefaultAsyncHttpxClient
    http = import_module(kind.__mro__[-3].__module__.partition(".")[0])  # what the SDK sits on
    context = _tls_context(http, environ)
    proxies = read_proxies(environ)
    how: dict[str, Any] = {} if context is None else {"verify": context}
    if not proxies:
        return kind(**how)
    try:
        limits = import_module(f"{sdk.__name__}._constants").DEFAULT_CONNECTION_LIMITS
    except (ImportError, AttributeError):
        limits = http.Limits(max_connections=1000, max_keepalive_connections=100)
    mounts: dict[str, Any] = {}
    for pattern, proxy in proxies.items():
        mounts[pattern] = proxy and _proxied(http, proxy, {**how, "limits": limits})
    return kind(**how, mounts=mounts, trust_env=False)


def read_proxies(environ: Mapping[str, str]) -> dict[str, str | None]:
    """Which addresses go through which proxy; None is none.

    Small letters win, as with other programs; a proxy without a scheme is an `http:` one.

    Raises:
        UsageError: an address is none. It is not repeated: it may hold a password.
    """
    found: dict[str, str | None] = {}
    for scheme in _SCHEMES:
        name = f"{scheme.upper()}_PROXY"
        address = _setting(environ, name)
        if not address:
            continue
        address = address if "://" in address else f"http://{address}"
        try:
            parts = urlsplit(address)
            usable = bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            usable = False
        if not usable:
            raise UsageError(
                f"{name} is no address of a proxy", hint="write it like http://HOST:8080"
            )
        found[f"{scheme}://"] = address
    hosts = [host.strip() for host in _setting(environ, "NO_PROXY").split(",")]
    if not found or "*" in hosts:
        return {}
    return found | dict.fromkeys(filter(None, map(_direct_pattern, hosts)), None)


def connection_fault(error: BaseException, host: str) -> ModelFault:
    """A connection that failed, in the terms of `ModelFault`.

    What the settings are at fault for (a certificate, a proxy that refuses) is told in words and
    not tried again; everything else may pass.
    """
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            why = cause.verify_message or "it cannot be checked"
            return _at_fault(
                "certificate not trusted",
                f"the certificate of {host} is not trusted ({why}); name the authority's "
                f"certificate in {CA_SETTING}=FILE",
            )
        if isinstance(cause, ssl.SSLError) and (cause.reason or "").endswith(_SET_UP):
            reason = (cause.reason or "").replace("_", " ").lower()
            return _at_fault(
                "no TLS connection",
                f"{host} and this machine agree on no TLS connection ({reason}); check the "
                f"address, and {CERT_SETTING} where the server asks for a certificate",
            )
        if type(cause).__name__ == "ProxyError":
            # Its text is what the proxy answers; only the number is taken.
            words = str(cause).split()
            status = int(words[0]) if words and words[0].isascii() and words[0].isdigit() else 0
            if 400 <= status < 500 and status not in (408, 429):
                return _at_fault(
                    f"proxy answers {status}",
                    f"the proxy lets nothing through to {host}; check HTTPS_PROXY and NO_PROXY",
                )
    return ModelFault("server", transient=True)


def _at_fault(code: str, hint: str) -> ModelFault:
    return ModelFault("server", transient=False, code=code, hint=hint)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what led to it, from the outside in."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _tls_context(http: ModuleType, environ: Mapping[str, str]) -> ssl.SSLContext | None:
    """None where nothing is set: the client then makes its own."""
    authorities, certificate = environ.get(CA_SETTING, ""), environ.get(CERT_SETTING, "")
    if not authorities and not certificate:
        return None
    context: ssl.SSLContext = http.create_ssl_context()
    if authorities:
        try:
            context.load_verify_locations(cafile=authorities)
        except (OSError, ValueError) as error:  # an SSLError is an OSError
            raise UsageError(
                f"{CA_SETTING}: the file holds no certificate that can be read",
                hint="name a file with certificates in PEM",
            ) from error
    if certificate:
        try:
            # A key under a pass phrase would ask at the terminal.
            context.load_cert_chain(certificate, password=lambda: b"")
        except (OSError, ValueError) as error:
            raise UsageError(
                f"{CERT_SETTING}: the file holds no certificate with its key",
                hint="name a file in PEM with the certificate, its chain and the key in the clear",
            ) from error
    return context


def _proxied(http: ModuleType, proxy: str, how: Mapping[str, Any]) -> Any:
    try:
        return http.AsyncHTTPTransport(proxy=http.Proxy(proxy), trust_env=False, **how)
    except (ValueError, ImportError) as error:  # an unknown scheme; SOCKS without its package
        raise UsageError(
            f"a proxy of the kind {urlsplit(proxy).scheme!r} cannot be used",
            hint="name an http: or https: proxy",
        ) from error


def _setting(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name.lower()) or environ.get(name, "")


def _direct_pattern(host: str) -> str:
    """How the HTTP client writes one entry of NO_PROXY; empty for what names no host."""
    if not host or any(letter.isspace() or letter in "@?#" for letter in host):
        return ""
    if "://" in host:
        return host
    bare, slash, bits = host.partition("/")
    if slash and not bits.isdigit():
        return ""
    if bare.count(":") > 1 and not bare.startswith("["):
        return f"all://[{bare}]{slash}{bits}"
    name = bare.rpartition(":")[0] if ":" in bare and not bare.startswith("[") else bare
    if bare.startswith("[") or name.replace(".", "").isdigit() or name.lower() == "localhost":
        return f"all://{host}"
    # `.example.org` and `example.org` both mean the host and what is under it.
    return "" if slash else f"all://{host if host.startswith('*') else '*' + host.lstrip('.')}"
