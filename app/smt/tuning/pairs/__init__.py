"""Tuners on pairs of hypotheses: PRO, weighted ranking optimisation (WRO), and weights for single sentences."""
