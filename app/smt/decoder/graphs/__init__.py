"""Searches as graphs: lattices, search graphs, oracles near references, and agreement among likely translations."""
