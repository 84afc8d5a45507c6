"""A small OpenID Connect provider on the loopback, as strict as a real one, and false on demand."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "assay-tests", "a secret of tests"


@dataclass
class Provider:
    """Who it knows, and what it says falsely."""

    address: str = ""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "7"})
    changes: dict[str, Any] = field(default_factory=dict)
    """Claims of the ID token that are put in place of the true ones."""

    forged: bool = False
    """Sign with a key that it does not publish."""

    down: bool = False
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "k1"}))
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {
            "iss": self.address,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            **self.person,
            **self.changes,
        }
        key = RSAKey.generate_key(2048, {"kid": "k1"}) if self.forged else self.key
        return jwt.encode({"alg": "RS256", "kid": "k1"}, claims, key)


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        it = self.provider
        if it.down:
            self.send_error(503)
        elif parts.path == "/.well-known/openid-configuration":
            self._json(
                {
                    "issuer": it.address,
                    "authorization_endpoint": f"{it.address}/authorize",
                    "token_endpoint": f"{it.address}/token",
                    "jwks_uri": f"{it.address}/jwks",
                    "response_types_supported": ["code"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                    "code_challenge_methods_supported": ["S256"],
                }
            )
        elif parts.path == "/jwks":
            self._json({"keys": [it.key.as_dict(private=False)]})
        elif parts.path == "/authorize":
            it.asked.append(query)
            code = secrets.token_urlsafe(16)
            it.codes[code] = query
            back = urlencode({"code": code, "state": query["state"]})
            self.send_response(302)
            self.send_header("location", f"{query['redirect_uri']}?{back}")
            self.end_headers()
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        it = self.provider
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        asked = it.codes.pop(form.get("code", ""), None)
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        fits = (
            asked is not None
            and self.headers.get("authorization") == f"Basic {basic}"
            and asked["redirect_uri"] == form.get("redirect_uri")
            and asked["code_challenge"] == base64.urlsafe_b64encode(challenge).decode().rstrip("=")
        )
        if asked is None or not fits:
            self._json({"error": "invalid_grant"}, 400)
            return
        token = it.id_token(asked["nonce"])
        self._json({"access_token": "x", "token_type": "Bearer", "id_token": token})

    def _json(self, value: Any, status: int = 200) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def providing() -> Iterator[Provider]:
    """The provider, at its address."""
    provider = Provider()
    handler = type("Handler", (_Handler,), {"provider": provider})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    provider.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
