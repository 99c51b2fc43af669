"""Diagnosis of n-best lists: oracles, their ranks, filters, and features that separate them from first hypotheses."""
