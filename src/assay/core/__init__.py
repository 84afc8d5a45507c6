"""Bytes and text: what all the rest stands on. Pure."""
