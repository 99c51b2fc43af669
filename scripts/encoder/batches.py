"""Rows as token ids with tags of tokens, and padded batches of like length."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from app.predictors.cross_encoder.revision import words_of_pieces
from app.resources.pieces import Pieces, PieceTable
from scripts.encoder.network import SOURCE_TAGS, TARGET_TAGS, PieceBatch
from scripts.encoder.rows import LABELS, Row

__all__ = ["Batch", "Example", "batches_of", "example_of"]

# Tokens of a side that training reads.
LONGEST_SIDE: Final = 150
MOST_PIECES: Final = 512
# Tokens of a batch, padding included.
TOKENS_AT_ONCE: Final = 2400
# Rows are sorted by length within groups of this many.
SORTED: Final = 1200
UNKNOWN: Final = -1


@dataclass(frozen=True)
class Example:
    """Ids (t,) of ``<s> source </s></s> translation </s>``, length of the source with its signs, labels (NaN: unknown) and tags."""

    ids: np.ndarray
    of_source: int
    labels: np.ndarray
    target_tags: np.ndarray
    source_tags: np.ndarray
    pair: int

    def __len__(self) -> int:
        return len(self.ids)


def example_of(row: Row, table: PieceTable, pairs: Sequence[str], longest: int = LONGEST_SIDE) -> Example:
    """The row as tokens."""
    source, target = (table.pieces_of(text, MOST_PIECES) for text in (row.source, row.translation))
    near, far = source.ids[source.inner][:longest], target.ids[target.inner][:longest]
    begin, end = int(source.ids[0]), int(source.ids[-1])
    ids = np.concatenate([[begin], near, [end, end], far, [end]]).astype(np.int32)
    of_source = len(near) + 2
    target_tags = np.full((len(ids), TARGET_TAGS), UNKNOWN, np.int8)
    source_tags = np.full((len(ids), SOURCE_TAGS), UNKNOWN, np.int8)
    inside = slice(of_source + 1, len(ids) - 1)
    if row.tags is not None:
        _tag_words(row, table, near, far, source_tags[1 : of_source - 1, 0], target_tags[of_source + 1 :])
    if row.spans is not None:
        _tag_spans(row, target, target_tags[inside])
    labels = np.array([row.labels.get(label, np.nan) for label in LABELS], np.float32)
    return Example(ids, of_source, labels, target_tags, source_tags, pairs.index(row.pair) if row.pair in pairs else len(pairs))


def _tag_words(
    row: Row, table: PieceTable, near: np.ndarray, far: np.ndarray, source_tags: np.ndarray, target_tags: np.ndarray
) -> None:
    tags = row.tags
    assert tags is not None
    for k, words in enumerate(words_of_pieces([table.pieces[number] for number in near], tags.source)):
        if words:
            source_tags[k] = max(tags.source_tags[word] for word in words)
    last = UNKNOWN
    for k, words in enumerate(words_of_pieces([table.pieces[number] for number in far], tags.target)):
        if words:
            target_tags[k, 0] = max(tags.target_tags[2 * word + 1] for word in words)
            new = [word for word in words if word > last]
            if new:
                target_tags[k, 1] = max(tags.target_tags[2 * word] for word in new)
                last = max(new)
    if last == len(tags.target) - 1:
        target_tags[len(far), 1] = tags.target_tags[-1]


def _tag_spans(row: Row, target: Pieces, tags: np.ndarray) -> None:
    tags[:, 2:] = 0
    places = target.spans[: len(tags)]
    for span in row.spans or ():
        is_in = (places[:, 0] < span.end) & (places[:, 1] > span.begin)
        tags[is_in, 2] = 1
        if span.major:
            tags[is_in, 3] = 1


@dataclass(frozen=True)
class Batch:
    """Padded examples; `orders` (k, 2) are numbers of examples, the better one first."""

    inputs: PieceBatch
    labels: Tensor
    target_tags: Tensor
    source_tags: Tensor
    orders: Tensor


def padded(examples: Sequence[Example], orders: Sequence[tuple[int, int]] = ()) -> Batch:
    """Examples as tensors of the length of the longest."""
    size = max(map(len, examples))
    ids, sides = np.ones((len(examples), size), np.int64), np.full((len(examples), size), -1, np.int64)
    in_source, in_target = np.zeros((2, len(examples), size), np.bool_)
    target_tags = np.full((len(examples), size, TARGET_TAGS), UNKNOWN, np.int8)
    source_tags = np.full((len(examples), size, SOURCE_TAGS), UNKNOWN, np.int8)
    for k, example in enumerate(examples):
        length, of_source = len(example), example.of_source
        ids[k, :length], sides[k, :length] = example.ids, 0
        sides[k, of_source:length] = 1
        in_source[k, 1 : of_source - 1], in_target[k, of_source + 1 : length - 1] = True, True
        target_tags[k, :length], source_tags[k, :length] = example.target_tags, example.source_tags
    pair = torch.tensor([example.pair for example in examples])
    inputs = PieceBatch(
        torch.from_numpy(ids), torch.from_numpy(sides), torch.from_numpy(in_source), torch.from_numpy(in_target), pair
    )
    labels = torch.from_numpy(np.stack([example.labels for example in examples]))
    return Batch(
        inputs,
        labels,
        torch.from_numpy(target_tags),
        torch.from_numpy(source_tags),
        torch.tensor(orders, dtype=torch.long).view(-1, 2),
    )


def batches_of(units: Sequence[tuple[Example, ...]], rng: random.Random, tokens: int = TOKENS_AT_ONCE) -> Iterator[Batch]:
    """Batches in random order; a unit is an example, or a better and a worse one, which stay together."""
    order = list(range(len(units)))
    rng.shuffle(order)
    parts: list[list[tuple[Example, ...]]] = []
    for begin in range(0, len(order), SORTED):
        group = sorted((units[k] for k in order[begin : begin + SORTED]), key=lambda unit: max(map(len, unit)))
        part: list[tuple[Example, ...]] = []
        for unit in group:
            if part and max(map(len, unit)) * (sum(map(len, part)) + len(unit)) > tokens:
                parts.append(part)
                part = []
            part.append(unit)
        parts.append(part)
    rng.shuffle(parts)
    for part in parts:
        examples = [example for unit in part for example in unit]
        places, at = [], 0
        for unit in part:
            if len(unit) == 2:
                places.append((at, at + 1))
            at += len(unit)
        yield padded(examples, places)
