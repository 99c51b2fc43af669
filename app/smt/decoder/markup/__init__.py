"""Markup in the input: translations that are given, and what may not be reordered."""
