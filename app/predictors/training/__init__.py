"""From rows to models with calibrated intervals and cards: learners, corrections, tasks together, and the choice of features."""

from app.predictors.training.data import TrainingSet, split_held_out
from app.predictors.training.model import FEWEST_ROWS, train_model
from app.running.journal import FileJournal, Journal, ProgressJournal, SilentJournal

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
