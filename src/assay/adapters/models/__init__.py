"""Models that answer a prompt, one file a provider."""
