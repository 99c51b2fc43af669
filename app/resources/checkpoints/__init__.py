"""Neural models that score translations, imported from users' checkpoints; onnxruntime and NumPy run them."""

from app.resources.checkpoints.card import CheckpointCard, forbids_commerce, is_name
from app.resources.checkpoints.checkpoint import Checkpoint, Row
from app.resources.checkpoints.folder import Checkpoints
from app.resources.checkpoints.scorers import CheckpointScore, VectorCache

__all__ = ["Checkpoint", "CheckpointCard", "CheckpointScore", "Checkpoints", "Row", "VectorCache", "forbids_commerce", "is_name"]
