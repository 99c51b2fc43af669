"""Texts of metrics as bytes, tokens and characters, computed once for all metrics of a call."""
