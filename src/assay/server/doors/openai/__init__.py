"""Drop-ins for clients of OpenAI: the same calls, through a contract."""
