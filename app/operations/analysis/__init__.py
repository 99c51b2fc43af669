"""Analyses of systems, metrics and word order."""
