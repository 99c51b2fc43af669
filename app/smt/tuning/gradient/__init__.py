"""Tuners by gradient: likelihood, expected metric, ramp loss."""
