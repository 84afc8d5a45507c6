"""Turns and sessions of staged conversations."""
