"""Figures of the house: sizes, imports, walks of values, prose and names; `python -m benchmarks.house --help`."""
