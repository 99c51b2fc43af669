"""Sparse features: their names appear with phrases and phrase boundaries, in any number."""
