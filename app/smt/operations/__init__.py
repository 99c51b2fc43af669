"""Requests about n-best lists, tuning and translation."""
