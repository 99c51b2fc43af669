"""What a search looked at: as a graph, what of it comes closest to references, and what its likely translations agree on."""
