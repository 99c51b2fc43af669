"""What a computation carries along: its deadline, journal, request, logs and traces."""
