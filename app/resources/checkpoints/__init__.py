"""Neural models that score translations, imported from checkpoints that users have: onnxruntime and NumPy run them."""

from app.resources.checkpoints.card import CheckpointCard, forbids_commerce, is_name
from app.resources.checkpoints.checkpoint import Checkpoint, Row
from app.resources.checkpoints.folder import Checkpoints
from app.resources.checkpoints.scorers import Scored

__all__ = ["Checkpoint", "CheckpointCard", "Checkpoints", "Row", "Scored", "forbids_commerce", "is_name"]
