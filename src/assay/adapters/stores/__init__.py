"""Where the record lives."""

from assay.adapters.stores.open import open_store
from assay.adapters.stores.sql import SqlStore

__all__ = ["SqlStore", "open_store"]
