"""Trees of constituents of both sides, sent or parsed by a grammar, and likelihoods of grammars."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.features.declaration import Family, FeatureGroup
from app.features.needs import Alternatives, PartNeed, Resource, required
from app.features.plans.formulas import part
from app.features.view import View, ratio
from app.resources.grammar import Parses
from app.text.side_information import Kind
from app.text.side_information.kinds import SOURCE_TREES, TRANSLATION_TREES
from app.text.side_information.trees import read_tree
from app.text.trees.phrases import PHRASES, phrase_counts

__all__ = ["CONSTITUENTS"]

CONSTITUENTS: Final = FeatureGroup("Constituents and grammars", "Specia et al. 2013, QuEst")
COMPLEXITY, FLUENCY, ADEQUACY = Family.COMPLEXITY, Family.FLUENCY, Family.ADEQUACY
SENT_SOURCE: Final = PartNeed(SOURCE_TREES, ("1",), "a tree of every source")
SENT_TRANSLATION: Final = PartNeed(TRANSLATION_TREES, ("1",), "a tree of every translation")
SOURCE_TREE: Final = Alternatives((SENT_SOURCE, Resource.SOURCE_GRAMMAR))
TARGET_TREE: Final = Alternatives((SENT_TRANSLATION, Resource.TARGET_GRAMMAR))
PHRASE_COUNT, DEPTH = len(PHRASES), len(PHRASES) + 1
PHRASE_NAMES: Final = {
    "PP": "prepositional phrases (PP)",
    "NP": "noun phrases (NP)",
    "VP": "verb phrases (VP)",
    "ADJP": "adjective phrases (ADJP)",
    "ADVP": "adverb phrases (ADVP)",
    "CONJP": "conjunction phrases (CONJP)",
}


def _source_parses(view: View) -> Parses:
    return required(view.resources.source_grammar, Resource.SOURCE_GRAMMAR).parse(view.batch.cased_source)


def _target_parses(view: View) -> Parses:
    return required(view.resources.target_grammar, Resource.TARGET_GRAMMAR).parse(view.batch.cased_translation)


def _counts(view: View, tree_part: PartNeed, kind: Kind[Any], parse: Callable[[View], Parses]) -> Float64s:
    """Counts of sent trees, which come before parsed ones; columns of `phrase_counts`."""
    if tree_part.is_met(view.given):
        return np.array([phrase_counts(read_tree(text)) for text in view.beside(kind)], np.float64)
    return view.cached(parse).counts


def _source_counts(view: View) -> Float64s:
    return _counts(view, SENT_SOURCE, SOURCE_TREES, _source_parses)


def _target_counts(view: View) -> Float64s:
    return _counts(view, SENT_TRANSLATION, TRANSLATION_TREES, _target_parses)


def _differences(view: View) -> Float64s:
    return np.abs(view.cached(_source_counts) - view.cached(_target_counts))


def _share_differences(view: View) -> Float64s:
    """Differences of shares: each side's numbers over its own number of phrases."""
    source, target = view.cached(_source_counts), view.cached(_target_counts)
    return np.abs(ratio(source, source[:, PHRASE_COUNT]) - ratio(target, target[:, PHRASE_COUNT]))


add = CONSTITUENTS.add
# fmt: off
add("1101.constituents", "constituent_depth_difference", "Absolute difference of the depths of the trees of constituents", ADEQUACY,
    part(_differences, DEPTH), SOURCE_TREE, TARGET_TREE)
add("1102", "source_prepositional_phrases", "Number of prepositional phrases (PP) of the source", COMPLEXITY,
    part(_source_counts, 0), SOURCE_TREE)
add("1103", "target_prepositional_phrases", "Number of prepositional phrases (PP) of the translation", FLUENCY,
    part(_target_counts, 0), TARGET_TREE)
for k, label in enumerate(PHRASES):
    add(str(1104 + 2 * k), f"{label.lower()}_difference", f"Absolute difference of the numbers of {PHRASE_NAMES[label]}", ADEQUACY,
        part(_differences, k), SOURCE_TREE, TARGET_TREE)
    add(str(1105 + 2 * k), f"{label.lower()}_share_difference",
        f"Absolute difference of the shares of {PHRASE_NAMES[label]}, each over the phrases of its own side", ADEQUACY,
        part(_share_differences, k), SOURCE_TREE, TARGET_TREE)
for side, tree_counts, need, family in (
    ("source", _source_counts, SOURCE_TREE, COMPLEXITY), ("target", _target_counts, TARGET_TREE, FLUENCY),
):
    text = "source" if side == "source" else "translation"
    add(f"constituents.{side}.depth", f"{side}_constituent_depth", f"Depth of the tree of constituents of the {text}", family,
        part(tree_counts, DEPTH), need)
for first, side, parses, grammar, family in (
    (9300, "source", _source_parses, Resource.SOURCE_GRAMMAR, COMPLEXITY),
    (9304, "target", _target_parses, Resource.TARGET_GRAMMAR, FLUENCY),
):
    text = "source" if side == "source" else "translation"
    for k, (field, name, words) in enumerate((
        ("likelihood", "grammar_log_likelihood", "Natural log of the probability of the {} under a grammar, over all its trees"),
        ("mean", "grammar_mean_log_likelihood", "Mean natural log of the probabilities of the 100 best trees of the {}"),
        ("best", "grammar_best_log_likelihood", "Natural log of the probability of the best tree of the {}"),
        ("trees", "grammar_trees", "Number of trees of the {} under a grammar, at most 100"),
    )):
        add(str(first + k), f"{side}_{name}", words.format(text), family,
            lambda view, parses=parses, field=field: getattr(view.cached(parses), field),  # type: ignore[misc]
            grammar, source="Avramidis 2012; Felice and Specia 2012")
# fmt: on
