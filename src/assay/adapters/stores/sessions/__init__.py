"""Rows of conversations."""
