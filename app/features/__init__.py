"""From a batch of segment pairs to named numbers: QuEst's black-box features, glass-box features, and those of later papers.

A feature is declared once, in one line, with its needs; values shared by several features are computed once for the whole
batch; sets are data (sets.toml).
"""

from app.features.catalogue import (
    CATALOGUE,
    GROUPS,
    FeatureSet,
    exact_set,
    feature_called,
    feature_set,
    feature_sets,
    features_named,
    needs_of,
)
from app.features.declaration import Family, Feature, FeatureGroup, Level
from app.features.extraction import FeatureMatrix, OmittedFeature, extract_features, features_of_view, split_available
from app.features.needs import NEEDS, Alternatives, CheckpointNeed, Evidence, Need, PartNeed, Resource, refusal, required
from app.features.requirements import missing
from app.features.view import PairResources, View

__all__ = [
    "CATALOGUE",
    "GROUPS",
    "NEEDS",
    "Alternatives",
    "CheckpointNeed",
    "Evidence",
    "Family",
    "Feature",
    "FeatureGroup",
    "FeatureMatrix",
    "FeatureSet",
    "Level",
    "Need",
    "OmittedFeature",
    "PairResources",
    "PartNeed",
    "Resource",
    "View",
    "exact_set",
    "extract_features",
    "feature_called",
    "feature_set",
    "feature_sets",
    "features_named",
    "features_of_view",
    "missing",
    "needs_of",
    "refusal",
    "required",
    "split_available",
]
