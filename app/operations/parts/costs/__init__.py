"""Cost of requests: their work and amount."""
