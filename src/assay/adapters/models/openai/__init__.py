"""Servers that speak the OpenAI protocol, by chat or Responses."""
