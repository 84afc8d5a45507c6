"""What each role may do.

In      a role, a permission
Out     yes or no
Pure    a table
Spec    009-A2

Deny by default: what is not in the table nobody may. Who decides reviews reads texts; who releases
templates does not by that decide reviews; an admin does everything, and every act names who did it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from assay.protocols.service import Role

Permission = Literal["read", "judge", "ask", "texts", "decide", "release", "administer"]

PERMISSIONS: Final[Mapping[Permission, str]] = {
    "read": "calls, reviews, templates, sessions, figures and the record, without texts",
    "judge": "gate, render, redact, assemble, validate: no model is called, nothing recorded",
    "ask": "runs, answers, turns: a model is called, and it costs",
    "texts": "source texts and raw replies, as they arrived",
    "decide": "decide reviews, hold them, hand them on",
    "release": "add templates, release and retire them",
    "administer": "keys, erasure, reopening a decision",
}

ROLES: Final[Mapping[Role, frozenset[Permission]]] = {
    "viewer": frozenset({"read"}),
    "operator": frozenset({"read", "judge", "ask"}),
    "reviewer": frozenset({"read", "judge", "texts", "decide"}),
    "approver": frozenset({"read", "judge", "release"}),
    "admin": frozenset(PERMISSIONS),
}


def may(role: Role, permission: Permission) -> bool:
    """Whether *role* holds *permission*.

    Example:
        >>> may("viewer", "read"), may("viewer", "texts")
        (True, False)
    """
    return permission in ROLES.get(role, frozenset())
