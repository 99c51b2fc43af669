"""Phrases from treebanks: readers, heads, links between nodes of two trees, chunk pairs, and merged tables."""
