"""Pairs of phrases with their counts, from sorted records into columns on disk that are read once more, block by block."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import numpy as np

from app.arrays import Bools, Float32s, Float64s, Int16s, Int64s, UInt8s, UInt64s
from app.smt.corpus.external_sort import sorted_lines
from app.smt.corpus.phrases.lexical import LexicalTable
from app.smt.corpus.phrases.lexical_kernels import NULL_WORD, word_hash
from app.smt.corpus.phrases.scoring.additions.domains import DomainCounts, Domains
from app.smt.corpus.phrases.scoring.additions.function_words import FunctionWords
from app.smt.corpus.phrases.scoring.discounting import HIGHEST_COUNT, whole
from app.smt.corpus.phrases.scoring.extract_files import ExtractFiles
from app.smt.corpus.phrases.scoring.pair_kernels import (
    EVENTS,
    GATHERED,
    LEAST_WEIGHT,
    MOST_WEIGHT,
    NO_COLUMNS,
    first_of_pairs,
    gather_pairs,
    record_weights,
    repeated_records,
)
from app.smt.corpus.phrases.scoring.table_kernels import gather_columns
from app.smt.corpus.sorting_kernels import gather_lines, line_bounds

__all__ = ["PairBlock", "Pairs", "Weigher", "gather"]

# Files of columns that are read once more, in blocks.
COLUMNS: Final = ("text", "lengths", "numbers", "new", "source", "events", "unaligned", "domain-sizes", "domains", "shares")
# Rows of hashes that are looked through at a time.
HASHES: Final = 1 << 20
# Bytes that a pair takes while pairs of one target are brought together.
GROUPED: Final = 64


class Weigher(Protocol):
    """Weights of extracted pairs of phrases by the sentence pairs that they are of."""

    @property
    def sentences(self) -> int:
        """How many sentence pairs it has weights of."""
        ...

    @property
    def options(self) -> Sequence[str]:
        """The words of a command that weighs so, for manifests."""
        ...

    def __call__(self, pairs: Int64s, sentences: Int64s) -> Float64s:
        """Weights of records; `pairs` tells by numbers from 0 which are of one pair of phrases, `sentences` counts from 1."""
        ...


@dataclass(frozen=True)
class PairBlock:
    """Pairs that follow one another in the order of their lines.

    `text` has source, target and links of each, by `offsets`. `numbers` are the weight and the lexical weights p(s|t), p(t|s);
    `source` and `target` the total weight and the number of pairs of either phrase; `events` counts of orientations, shape
    (pairs, models, 2, 5); `new` tells where another source begins; `domains` are weights by domain; `unaligned` how many words have
    no link, of the source, the target, and function words of either, shape (pairs, 4), or (pairs, 0) where nobody asked.
    """

    text: UInt8s
    offsets: Int64s
    numbers: Float64s
    source: Float64s
    target: Float64s
    events: Float32s
    new: Bools
    domains: DomainCounts
    unaligned: Int16s


@dataclass
class Pairs:
    """All pairs of phrases, in files of a folder. `counts` of counts: how many were extracted once, twice, ... (index 0: never)."""

    folder: Path
    models: int
    unaligned: bool
    blocks: list[tuple[int, int]] = field(default_factory=list)
    counts: Int64s = field(default_factory=lambda: np.zeros(HIGHEST_COUNT + 2, np.int64))
    sources: int = 0

    def __len__(self) -> int:
        return sum(rows for rows, _ in self.blocks)

    def path(self, column: str) -> Path:
        """The file of a column."""
        return self.folder / f"column-{column}"

    def total_targets(self, memory: int) -> None:
        """Write the totals of each pair's target; hashes are looked through as often as `memory` needs."""
        rows = len(self)
        passes = 1 << max(0, (rows * GROUPED // memory).bit_length())
        totals = np.memmap(self.path("target"), np.float64, "w+", shape=(max(rows, 1), 2))
        for share in range(passes):
            places, keys, weights = [np.empty(0, np.int64)], [np.empty(0, np.uint64)], [np.empty(0)]
            for first in range(0, rows, HASHES):
                hashes: UInt64s = np.fromfile(self.path("hash"), np.uint64, HASHES, offset=8 * first)
                numbers = np.fromfile(self.path("numbers"), np.float64, 3 * len(hashes), offset=24 * first)
                here = np.flatnonzero(hashes % np.uint64(passes) == share)
                places.append(here + first)
                keys.append(hashes[here])
                weights.append(numbers[::3][here])
            _, group = np.unique(np.concatenate(keys), return_inverse=True)
            if len(group):
                total = np.bincount(group, weights=np.concatenate(weights))
                totals[np.concatenate(places)] = np.stack([total, np.bincount(group)], axis=1)[group]
        totals.flush()

    def read(self) -> Iterator[PairBlock]:
        """The blocks, in order."""
        files = {name: self.path(name).open("rb") for name in (*COLUMNS, "target")}
        carried = np.zeros((1, 2))
        try:
            for rows, size in self.blocks:
                new = np.fromfile(files["new"], np.bool_, rows)
                # The row of totals of each pair's source, from the last source of the block before.
                groups = np.cumsum(new)
                fresh = np.fromfile(files["source"], np.float64, 2 * int(groups[-1])).reshape(-1, 2)
                totals = np.concatenate([carried, fresh])
                carried = totals[-1:]
                lengths = np.fromfile(files["lengths"], np.int32, 3 * rows)
                yield PairBlock(
                    np.fromfile(files["text"], np.uint8, size),
                    np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
                    np.fromfile(files["numbers"], np.float64, 3 * rows).reshape(rows, 3),
                    totals[groups],
                    np.fromfile(files["target"], np.float64, 2 * rows).reshape(rows, 2),
                    np.fromfile(files["events"], np.float32, rows * self.models * 2 * EVENTS).reshape(rows, self.models, 2, EVENTS),
                    new,
                    _domains(files, rows),
                    np.fromfile(files["unaligned"], np.int16, 4 * rows * self.unaligned).reshape(rows, 4 * self.unaligned),
                )
        finally:
            for file in files.values():
                file.close()


def _domains(files: Mapping[str, BinaryIO], rows: int) -> DomainCounts:
    """The next weights by domain; none where no domains were counted."""
    sizes = np.fromfile(files["domain-sizes"], np.int32, rows)
    offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    entries = int(offsets[-1])
    return DomainCounts(
        offsets, np.fromfile(files["domains"], np.int32, entries), np.fromfile(files["shares"], np.float32, entries)
    )


@dataclass
class _Writer:
    """Writes columns; totals of a source are written when the next one begins."""

    pairs: Pairs
    files: Mapping[str, BinaryIO]
    last_source: bytes = b""
    open_total: Float64s = field(default_factory=lambda: np.zeros(2))

    def add(
        self, text: UInt8s, places: Int64s, numbers: Float64s, hashes: UInt64s, new: Bools, events: Float32s, unaligned: Int16s
    ) -> None:
        if not len(places):
            return
        source = text[places[0, 0] : places[0, 1]].tobytes()
        new[0] = source != self.last_source
        self.last_source = text[places[-1, 0] : places[-1, 1]].tobytes()
        groups = np.cumsum(new)
        totals = np.stack([np.bincount(groups, weights=numbers[:, 0]), np.bincount(groups)], axis=1)
        totals[0] += self.open_total
        # The first row is of a source that began before; before the first source there is none.
        ended = totals[:-1] if self.pairs.sources else totals[1:-1]
        self.pairs.sources += int(groups[-1])
        self.open_total = totals[-1]
        packed, offsets = gather_columns(text, places)
        columns: dict[str, Any] = {
            "text": packed, "lengths": np.diff(offsets).astype(np.int32), "numbers": numbers, "hash": hashes[:, 1], "new": new,
            "source": ended, "events": events, "unaligned": unaligned if self.pairs.unaligned else unaligned[:0],
        }  # fmt: skip
        for name, column in columns.items():
            self.files[name].write(np.ascontiguousarray(column).tobytes())
        self.pairs.blocks.append((len(places), len(packed)))
        self.pairs.counts += np.bincount(np.minimum(whole(numbers[:, 0]), HIGHEST_COUNT + 1), minlength=HIGHEST_COUNT + 2)


def gather(
    files: ExtractFiles,
    e2f: LexicalTable,
    f2e: LexicalTable,
    memory: int,
    scratch: Path,
    weigher: Weigher | None = None,
    domains: Domains | None = None,
    function_words: FunctionWords | None = None,
) -> Pairs:
    """Sort the records of extraction and gather each pair of phrases with its counts and lexical weights.

    With a `weigher` or `domains` the fourth columns of records are numbers of sentence pairs, as ``#45``; without, records that are
    numbered count 1, as do those that have no fourth column. With `function_words` words without links are counted.
    """
    pairs = Pairs(scratch, len(files.units), function_words is not None)
    null = np.uint64(word_hash(NULL_WORD, 0, len(NULL_WORD)))
    function = function_words or FunctionWords.none()
    tables = (null, f2e.slots, f2e.numbers, e2f.slots, e2f.numbers, function.source, function.target)
    opened = {name: pairs.path(name).open("wb") for name in (*COLUMNS, "hash")}
    try:
        writer = _Writer(pairs, opened)
        carried, carried_weights = np.empty(0, np.uint8), np.empty(0)
        for block, block_weights in _and_the_end(_weighted(files, memory, scratch, weigher, domains, opened)):
            last = block is None
            text = carried if block is None else np.concatenate([carried, block])
            begins, ends = line_bounds(text)
            weights = np.concatenate([carried_weights, block_weights])
            places, numbers, hashes, new, events, unaligned, left, fault, at = gather_pairs(
                text, begins, ends, weights, files.trailer, last, *tables
            )
            if fault != GATHERED:
                why = "is no pair of phrases" if fault == NO_COLUMNS else "has what is no link, or a link outside of its phrases"
                files.refuse_record(text[begins[at] : ends[at]].tobytes(), why)
            writer.add(text, places, numbers, hashes, new, events, unaligned)
            kept, carried_weights = repeated_records(text, begins, ends, weights, left)
            carried = gather_lines(text, begins, ends, kept)
        opened["source"].write(writer.open_total.tobytes())
    finally:
        for file in opened.values():
            file.close()
    return pairs


def _weighted(
    files: ExtractFiles,
    memory: int,
    scratch: Path,
    weigher: Weigher | None,
    domains: Domains | None,
    opened: Mapping[str, BinaryIO],
) -> Iterator[tuple[UInt8s, Float64s]]:
    """Sorted records with their weights; with a weigher or domains, all records of a pair together, those of weight 0 left out.

    Weights of pairs by domain are written to their files.
    """
    blocks = sorted_lines(files.records(), memory, scratch)
    if weigher is None and domains is None:
        for block in blocks:
            yield block, _weights(files, block, *line_bounds(block))
        return
    carried = np.empty(0, np.uint8)
    for block in chain(blocks, [np.empty(0, np.uint8)]):
        text = np.concatenate([carried, block])
        begins, ends = line_bounds(text)
        new = first_of_pairs(text, begins, ends, files.trailer)
        # The last pair may have more records in the next block.
        count = int(np.flatnonzero(new)[-1]) if len(block) else len(begins)
        carried = text[begins[count] :] if count < len(begins) else text[:0]
        begins, ends = begins[:count], ends[:count]
        pairs, sentences = np.cumsum(new[:count]) - 1, _numbers(files, text, begins, ends)
        weights = np.ones(count) if weigher is None else weigher(pairs, sentences)
        # What weighs next to nothing is left out as what weighs nothing.
        kept = np.flatnonzero(weights > LEAST_WEIGHT)
        if domains is not None:
            _, left = np.unique(pairs[kept], return_inverse=True)
            counts = domains.counts(left, sentences[kept], weights[kept])
            opened["domain-sizes"].write(np.diff(counts.offsets).astype(np.int32).tobytes())
            opened["domains"].write(counts.ids.tobytes())
            opened["shares"].write(counts.weights.tobytes())
        yield gather_lines(text, begins, ends, kept), weights[kept]


def _weights(files: ExtractFiles, text: UInt8s, begins: Int64s, ends: Int64s) -> Float64s:
    weights: Float64s = record_weights(text, begins, ends, files.trailer)
    # Those of numbered records are negative.
    wrong = np.flatnonzero(~((weights < 0) | (weights > LEAST_WEIGHT) & (weights <= MOST_WEIGHT)))
    if len(wrong):
        numbers = f"number above {LEAST_WEIGHT:g} and up to {MOST_WEIGHT:g}"
        why = f"has a weight that is no {numbers}, nor the number of a sentence pair, as #45"
        files.refuse_record(text[begins[wrong[0]] : ends[wrong[0]]].tobytes(), why)
    return np.where(weights < 0, 1.0, weights)


def _numbers(files: ExtractFiles, text: UInt8s, begins: Int64s, ends: Int64s) -> Int64s:
    numbers: Float64s = -record_weights(text, begins, ends, files.trailer)
    wrong = np.flatnonzero(~((numbers > 0) & (numbers <= MOST_WEIGHT)))
    if len(wrong):
        why = "is not numbered by its sentence pair, as #45, which scores and domains need; assay smt extract --numbered does that"
        files.refuse_record(text[begins[wrong[0]] : ends[wrong[0]]].tobytes(), why)
    return numbers.astype(np.int64)


def _and_the_end(blocks: Iterator[tuple[UInt8s, Float64s]]) -> Iterator[tuple[UInt8s | None, Float64s]]:
    yield from blocks
    yield None, np.empty(0)
