"""One model call from input to outcome, and runs of many."""
