"""Strict and canonical JSON, JSON Schema, JSON Pointers."""
