"""A model of quality estimation as NeMo Curator calls it: `wrap_qe_input` per pair, `predict` per list."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.scale.adapters.pairs import pair_scores
from app.scale.scorer import Scorer

__all__ = ["AssayModel"]


class AssayModel:
    """A model with the methods of NeMo Curator's models of quality estimation; it runs without a graphics card."""

    def __init__(self, name: str, scorer: Scorer) -> None:
        self.name = name
        self._scorer = scorer

    @classmethod
    def load_model(cls, model_name: str, **options: Any) -> "AssayModel":
        """The model of a predictor's name; `options` are those of `Scorer`."""
        scorer = Scorer(model_name, **options)
        scorer.cards()
        return cls(model_name, scorer)

    @staticmethod
    def wrap_qe_input(src: str, tgt: str, reverse: bool = False, **_: Any) -> dict[str, str]:
        """Source and translation of a pair; `reverse` exchanges them."""
        return {"src": tgt, "mt": src} if reverse else {"src": src, "mt": tgt}

    def predict(self, inputs: Sequence[Mapping[str, str]]) -> list[float]:
        """Scores of wrapped pairs."""
        return pair_scores(self._scorer, [(row["src"], row["mt"]) for row in inputs])
