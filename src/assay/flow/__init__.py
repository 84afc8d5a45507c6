"""Several contracts in one conversation: the stage graph and its state. Pure."""
