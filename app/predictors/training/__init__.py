"""Training the learners and exporting what they learned, choosing features, and learning curves.

scikit-learn and GPy are imported inside functions, so that a server that only serves never loads them.
"""

from app.predictors.journal import FileJournal, Journal, SilentJournal
from app.predictors.training.data import TrainingSet, split_held_out
from app.predictors.training.model import train_model

__all__ = ["FileJournal", "Journal", "SilentJournal", "TrainingSet", "split_held_out", "train_model"]
