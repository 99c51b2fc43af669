"""Everything that ships, from the MLQE-PE data."""
