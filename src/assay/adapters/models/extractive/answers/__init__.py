"""What `extractive` answers with: pieces of the evidence, weighed by the question."""
