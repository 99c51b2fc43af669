"""Phrases out of treebanks: readers, heads, links between nodes of two trees, pairs of chunks, and their tables together."""
