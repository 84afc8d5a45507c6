"""One call of a contract that was written as a class."""
