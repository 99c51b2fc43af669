"""Comparison of a new version with the version before."""

from typing import Final, NotRequired

import numpy as np
from typing_extensions import TypedDict

from app.arrays import Float64s
from app.engine import Engine
from app.errors import InputError
from app.metrics.meta_evaluation.differences import williams_test
from app.operations.operation import Json
from app.predictors import Model
from app.predictors.training import TrainingSet
from app.registry.models import ModelRegistry
from app.text import LanguagePair

__all__ = ["Answering", "pair_answered", "promote_if_better"]

# Fewer judgements that were held back say nothing about which version is better.
FEWEST_HELD_BACK: Final = 30
SIGNIFICANT: Final = 0.05


class Answering(TypedDict):
    """`answers_for` is the pair and label of a model that now answers where none is named, absent if it does not."""

    answers_for: NotRequired[str]


def pair_answered(engine: Engine, model: Model) -> Answering:
    """The pair and label of a saved model, if it answers for their plain texts where no model is named."""
    card = model.card
    try:
        usual = engine.model_for(LanguagePair.parse(card.pair), None, card.label, frozenset())
    except InputError:
        return {}
    return {"answers_for": f"{card.pair} {card.label}"} if usual.card.id == card.id else {}


def promote_if_better(registry: ModelRegistry, base: Model, model: Model, held_back: TrainingSet, by_rule: bool) -> Json:
    """Compare with the version before on what neither has learned from; promote if asked, and significantly better."""
    n = len(held_back.labels)
    if base.card.pair != model.card.pair:
        return {"promoted": False, "held_back": n, "reason": "the base is of another language pair; promote the model by hand"}
    if n < FEWEST_HELD_BACK or float(np.ptp(held_back.labels)) == 0:
        return {"promoted": False, "held_back": n, "reason": f"{FEWEST_HELD_BACK} judgements that differ must have been held back"}
    old, new = (version.predict(held_back.values).mean for version in (base, model))
    p_value = williams_test(held_back.labels, new, old)
    before, after = _pearson(held_back.labels, old), _pearson(held_back.labels, new)
    better = after > before and p_value < SIGNIFICANT
    is_promoted = better and by_rule
    if is_promoted and registry.current(base.card.pair, base.card.label) != model.card.id:
        reason = f"better than {base.card.id} on {n} judgements held back: Pearson {before:.3f} to {after:.3f}, p = {p_value:.3g}"
        registry.promote(model, reason)
    correlations = {"pearson_before": before, "pearson_after": after}
    return {"promoted": is_promoted, "held_back": n, "better": better, **correlations, "p_value": p_value}


def _pearson(gold: Float64s, predicted: Float64s) -> float:
    # Half a second that a server need not spend when it starts.
    from scipy.stats import pearsonr

    return float(pearsonr(gold, predicted).statistic) if float(np.ptp(predicted)) > 0 else 0.0
