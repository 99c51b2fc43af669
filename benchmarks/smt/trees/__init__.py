"""Benchmarks of phrases from aligned treebanks."""
