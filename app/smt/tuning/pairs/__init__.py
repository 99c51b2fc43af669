"""Weights from pairs of hypotheses: PRO, its weighted and oracle-sampled kin (WRO), and weights for one sentence at a time."""
