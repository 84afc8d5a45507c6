"""Events, trees, checkpoints and receipts as values. Pure."""
