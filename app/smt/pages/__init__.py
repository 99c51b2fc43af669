"""Web pages of the wing."""
