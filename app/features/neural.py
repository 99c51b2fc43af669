"""Scores of a translation beside its source by imported checkpoints, one feature each: ``neural.NAME``.

Users import checkpoints, so none is in the catalogue. The name of such a feature is enough, and its need is the checkpoint.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s
from app.features.declaration import Family, Feature
from app.features.needs import CheckpointNeed
from app.features.view import View
from app.resources.checkpoints import is_name

__all__ = ["NEURAL", "checkpoint_cuts", "neural_feature"]

NEURAL: Final = "neural."


@dataclass(frozen=True)
class _CheckpointScores:
    """Scores of all segments by a checkpoint, and True for segments that it read only in part; both (n,)."""

    name: str

    def __call__(self, view: View) -> tuple[Float64s, Bools]:
        sources, translations = view.texts
        rows = zip(sources, translations, [None] * len(view), strict=True)
        checkpoint_rows = list(view.resources.checkpoints.without_reference(self.name).scores(rows))
        return np.array([row.score for row in checkpoint_rows], np.float64), np.array(
            [row.cut for row in checkpoint_rows], np.bool_
        )


def neural_feature(name: str) -> Feature | None:
    """The feature of an id, with or without a loaded checkpoint; None for an id of another form."""
    checkpoint = name.removeprefix(NEURAL)
    if not name.startswith(NEURAL) or not is_name(checkpoint):
        return None
    checkpoint_scores = _CheckpointScores(checkpoint)
    return Feature(
        name,
        name.replace(".", "_"),
        f"Score of the imported checkpoint {checkpoint}, on its own scale",
        Family.ADEQUACY,
        "the checkpoint",
        (CheckpointNeed(checkpoint),),
        lambda view: view.cached(checkpoint_scores)[0],
    )


def checkpoint_cuts(view: View, checkpoint: str) -> frozenset[int]:
    """Rows of segments that a checkpoint read only in part."""
    return frozenset(np.flatnonzero(view.cached(_CheckpointScores(checkpoint))[1]).tolist())
