"""From rows to models with calibrated intervals and cards: learners, corrections, tasks together, and the choice of features."""

from app.journal import FileJournal, Journal, ProgressJournal, SilentJournal
from app.predictors.training.data import TrainingSet, split_held_out
from app.predictors.training.model import FEWEST_ROWS, train_model

__all__ = [
    "FEWEST_ROWS",
    "FileJournal",
    "Journal",
    "ProgressJournal",
    "SilentJournal",
    "TrainingSet",
    "split_held_out",
    "train_model",
]
