"""The gate: one family of checks a file. Pure."""
