"""Texts: spans, foldings, sentences, lines, tokens."""
