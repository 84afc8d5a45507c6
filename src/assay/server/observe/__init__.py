"""What operators see of a service: figures, traces, lines."""
