"""Metrics trained on human judgements: BEER, ROSE, and other linear combinations of features."""
