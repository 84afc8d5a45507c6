"""A small language model in a child process, decoding under a grammar."""
