"""Processes that share the memory of their parent."""
