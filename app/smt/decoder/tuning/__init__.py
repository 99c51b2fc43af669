"""Tuning of a system's weights by repeated translation."""
