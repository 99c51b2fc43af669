"""Tables of orientations: the probability of each, given a pair of phrases or its source (Koehn et al. 2005)."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float32s, Float64s
from app.errors import InputError
from app.smt.corpus.phrases.orientation import LABELS, UNITS

__all__ = ["SMOOTHING", "ReorderingModel"]

DIRECTIONS: Final = {"backward": [0], "forward": [1], "bidirectional": [0, 1]}
GIVEN: Final = ("fe", "f")
# Added to each orientation's count.
SMOOTHING: Final = 0.5
OTHER: Final = 4


@dataclass(frozen=True)
class ReorderingModel:
    """What Moses' configurations call ``wbe-msd-bidirectional-fe``.

    `direction` says whether a phrase stands to what is before it (backward), after it (forward) or both; `given` whether it
    is a pair of phrases (fe) or a source phrase (f) whose orientation is predicted.
    """

    unit: str
    events: str
    direction: str = "bidirectional"
    given: str = "fe"

    @classmethod
    def parse(cls, name: str) -> "ReorderingModel":
        """The model of a name; InputError says what names are made of."""
        parts = tuple(name.split("-"))
        choices = (UNITS, tuple(LABELS), tuple(DIRECTIONS), GIVEN)
        if len(parts) != len(choices) or any(part not in names for part, names in zip(parts, choices, strict=True)):
            made_of = "-".join("/".join(names) for names in choices)
            raise InputError("invalid-request", f"a model of reordering is named {made_of}", ("--reordering",))
        return cls(*parts)

    @property
    def name(self) -> str:
        """As it is parsed."""
        return f"{self.unit}-{self.events}-{self.direction}-{self.given}"

    @property
    def file(self) -> str:
        """The name of its table."""
        return f"reordering-table.{self.name}.gz"

    def probabilities(self, events: Float32s, smoothing: float) -> Float64s:
        """Of each row the probabilities of its orientations, those to what is before first.

        `events` are counts of mono, swap, dleft, dright and other; shape (rows, 2, 5). With msd the last three are one.
        """
        counts = events[:, DIRECTIONS[self.direction]].astype(np.float64)
        if self.events == "msd":
            counts = np.concatenate([counts[..., :2], counts[..., 2:].sum(axis=-1, keepdims=True)], axis=-1)
        else:
            counts = counts[..., :OTHER]
        smooth = counts + smoothing
        shares: Float64s = smooth / smooth.sum(axis=-1, keepdims=True)
        return shares.reshape(len(events), -1)
