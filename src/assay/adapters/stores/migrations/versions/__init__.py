"""One file a step: `NNNN_what.py`, revision `NNNN`."""
