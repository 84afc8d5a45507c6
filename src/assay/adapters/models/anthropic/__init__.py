"""Anthropic's messages, and servers that speak like them."""

from assay.adapters.models.anthropic.model import PROVIDER, VARIABLES, AnthropicModel

__all__ = ["PROVIDER", "VARIABLES", "AnthropicModel"]
