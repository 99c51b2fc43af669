"""A discriminative preorderer: trees of bracketing transduction grammar, split top-down by a linear model (Nakagawa 2015)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final

import numpy as np
from pydantic import Field

from app.arrays import Float64s, Int64s, UInt64s
from app.errors import InputError
from app.smt.preordering.learning_kernels import learn_pass
from app.smt.preordering.loss_kernels import least_losses, wrong_pairs
from app.smt.preordering.search_kernels import empty_cache, order_of_splits, search, splits_of
from app.text.hashing import hash_tokens

__all__ = ["LONGEST", "AnnotatedWords", "BracketingModel", "BracketingOptions", "learn_bracketing", "least_loss"]

# Limit of words of a sentence: the work of a search grows with the square of their number, that of learning with the cube.
LONGEST: Final = 1000
# Columns of a sentence: words, or words and tags, or words, tags and classes.
AnnotatedWords = Sequence[Sequence[str]]
NO_LOSSES: Final = np.empty((0, 0, 0), np.int64)
NO_TABLE: Final = np.empty((0, 0), np.int64)


@dataclass(frozen=True, kw_only=True)
class BracketingOptions:
    """Options of the learning: states of the beam, passes, score of a wrong word pair, and bits of the number of weights."""

    beam: Annotated[int, Field(ge=1, le=1000)] = 20
    passes: Annotated[int, Field(ge=1, le=1000)] = 10
    margin: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    bits: Annotated[int, Field(ge=1, le=24)] = 20
    seed: int = 0


@dataclass(frozen=True, eq=False)
class BracketingModel:
    """Weights of hashed features for straight and inverted splits; shape (2^bits, 2)."""

    weights: Float64s = field(repr=False)
    columns: int
    beam: int = 20

    def order(self, sentence: AnnotatedWords) -> list[int]:
        """Source positions in the predicted target order. InputError for more than `LONGEST` words or another number of columns."""
        hashes = _hashes(sentence, self.columns)
        n = len(hashes)
        if n < 2:
            return list(range(n))
        _, rows, _, _ = search(hashes, self.weights, self.beam, NO_LOSSES, NO_TABLE, 0.0, empty_cache(n), np.empty(1024))
        return [int(position) for position in order_of_splits(n, splits_of(rows, n - 1, 0))]


def learn_bracketing(
    sentences: Sequence[AnnotatedWords], places: Sequence[Int64s], options: BracketingOptions | None = None
) -> Iterator[BracketingModel]:
    """Yield the averaged model after each pass over sentences in a shuffled order; equal seeds give equal models.

    `places` are those of `app.smt.preordering.gold`. A gold order that no tree reaches teaches trees of the least loss.
    """
    options = options or BracketingOptions()
    columns = len(sentences[0]) if sentences else 1
    if not columns:
        raise ValueError("a sentence has a column of words at least")
    hashes = [_hashes(sentence, columns) for sentence in sentences]
    for number, (rows, gold) in enumerate(zip(hashes, places, strict=True)):
        if len(rows) != len(gold):
            raise ValueError(f"sentence {number} has {len(rows)} words and {len(gold)} places")
    offsets = np.cumsum([0, *map(len, hashes)])
    packed_hashes = np.concatenate([np.empty((0, columns), np.uint64), *hashes])
    packed_places = np.concatenate([np.empty(0, np.int64), *places])
    weights, sums = np.zeros((1 << options.bits, 2)), np.zeros((1 << options.bits, 2))
    rng = np.random.default_rng(options.seed)
    for number in range(options.passes):
        time = float(number * len(hashes))
        learn_pass(
            rng.permutation(len(hashes)), offsets, packed_hashes, packed_places, options.beam, options.margin, time, weights, sums
        )
        yield BracketingModel(weights - sums / max(1.0, time + len(hashes)), columns, options.beam)


def least_loss(places: Int64s) -> int:
    """Wrong word pairs of the best tree: 0 if a tree reaches an order of the gold places."""
    return int(least_losses(wrong_pairs(places))[0, len(places)])


def _hashes(sentence: AnnotatedWords, columns: int) -> UInt64s:
    """Hashes of the words of a sentence; shape (n, columns)."""
    if len(sentence) != columns or len({len(column) for column in sentence}) > 1:
        counts = ", ".join(str(len(column)) for column in sentence)
        detail = f"a sentence has {columns} columns of equal length; these have the lengths {counts}"
        raise InputError("unequal-lengths", detail, ("sentence",))
    if len(sentence[0]) > LONGEST:
        detail = f"a sentence has at most {LONGEST} words; this one has {len(sentence[0])}"
        raise InputError("segment-too-long", detail, ("sentence",))
    return np.stack([hash_tokens(column) for column in sentence], axis=1)
