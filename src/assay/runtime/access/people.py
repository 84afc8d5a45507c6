"""The people whom the service knows by their keys.

In      the service's store
Out     names of those who may decide reviews
Effects a store read
Spec    009-P4
"""

from __future__ import annotations

from datetime import datetime

from assay.protocols.service import ServiceStore
from assay.runtime.access.roles import may


async def find_deciders(service: ServiceStore, now: datetime) -> tuple[str, ...]:
    """Who holds a key that opens at *now* and may decide, by name."""
    names = {
        key.name
        for key in await service.keys()
        if key.revoked_at is None
        and (key.expires_at is None or key.expires_at > now)
        and may(key.role, "decide")
    }
    return tuple(sorted(names))
