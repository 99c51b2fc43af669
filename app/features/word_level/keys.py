"""Keys of words and gaps: a shared key of a token at the position, of its neighbour or of a linked word, and pairs of keys.

A word tagger finds the buckets of all its keys in one kernel call. A key is also a column by itself, computed by NumPy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Int64s, UInt64s
from app.features.view import View
from app.features.word_level.neighbour_kernels import NO_LINK
from app.text.hashing import combine_all

__all__ = ["EDGE", "EMPTY_VALUE", "Key", "KeyPair"]

# Keys of a position outside the segment, and of a word without a link.
EDGE: Final = np.uint64(1)
EMPTY_VALUE: Final = np.uint64(2)


@dataclass(frozen=True)
class Key:
    """The key of a token at each position: shared `keys` of tokens, and the `places` of the tokens, None for a token per position.

    Places are numbers of tokens, `BEYOND_EDGE` or `NO_LINK`.
    """

    keys: Callable[[View], UInt64s]
    places: Callable[[View], Int64s] | None = None

    def __call__(self, view: View) -> UInt64s:
        """Values by NumPy; shape (positions,)."""
        keys = view.cached(self.keys)
        if self.places is None:
            return keys
        places = view.cached(self.places)
        out = np.full(len(places), EDGE)
        out[places == NO_LINK] = EMPTY_VALUE
        out[places >= 0] = keys[places[places >= 0]]
        return out


@dataclass(frozen=True)
class KeyPair:
    """The key of a pair of keys."""

    left: Key
    right: Key

    def __call__(self, view: View) -> UInt64s:
        """Values by NumPy; shape (positions,)."""
        return np.asarray(combine_all(self.left(view), self.right(view)))
