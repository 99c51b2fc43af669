"""Context of a computation: its deadline, journal, request, logs and traces."""
