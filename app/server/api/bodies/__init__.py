"""Bodies of requests: JSON in bounded memory, and forms with files."""
