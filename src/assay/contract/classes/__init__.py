"""A pydantic class as a contract: its markers, its schema, its validators, its description."""
