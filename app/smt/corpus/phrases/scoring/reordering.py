"""Models of reordering: probability of each orientation, given a phrase pair or its source (Koehn et al. 2005)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s
from app.errors import InputError
from app.smt.corpus.phrases.orientation import LABELS, UNITS

__all__ = ["SMOOTHING", "ReorderingModel"]

DIRECTIONS: Final = {"backward": [0], "forward": [1], "bidirectional": [0, 1]}
CONDITIONS: Final = ("fe", "f")
# Addition to the count of each orientation.
SMOOTHING: Final = 0.5
MSLR_EVENTS: Final = 4


@dataclass(frozen=True)
class ReorderingModel:
    """Model with a name of Moses configurations, as ``wbe-msd-bidirectional-fe``.

    `direction` is the neighbour: the previous phrase (backward), the next (forward), or both. `condition` is the phrase pair (fe)
    or its source phrase (f).
    """

    unit: str
    events: str
    direction: str = "bidirectional"
    condition: str = "fe"

    @classmethod
    def parse(cls, name: str) -> "ReorderingModel":
        """Model with a name; InputError lists the parts of names."""
        parts = tuple(name.split("-"))
        choices = (UNITS, tuple(LABELS), tuple(DIRECTIONS), CONDITIONS)
        if len(parts) != len(choices) or any(part not in names for part, names in zip(parts, choices, strict=True)):
            pattern = "-".join("/".join(names) for names in choices)
            raise InputError("invalid-request", f"a model of reordering is named {pattern}", ("--reordering",))
        return cls(*parts)

    @property
    def name(self) -> str:
        """Name of the model, as `parse` reads it."""
        return f"{self.unit}-{self.events}-{self.direction}-{self.condition}"

    @property
    def file(self) -> str:
        """File name of its table."""
        return f"reordering-table.{self.name}.gz"

    def probabilities(self, events: Float32s, smoothing: float) -> Float64s:
        """Probabilities of orientations, the previous neighbour first; shape (rows, directions * orientations).

        `events` are counts of mono, swap, dleft, dright and other, shape (rows, 2, 5). Set msd merges the last three.
        """
        counts = events[:, DIRECTIONS[self.direction]].astype(np.float64)
        if self.events == "msd":
            counts = np.concatenate([counts[..., :2], counts[..., 2:].sum(axis=-1, keepdims=True)], axis=-1)
        else:
            counts = counts[..., :MSLR_EVENTS]
        smooth = counts + smoothing
        shares: Float64s = smooth / smooth.sum(axis=-1, keepdims=True)
        return shares.reshape(len(events), -1)
