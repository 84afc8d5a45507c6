"""Servers that speak OpenAI's API: chat completions or Responses, at OpenAI, Azure or at home."""

from assay.adapters.models.openai.model import PROVIDER, VARIABLES, OpenAIModel

__all__ = ["PROVIDER", "VARIABLES", "OpenAIModel"]
