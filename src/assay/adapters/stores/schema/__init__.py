"""Tables and their migration."""
