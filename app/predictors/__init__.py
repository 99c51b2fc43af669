"""Feature values into quality with uncertainty: training, artifacts, serving and evaluation.

Assay implements Gaussian processes; scikit-learn trains the other learners. Both become arrays that numpy serves. GPy trains
kernels and likelihoods of its own, and serves those kernels.
"""

from app.predictors.artifact import load_model, read_card, save_model
from app.predictors.coverage import Evaluation, compare_predictions, evaluate_uncertainty
from app.predictors.evaluation import Accuracy, evaluate_predictions
from app.predictors.labels import LABELS, Label, Scale
from app.predictors.model import Card, Model
from app.predictors.prediction import Prediction

__all__ = [
    "LABELS",
    "Accuracy",
    "Card",
    "Evaluation",
    "Label",
    "Model",
    "Prediction",
    "Scale",
    "compare_predictions",
    "evaluate_predictions",
    "evaluate_uncertainty",
    "load_model",
    "read_card",
    "save_model",
]
