"""What proves that something plugged in keeps its promises, and a clock that stands still.

In      a store (a model, an engine) of yours
Out     checks to run against it; FrozenClock
Spec    docs/explanation/architecture.md, "The rooms"

Needs no test framework: a check is an async function that raises AssertionError.
"""

from assay.testing.clock import FrozenClock
from assay.testing.stores import STORE_CHECKS, StorePlace

__all__ = ["STORE_CHECKS", "FrozenClock", "StorePlace"]
