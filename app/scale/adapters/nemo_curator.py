"""A model of quality estimation as NeMo Curator's ``QualityEstimationFilter`` calls it, which keeps scores from its cutoff on.

In a subclass of the filter it is ``SUPPORTED_MODELS = {"ro-en": AssayModel}``; the filter passes the name on to `load_model`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from app.errors import InputError
from app.scale.adapters.pairs import higher_is_better, pair_scores
from app.scale.scorer import Scorer

__all__ = ["AssayModel"]


class AssayModel:
    """A model with the methods of NeMo Curator's models of quality estimation; it runs without a graphics card."""

    def __init__(self, name: str, scorer: Scorer) -> None:
        self.name = name
        self._scorer = scorer
        self._higher = higher_is_better(scorer)

    @classmethod
    def load_model(cls, model_name: str, gpu: bool = False, **options: Any) -> "AssayModel":
        """The model of a predictor's name, or of a pair such as ``ro-en``: then with the profile `fast`, if `options` name none.

        `options` are those of `Scorer`. InputError with `gpu`.
        """
        if gpu:
            raise InputError("invalid-request", "Assay's models run on processors; leave gpu out", ("gpu",))
        scorer = Scorer(model_name, **options)
        if all(entry.id != model_name for entry in scorer.engine.registry.entries):
            scorer = Scorer(**{"pair": model_name, "profile": "fast"} | options)
        scorer.cards()
        return cls(model_name, scorer)

    @staticmethod
    def wrap_qe_input(src: str, tgt: str, reverse: bool = False, **_: Any) -> dict[str, str]:
        """Source and translation of a pair; `reverse` exchanges them."""
        return {"src": tgt, "mt": src} if reverse else {"src": src, "mt": tgt}

    def predict(self, inputs: Sequence[Mapping[str, str]], **_: Any) -> list[float]:
        """Scores of wrapped pairs, higher is better: one less the score of a label where lower is better, as of HTER.

        NaN for a pair with a fault, which no cutoff keeps.
        """
        scores = pair_scores(self._scorer, [(row["src"], row["mt"]) for row in inputs])
        return scores if self._higher else [1 - score for score in scores]
