"""What may answer, and what a model looks at, computed of a view."""

from typing import TYPE_CHECKING, Final

from app.arrays import Float64s
from app.errors import InputError
from app.features import CheckpointNeed, PairResources, Resource, View, exact_set, features_of_view
from app.features.black_box.grammar import begin_tagging
from app.features.encoded import begin_encoding, cut_rows
from app.features.neural import NEURAL as OF_CHECKPOINTS
from app.features.neural import checkpoint_cuts
from app.metrics.registry import NEURAL
from app.predictors import Model
from app.text import LanguagePair

if TYPE_CHECKING:
    from app.engine.engine import Engine

__all__ = ["check_predictor", "checkpoints_asked", "model_values", "rows_cut"]

# What no feature can be computed of without tags.
TAGGING: Final = frozenset({Resource.SOURCE_TAGGER, Resource.TARGET_TAGGER, Resource.WORD_TAGGER, Resource.NMT_WORD_TAGGER})


def check_predictor(name: str | None, resources: PairResources) -> None:
    """InputError where a neural metric is to predict: nothing says how far its score may be off, and what adds that is named."""
    if name is None or not name.startswith(f"{NEURAL}:"):
        return
    checkpoint = name.removeprefix(f"{NEURAL}:")
    if (reason := resources.checkpoints.lacking(checkpoint)) is not None:
        raise InputError("missing-checkpoint", reason, ("model",))
    trained = f"assay train FILE --pair {resources.pair} --label LABEL --feature-set {OF_CHECKPOINTS}{checkpoint}"
    detail = (
        f"{name} is a metric: POST /v1/score gives its scores, and nothing says how far they may be off; "
        f"{trained}, or a job train with this feature_set, makes a predictor of it that has intervals, from labelled segments"
    )
    raise InputError("unknown-model", detail, ("model",))


def model_values(model: Model, view: View) -> Float64s:
    """The features that a model looks at; shape (n, k)."""
    wanted = exact_set(model.card.id, model.card.features)
    if TAGGING.intersection(wanted.needs):
        begin_tagging(view)
    if Resource.ENCODER in wanted.needs:
        begin_encoding(view)
    return features_of_view(view, wanted, strict=True).values


def _checkpoints_of(model: Model) -> list[str]:
    return [need.name for need in model.needs if isinstance(need, CheckpointNeed)]


def checkpoints_asked(engine: "Engine", pair: LanguagePair, model: str | None, label: str | None) -> int:
    """How many checkpoints are asked by a model, or by the one that answers where none is named."""
    if not engine.resources.checkpoints.without_references:
        return 0
    try:
        chosen = engine.models.get(model) if model is not None else engine.model_for(pair, None, label, frozenset())
    except InputError:
        # Said where it answers.
        return 0
    return 0 if chosen is None else len(_checkpoints_of(chosen))


def rows_cut(model: Model, view: View) -> frozenset[int]:
    """Segments of which an encoder or a checkpoint that the model asks looked at a part alone."""
    cut = cut_rows(view) if Resource.ENCODER in model.needs else frozenset()
    return cut.union(*(checkpoint_cuts(view, name) for name in _checkpoints_of(model)))
