"""Readers of n-best lists for each form of file, and the join of many files into one set of lists."""
