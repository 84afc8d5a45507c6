"""The only place with time and effects."""
