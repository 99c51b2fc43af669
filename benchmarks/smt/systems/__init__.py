"""Benchmarks of phrase-based systems: speed, memory and quality."""
