"""Benchmarks of tuning methods on n-best lists."""
