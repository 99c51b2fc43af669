"""Tuners that climb smooth or convex functions of the weights: likelihood, expected metric, ramp loss."""
