"""Named entities by class: runs of tokens that a linear tagger gives one class."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Int8s, Int64s
from app.resources.linear_tagger import LinearModel, load_linear_model
from app.text.batch import TokenColumn, pack_tokens

__all__ = ["ENTITY_CLASSES", "NAMES", "NO_ENTITY", "Entities", "NameTagger", "entities_of"]

NAMES: Final = "names.safetensors"
ENTITY_CLASSES: Final = ("PERSON", "LOCATION", "ORGANIZATION", "MISC")
# The class of other tokens; class k of `ENTITY_CLASSES` has the number k + 1.
NO_ENTITY: Final = 0


@dataclass(frozen=True)
class Entities:
    """Entities of n segments: segment, first token and token after the last in the segment, and class; shape (e,) each.

    `of_tokens` is the number of each token's entity, -1 for none; shape (tokens,).
    """

    segments: Int64s
    begins: Int64s
    ends: Int64s
    classes: Int64s
    of_tokens: Int64s


def entities_of(classes: Int8s, offsets: Int64s) -> Entities:
    """Runs of one class within segments; neighbours of one class are one entity."""
    lengths = np.diff(offsets)
    segments = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.ones(len(classes), np.bool_)
    starts[1:] = (classes[1:] != classes[:-1]) | (segments[1:] != segments[:-1])
    starts &= classes != NO_ENTITY
    of_tokens = np.where(classes != NO_ENTITY, np.cumsum(starts) - 1, -1)
    first = np.flatnonzero(starts)
    lengths_of_entities = np.bincount(of_tokens[of_tokens >= 0], minlength=len(first))
    begins = first - offsets[segments[first]]
    return Entities(segments[first], begins, begins + lengths_of_entities, classes[first].astype(np.int64) - 1, of_tokens)


class NameTagger:
    """A linear tagger whose tags are classes of entities."""

    def __init__(self, model: LinearModel) -> None:
        self._model = model
        # Kernels are compiled here, not in a request.
        model.annotate(pack_tokens([["a"]]), False)

    @classmethod
    def load(cls, path: Path) -> "NameTagger":
        """Read a ``names.safetensors``; InputError if it is no such file."""
        return cls(load_linear_model(path))

    def entities(self, column: TokenColumn) -> Entities:
        """Entities of the segments of a column in its original case."""
        return entities_of(self.classes(column), column.offsets)

    def classes(self, column: TokenColumn) -> Int8s:
        """Number of each token's class; shape (tokens,)."""
        classes = self._model.annotate(column, False)[0]
        return np.where(classes <= len(ENTITY_CLASSES), classes, NO_ENTITY).astype(np.int8)
