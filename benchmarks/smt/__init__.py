"""Benchmarks of the wing for statistical machine translation."""
