"""Checkpoints of COMET, TransQuest, BLEURT and MetricX into folders that the server reads. Needs the extra `convert`."""

from app.resources.checkpoints.conversion.importing import ImportRequest, import_checkpoint

__all__ = ["ImportRequest", "import_checkpoint"]
