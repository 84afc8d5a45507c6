"""No language model: labels by words and vectors, texts by copying."""
