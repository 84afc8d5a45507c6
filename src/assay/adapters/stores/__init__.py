"""Where the record lives."""
