"""Rows of the template registry."""
