"""What is known of predictors, as plain JSON values: cards, accuracy, explanations, relevance, drift."""

from typing import Any, Final

import numpy as np

from app.answers import model_summary
from app.features import CATALOGUE
from app.predictors import Evaluation, Model
from app.predictors.distribution import DRIFTED, FEWEST_SEGMENTS
from app.predictors.explanation import ORDERS, SEED, explanation_method
from app.predictors.word_tags import WordTagger
from app.registry.drift import Drift

__all__ = ["drift_answer", "evaluation_answer", "explanation_answer", "model_answer", "relevance_answer", "word_tagger_answer"]

Json = dict[str, Any]
MOST_DRIFTED: Final = 10
DIGITS: Final = 6


def model_answer(model: Model) -> Json:
    """A predictor's card with the checksum of its arrays."""
    return {**model.card.__dict__, "features": list(model.card.features), "sha256": model.checksum}


def word_tagger_answer(tagger: WordTagger) -> Json:
    """A word tagger's card."""
    card = tagger.card
    return {**card.__dict__, "word_features": list(card.word_features), "gap_features": list(card.gap_features)}


def evaluation_answer(model: Model, found: Evaluation) -> Json:
    """Measured accuracy, and how far intervals can be trusted, with the model they are of."""
    return {
        **model_summary(model),
        "accuracy": dict(found.accuracy.__dict__),
        "accuracy_intervals": {name: list(bounds) for name, bounds in found.intervals.items()},
        "negative_log_density": found.negative_log_density,
        "calibration": [dict(row.__dict__) for row in found.calibration],
    }


def explanation_answer(model: Model) -> Json:
    """How a model's contributions come about, and what they are added to."""
    method = explanation_method(model.regressor, len(model.card.features))
    orders, seed = (2 * ORDERS, SEED) if method == "sampled" else (None, None)
    return {"method": method, "baseline": round(model.baseline, DIGITS), "orders": orders, "seed": seed}


def relevance_answer(model: Model) -> list[Json] | None:
    """How much each feature counts, the most first; None for learners that do not say."""
    relevance, names = model.relevance, model.card.features
    if relevance is None:
        return None
    order = np.argsort(-relevance, kind="stable").tolist()
    return [
        {
            "feature": names[k],
            "name": CATALOGUE[names[k]].name if names[k] in CATALOGUE else names[k],
            "relevance": round(float(relevance[k]), DIGITS),
        }
        for k in order
    ]


def drift_answer(model: Model, drift: Drift) -> Json:
    """How far what the model is asked about has moved from what it learned from, the features that moved most first."""
    order = np.argsort(-drift.indexes, kind="stable")[:MOST_DRIFTED].tolist() if drift.segments else []
    return {
        "segments": drift.segments,
        "index": round(drift.mean, DIGITS),
        "drifted": drift.drifted,
        "meaning": f"mean population stability index over the features; drift is more than {DRIFTED}, "
        f"said from {FEWEST_SEGMENTS} segments on",
        "features": [{"feature": model.card.features[k], "index": round(float(drift.indexes[k]), DIGITS)} for k in order],
    }
