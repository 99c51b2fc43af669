"""Protocols of theses and papers about tuning: spread over seeds, learning curves, metrics against each other."""
