"""Tuning of log-linear weights on n-best lists, towards any metric with additive statistics."""
