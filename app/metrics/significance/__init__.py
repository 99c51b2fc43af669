"""Significance of scores and differences: bootstrap, approximate randomisation, several runs, many comparisons."""
