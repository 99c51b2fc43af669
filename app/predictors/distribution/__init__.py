"""Distributions of features in training, and the drift of live features from them."""

from app.predictors.distribution.bins import DRIFT_LIMIT, FEWEST_SEGMENTS, Distribution, stability

__all__ = ["DRIFT_LIMIT", "FEWEST_SEGMENTS", "Distribution", "stability"]
