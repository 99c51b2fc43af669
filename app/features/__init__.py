"""A batch of segment pairs into named numbers: QuEst's baseline features and the NMT glass-box set.

A feature is declared once and computed by its group for the whole batch; sets are data (sets.toml).
"""

from app.features.declaration import Feature, FeatureMatrix, Need
from app.features.extraction import CATALOGUE, FeatureSet, extract_features, feature_set, feature_sets
from app.features.requirements import PairResources

__all__ = [
    "CATALOGUE",
    "Feature",
    "FeatureMatrix",
    "FeatureSet",
    "Need",
    "PairResources",
    "extract_features",
    "feature_set",
    "feature_sets",
]
