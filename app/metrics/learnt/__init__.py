"""Metrics that are trained on human judgements: BEER, ROSE, and any linear combination of features."""
