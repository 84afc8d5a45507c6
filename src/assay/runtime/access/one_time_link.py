"""A link that signs one person in once: for a laptop, where no provider is configured.

In      a clock
Out     the secret of the link; whether a secret opens it
Effects keeps what was used in memory: another start of the service makes another link
Spec    009-A6
"""

from __future__ import annotations

import hmac
from datetime import datetime, timedelta
from secrets import token_urlsafe
from threading import Lock
from typing import Final

from assay.core.json.canonical import digest
from assay.protocols import Clock

VALID_FOR: Final = timedelta(minutes=30)


class OneTimeLink:
    """Opens once, within half an hour."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._digest: str | None = None
        self._until: datetime | None = None

    def make(self) -> str:
        """A fresh secret; one that was made before opens nothing any more."""
        secret = token_urlsafe(32)
        with self._lock:
            self._digest = digest(secret.encode())
            self._until = self._clock.now() + VALID_FOR
        return secret

    def open(self, secret: str) -> bool:
        """Whether *secret* opens it; afterwards it opens nothing."""
        given = digest(secret.encode("utf-8", "surrogatepass"))
        with self._lock:
            known, until = self._digest, self._until
            if known is None or until is None or self._clock.now() >= until:
                return False
            if not hmac.compare_digest(given, known):
                return False
            self._digest = None
            return True
