"""Where the record lives."""

from assay.adapters.stores.sql import SqlStore, open_store

__all__ = ["SqlStore", "open_store"]
