"""Minimum Bayes risk: the translation with the highest agreement with all others."""

from app.smt.lists.mbr.decision import EXACT, WAYS, MbrDecisions, TextLists, Way, decide, parse_way
from app.smt.lists.mbr.probabilities import model_probabilities, uniform_probabilities

__all__ = [
    "EXACT",
    "WAYS",
    "MbrDecisions",
    "TextLists",
    "Way",
    "decide",
    "model_probabilities",
    "parse_way",
    "uniform_probabilities",
]
