"""Minimum Bayes risk: of many translations the one that the others agree with most."""

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
