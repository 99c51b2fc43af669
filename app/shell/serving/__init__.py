"""Serving: one process, or several that share one port, one engine and all state."""
