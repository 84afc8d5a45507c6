"""What a model that decodes under constraints may be told of a contract."""
