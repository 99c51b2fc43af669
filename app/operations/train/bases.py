"""Names of new models, and better bases for them."""

from itertools import chain, count
from typing import Final

from app.errors import InputError
from app.operations.operation import Context
from app.predictors import Model
from app.text import LanguagePair

__all__ = ["base_cautions", "free_name"]

# Correlations on different labels differ by chance.
CLEAR_GAIN: Final = 0.1


def free_name(context: Context, name: str) -> str:
    """The default name of a model: with the id of its job, else `name` or the first of ``name-2``, ``name-3`` that is free."""
    if context.job:
        return f"{name}-{context.job}"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(candidate for candidate in names if not context.engine.registry.is_taken(candidate))


def base_cautions(context: Context, model: Model) -> list[str]:
    """A caution that another predictor of pair and label would be a better start, if the new one has no base."""
    card = model.card
    if context.params.get("base") or card.documents:
        return []
    try:
        rival = context.engine.model_for(LanguagePair.parse(card.pair), None, card.label, frozenset())
    except InputError:
        return []
    pearson, rival_pearson = float(card.accuracy["pearson"]), float(rival.card.accuracy["pearson"])
    if rival.card.id == card.id or rival.label != model.label or rival_pearson < pearson + CLEAR_GAIN:
        return []
    return [
        f"{rival.card.id} has Pearson {rival_pearson:.2f} on its own labels, this model {pearson:.2f} on yours; "
        f"trained with it as base (--base {rival.card.id}), a version of it learns from your labels"
    ]
