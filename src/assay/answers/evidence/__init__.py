"""From a retrieval bundle to the evidence of a prompt."""
