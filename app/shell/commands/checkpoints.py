"""`assay resources import-checkpoint`: neural metrics of one's own."""

from app.errors import InputError
from app.shell.here import settings_here
from app.shell.options.checkpoints import ImportCheckpointOptions
from app.shell.output import say

__all__ = ["import_checkpoint"]


def import_checkpoint(options: ImportCheckpointOptions) -> None:
    """Import a checkpoint of COMET, TransQuest, BLEURT or MetricX, whose scores are then the metric neural:NAME."""
    from app.resources.checkpoints.conversion import ImportRequest
    from app.resources.checkpoints.conversion import import_checkpoint as convert

    folder = options.out or settings_here().checkpoints
    if folder is None:
        raise InputError("invalid-request", "name a folder by --out, or by ASSAY_CHECKPOINTS", ("--out",))
    card = convert(
        ImportRequest(options.checkpoint, options.name, options.licence, options.encoder, options.metricx, options.longest), folder
    )
    say(f"wrote {folder / options.name}: {card.architecture}, compares {card.needs}; licence {card.licence}")
    if card.non_commercial:
        say("this licence forbids commercial use; every answer says so")
