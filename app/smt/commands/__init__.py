"""Commands of the wing."""
