"""Specification 004 whole: evidence, prompt, gate and job of a grounded answer."""
