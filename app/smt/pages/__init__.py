"""Pages of the wing."""
