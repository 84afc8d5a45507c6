"""Templates, redaction and the assembly of prompt bytes. Pure."""
