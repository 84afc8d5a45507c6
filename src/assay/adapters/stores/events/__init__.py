"""The log: appended, sealed, sequenced, verified, erased, proved."""
