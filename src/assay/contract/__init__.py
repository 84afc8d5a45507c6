"""The unit a user writes: one declared model call. Pure."""
