"""Feature values into quality with uncertainty: training, artifacts, serving and evaluation.

Gaussian processes are our own, the other learners scikit-learn's; both become arrays that numpy serves. What GPy alone has is
trained, and where it is a kernel also served, through GPy.
"""

from app.predictors.artifact import load_model, load_models, read_card, save_model
from app.predictors.evaluation import Accuracy, evaluate_predictions
from app.predictors.labels import LABELS, Label, Scale
from app.predictors.model import Card, Model
from app.predictors.prediction import Prediction
from app.predictors.uncertainty import Evaluation, compare_predictions, evaluate_uncertainty

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
    "load_models",
    "read_card",
    "save_model",
]
