"""Combination of several systems' outputs."""

from app.smt.lists.combination.combine import Combined, CombinedWord, Combiner, TunedCombination
from app.smt.lists.combination.measuring import CombinationScore, measure_combination, system_oracles
from app.smt.lists.combination.outputs import SystemOutputs
from app.smt.lists.combination.paths import Scorers, feature_names, start_weights

__all__ = [
    "CombinationScore",
    "Combined",
    "CombinedWord",
    "Combiner",
    "Scorers",
    "SystemOutputs",
    "TunedCombination",
    "feature_names",
    "measure_combination",
    "start_weights",
    "system_oracles",
]
