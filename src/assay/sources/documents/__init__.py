"""Documents as text with passages."""
