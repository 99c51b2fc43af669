"""Minimum Bayes risk: the translation with the highest agreement with all others."""
