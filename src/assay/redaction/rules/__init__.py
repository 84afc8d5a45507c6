"""One module for each kind of personal data, with its tables."""
