"""Template versions: text, placeholders, fields, blueprint, exchange, signatures."""
