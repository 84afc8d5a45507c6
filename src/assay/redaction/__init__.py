"""Personal data in texts: found by rules, replaced by surrogates."""
