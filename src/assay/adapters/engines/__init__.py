"""How work is spread and survives a crash."""
