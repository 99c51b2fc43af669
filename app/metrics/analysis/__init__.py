"""Differences of systems: n-grams, lengths, word frequencies, segments."""
