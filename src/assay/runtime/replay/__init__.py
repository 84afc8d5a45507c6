"""Recorded calls rebuilt and judged again, one by one or many."""
