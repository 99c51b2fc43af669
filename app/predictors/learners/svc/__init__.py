"""Support vector classification of two classes with an RBF kernel (Shah and Specia 2014)."""

from typing import Final

from app.predictors.learner import Learner, trainer_of
from app.predictors.learners.svc.classifier import SupportVectorClassifier
from app.text.reading.options import Choice

__all__ = ["LEARNER"]

LEARNER: Final = Learner(
    "svc",
    "Support vector classification, for labels of two classes such as `origin`",
    {
        "weight": Choice({"equal": "equal", "balanced": "balanced"}, "equal"),
        "search": Choice({"grid": "grid", "seeds": "seeds"}, "grid"),
    },
    trainer_of(f"{__name__}.training"),
    SupportVectorClassifier.from_arrays,
    tunes_on_held_out=True,
)
