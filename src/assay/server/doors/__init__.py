"""Doors for who speaks another protocol: clients of OpenAI, agents."""
