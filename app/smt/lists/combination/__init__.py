"""Combination of several systems' outputs."""
