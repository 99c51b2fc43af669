"""Models by language pair: the models that answer by default, with their quality and needs in plain words, then all others."""

from collections.abc import Iterable
from typing import Any, Final

from app.engine import Engine
from app.errors import InputError
from app.features.needs import Resource
from app.predictors import Model
from app.registry.entry import rank_of
from app.server.web.texts import Texts
from app.text import LanguagePair
from app.text.languages import ANY_PAIR
from app.text.side_information import KINDS

__all__ = ["groups_of_models"]

# Least correlation with people's judgements for "well", "fairly well" and "roughly".
GOOD, FAIR, ROUGH = 0.7, 0.5, 0.3
USUAL_LABEL: Final = "hter"


def groups_of_models(engine: Engine, t: Texts, pair: str = "", label: str = "") -> list[dict[str, Any]]:
    """For each pair its tag, and rows of its default models and of the others; `pair` and `label` select."""
    models = [model for model in engine.models.values() if pair in ("", model.card.pair) and label in ("", model.card.label)]
    order = [str(language_pair) for language_pair in engine.resources.pairs]
    tags = sorted({model.card.pair for model in models}, key=lambda tag: (tag == ANY_PAIR, tag not in order, tag))
    groups: list[dict[str, Any]] = []
    for tag in tags:
        of_pair = [model for model in models if model.card.pair == tag]
        defaults = _defaults(engine, tag, of_pair)
        rows = [(_row(engine, model, t), model.card.id in defaults) for model in of_pair]
        rows.sort(key=lambda row: (row[0]["card"].label != USUAL_LABEL, row[0]["card"].label, -row[0]["pearson"]))
        groups.append(
            {
                "pair": tag,
                "defaults": [row for row, answers in rows if answers],
                "others": [row for row, answers in rows if not answers],
            }
        )
    return groups


def _defaults(engine: Engine, tag: str, models: Iterable[Model]) -> set[str]:
    """Ids of the models that answer requests for texts of a pair without a named model, for each of their labels."""
    by_label: dict[str, list[Model]] = {}
    for model in models:
        by_label.setdefault(model.card.label, []).append(model)
    return {name for label, rivals in by_label.items() if (name := _default(engine, tag, label, rivals)) is not None}


def _default(engine: Engine, tag: str, label: str, rivals: list[Model]) -> str | None:
    if tag == ANY_PAIR:
        best = max(rivals, key=lambda model: rank_of(model.card.accuracy, model.card.id))
        return engine.registry.current(tag, label) or best.card.id
    try:
        return engine.model_for(LanguagePair.parse(tag), None, label, frozenset()).card.id
    except InputError:
        return None


def _row(engine: Engine, model: Model, t: Texts) -> dict[str, Any]:
    card, pearson = model.card, float(model.card.accuracy["pearson"])
    return {
        "card": card,
        "title": t(model.label.title),
        "pearson": pearson,
        "quality": _quality(pearson, t),
        "figures": t(
            "correlation {pearson}, mean error {error}", pearson=t.number(pearson, 2), error=t.number(card.accuracy["mae"], 2)
        ),
        "needs": _needs(model, t),
        "cautions": engine.cautions(model),
    }


def _quality(pearson: float, t: Texts) -> str:
    if pearson >= GOOD:
        return t("orders segments well")
    if pearson >= FAIR:
        return t("orders segments fairly well")
    return t("orders segments roughly") if pearson >= ROUGH else t("orders segments little better than chance")


def _needs(model: Model, t: Texts) -> str:
    """Content that a request must have, and the slow parts that answer it."""
    evidence = ", ".join(str(need) for need in model.needs if need in KINDS)
    texts = t("texts and {evidence}", evidence=evidence) if evidence else t("texts")
    if Resource.CROSS_ENCODER not in model.needs:
        return texts
    return t("{first}; {next}", first=texts, next=t("uses a neural network (slower)"))
