"""`Aligner`: both directions of a trained alignment, links and scores of any text under them, and its file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.building.alignment.direction import SEED, Direction, sample
from app.building.alignment.directions import for_both_directions
from app.building.alignment.joint import start
from app.building.alignment.joint_kernels import agree, choose_links
from app.building.alignment.symmetrisation import directed_links
from app.building.alignment.word_pairs import WordPairs
from app.building.carded_arrays import read_arrays, write_arrays
from app.errors import InputError
from app.text.parallel_corpus import ParallelCorpus, WordLinks

__all__ = ["LONGEST", "AlignedText", "Aligner", "train_aligner"]

# Words of a segment that is aligned; work grows with the third power of it.
LONGEST: Final = 1000
KIND: Final = "aligner"
SIDES: Final = ("forward", "reverse")


@dataclass(frozen=True)
class AlignedText:
    """Links of both directions, source first, and scores: mean log-probability of a word of the target given the source, and back.

    Each target word has at most one link in `forward`, each source word in `reverse`. `scores` has a row a segment and a
    column a direction; 0 where a side has no words.
    """

    forward: WordLinks
    reverse: WordLinks
    scores: Float64s


@dataclass(frozen=True)
class Aligner:
    """Tables of both directions, and a card that says what they are from."""

    forward: Direction
    reverse: Direction
    card: Mapping[str, Any] = field(default_factory=dict)

    def align(self, pairs: ParallelCorpus) -> AlignedText:
        """Links by what both directions find probable: each word's link has the greatest product of both posteriors.

        A segment's links depend on it and the tables alone. O(Σ I J (I + J)) and 24 bytes a pair of words that share a segment.
        """
        reversed = pairs.reversed
        sides = for_both_directions(WordPairs.of, (pairs, reversed))
        (straight, forward), (inverse, reverse) = for_both_directions(Direction.posteriors, (self.forward, self.reverse), sides)
        agree(straight, inverse, sides[0].entry_offsets, sides[1].entry_offsets, pairs.source.offsets, pairs.target.offsets)
        source_of, target_of = (
            choose_links(posterior, words.entry_offsets, words.source_offsets, words.target_offsets)
            for posterior, words in zip((straight, inverse), sides, strict=True)
        )
        lengths = np.maximum(np.stack([pairs.target.lengths, pairs.source.lengths], 1), 1)
        scores = np.stack([forward, reverse], 1) / lengths
        return AlignedText(directed_links(pairs, source_of), directed_links(reversed, target_of).reversed, scores)

    def save(self, path: Path) -> None:
        """Write tables (safetensors) with their card."""
        arrays = {f"{side}.{name}": array for side in SIDES for name, array in getattr(self, side).arrays().items()}
        write_arrays(path, KIND, arrays, self.card)

    @classmethod
    def open(cls, path: Path) -> "Aligner":
        """Read what `save` wrote; InputError (`invalid-table`) where the file is another or damaged."""
        arrays, card = read_arrays(path, KIND, "saved aligner")
        try:
            forward, reverse = (
                Direction.of_arrays({name: arrays[f"{side}.{name}"] for name in Direction.__dataclass_fields__}) for side in SIDES
            )
        except KeyError:
            raise InputError("invalid-table", f"{path.name} is not a saved aligner", (str(path),)) from None
        return cls(forward, reverse, card)


def train_aligner(pairs: ParallelCorpus, card: Mapping[str, Any] | None = None, seed: int = SEED) -> Aligner:
    """Train both directions; deterministic. InputError ("empty-input") where no segment has words on both sides."""
    if not ((pairs.source.lengths > 0) & (pairs.target.lengths > 0)).any():
        raise InputError("empty-input", "alignment needs at least one segment with tokens on both sides")
    sides = for_both_directions(WordPairs.of, (pairs, pairs.reversed))
    return Aligner(*for_both_directions(sample, sides, start(sides), (seed, seed + 1)), dict(card or {}))
