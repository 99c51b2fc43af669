"""Threads of this process that share rows of work."""
