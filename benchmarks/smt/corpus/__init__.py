"""Benchmarks of the choice and weighting of parallel text."""
