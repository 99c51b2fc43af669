"""Orientation models: the neighbouring unit of a phrase pair, and the set of orientations."""

from dataclasses import dataclass
from typing import Final

from app.arrays import Int8s, Int32s
from app.errors import InputError
from app.smt.corpus.phrases.aligned_chunks import AlignedChunk
from app.smt.corpus.phrases.orientation_kernels import (
    DISCONTINUOUS_LEFT,
    DISCONTINUOUS_RIGHT,
    MONOTONE,
    NOWHERE,
    SWAP,
    orientations_by_phrases,
    orientations_by_words,
)

__all__ = ["LABELS", "MODELS", "UNITS", "OrientationModel"]

# In the order of the columns of Moses' extract.o.
UNITS: Final = ("wbe", "phrase", "hier")
# Labels of the numbers of the kernels, for each set of orientations.
LABELS: Final = {
    "msd": {MONOTONE: "mono", SWAP: "swap", DISCONTINUOUS_LEFT: "other", DISCONTINUOUS_RIGHT: "other", NOWHERE: "other"},
    "mslr": {MONOTONE: "mono", SWAP: "swap", DISCONTINUOUS_LEFT: "dleft", DISCONTINUOUS_RIGHT: "dright", NOWHERE: "dright"},
}
MODELS: Final = tuple(f"{unit}-{events}" for unit in UNITS for events in LABELS)
ANY_LENGTH: Final = 1 << 30


@dataclass(frozen=True)
class OrientationModel:
    """`unit`: the neighbouring word (wbe), phrases as long as those extracted (phrase) or of any length (hier).

    `events` is a key of `LABELS`.
    """

    unit: str
    events: str

    @classmethod
    def parse(cls, name: str) -> "OrientationModel":
        """Model with a name of `MODELS`; InputError (`invalid-request`) for an unknown name."""
        if name not in MODELS:
            raise InputError("invalid-request", f"models of orientation are {', '.join(MODELS)}", ("--orientation",))
        unit, _, events = name.partition("-")
        return cls(unit, events)

    @property
    def name(self) -> str:
        """Name of the model, as `parse` reads it."""
        return f"{self.unit}-{self.events}"

    def numbers(self, chunk: AlignedChunk, rows: Int32s, longest: int) -> Int8s:
        """Orientation of each row to its previous and its next neighbour, as numbers of the kernels; shape (rows, 2)."""
        sides = (chunk.source.offsets, chunk.target.offsets)
        links = (chunk.links_source, chunk.links_target, chunk.link_offsets)
        numbers: Int8s
        if self.unit == "wbe":
            numbers = orientations_by_words(rows, *sides, *links)
        else:
            numbers = orientations_by_phrases(rows, *sides, *links, longest if self.unit == "phrase" else ANY_LENGTH)
        return numbers

    def texts(self) -> list[str]:
        """Texts of all pairs of orientations; index ``5 * previous + next``."""
        labels = LABELS[self.events]
        return [f"{labels[previous]} {labels[following]}" for previous in range(NOWHERE + 1) for following in range(NOWHERE + 1)]
