"""What an answer in prose is held against: citations, numbers, dates, names."""
