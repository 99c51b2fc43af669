"""What a search looked at, as a graph."""
