"""All that can be plugged in, and the values that cross these seams.

In      values of the pure core
Out     Model, Store, TemplateStore, Sessions, Proofs, Clock, KeyRing and what they exchange
Pure    declarations only
Spec    interfaces.md, "Models"; 004 R3; docs/explanation/architecture.md, "One call"

Any object with these methods will do; `assay.testing` holds the suites that prove it.
"""

from __future__ import annotations

from assay.protocols.models import (
    LAST_PLACE,
    Availability,
    Listener,
    Model,
    ModelFault,
    ModelProvider,
    ModelReply,
    ModelRequest,
    Parameters,
    can_converse,
    is_over_network,
)
from assay.protocols.rows import (
    CallFilter,
    CallRow,
    CallStatus,
    Changes,
    IdKind,
    OutcomeStatus,
    PutCall,
    PutReview,
    ReviewFilter,
    ReviewRow,
    VerifyReport,
    Write,
)
from assay.protocols.store import (
    CheckpointRow,
    Clock,
    Erased,
    KeyRing,
    Opening,
    Proofs,
    PutSession,
    SessionRow,
    Sessions,
    Store,
    StoredSession,
    TemplateStore,
)

__all__ = [
    "LAST_PLACE",
    "Availability",
    "CallFilter",
    "CallRow",
    "CallStatus",
    "Changes",
    "CheckpointRow",
    "Clock",
    "Erased",
    "IdKind",
    "KeyRing",
    "Listener",
    "Model",
    "ModelFault",
    "ModelProvider",
    "ModelReply",
    "ModelRequest",
    "Opening",
    "OutcomeStatus",
    "Parameters",
    "Proofs",
    "PutCall",
    "PutReview",
    "PutSession",
    "ReviewFilter",
    "ReviewRow",
    "SessionRow",
    "Sessions",
    "Store",
    "StoredSession",
    "TemplateStore",
    "VerifyReport",
    "Write",
    "can_converse",
    "is_over_network",
]
