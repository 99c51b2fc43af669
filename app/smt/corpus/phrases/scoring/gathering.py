"""Phrase pairs with counts: sorted records become columns on disk, for a second pass block by block."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final, Protocol

import numpy as np

from app.arrays import Bools, Float32s, Float64s, Int16s, Int64s, UInt8s, UInt64s
from app.smt.corpus.external_sort import sorted_lines
from app.smt.corpus.phrases.lexical import LexicalProbabilities
from app.smt.corpus.phrases.lexical_kernels import NULL_WORD, word_hash
from app.smt.corpus.phrases.scoring.additions.domains import DomainCounts, Domains
from app.smt.corpus.phrases.scoring.additions.function_words import FunctionWords
from app.smt.corpus.phrases.scoring.discounting import HIGHEST_COUNT, as_counts
from app.smt.corpus.phrases.scoring.extract_files import ExtractFiles
from app.smt.corpus.phrases.scoring.pair_kernels import (
    EVENTS,
    LEAST_WEIGHT,
    MOST_WEIGHT,
    NO_COLUMNS,
    NO_FAULT,
    first_of_pairs,
    gather_pairs,
    record_weights,
    repeated_records,
)
from app.smt.corpus.phrases.scoring.table_kernels import gather_columns
from app.smt.corpus.sorting_kernels import gather_lines, line_bounds

__all__ = ["GatheredPairs", "PairBlock", "Weigher", "gather"]

# Files of columns for the second pass.
COLUMNS: Final = ("text", "lengths", "numbers", "new", "source", "events", "unaligned", "domain-sizes", "domains", "shares")
# Rows of a block of hashes.
HASHES: Final = 1 << 20
# Bytes of memory for each pair while pairs are grouped by target.
GROUP_BYTES: Final = 64


class Weigher(Protocol):
    """Weights of extracted phrase pairs, from their sentence pairs."""

    @property
    def sentences(self) -> int:
        """Number of sentence pairs with weights."""
        ...

    @property
    def options(self) -> Sequence[str]:
        """Options of the command line, for manifests."""
        ...

    def __call__(self, pairs: Int64s, sentences: Int64s) -> Float64s:
        """Weights of records, shape (records,), from indices of their phrase pair (from 0) and of their sentence pair (from 1)."""
        ...


@dataclass(frozen=True)
class PairBlock:
    """Successive phrase pairs, in the order of lines.

    - `text`, `offsets` (3 * pairs + 1,): source, target and links of each pair
    - `numbers` (pairs, 3): weight, lexical weights p(s|t) and p(t|s)
    - `source`, `target` (pairs, 2): total weight and number of pairs of the phrase
    - `events` (pairs, models, 2, 5): counts of orientations
    - `new` (pairs,): True where a new source begins
    - `domains`: weights by domain
    - `unaligned_counts` (pairs, 4): unlinked words of source and target, unlinked function words of both; (pairs, 0) without counts
    """

    text: UInt8s
    offsets: Int64s
    numbers: Float64s
    source: Float64s
    target: Float64s
    events: Float32s
    new: Bools
    domains: DomainCounts
    unaligned_counts: Int16s


@dataclass
class GatheredPairs:
    """All phrase pairs, as column files of a folder. ``counts[k]`` is the number of pairs extracted k times."""

    folder: Path
    models: int
    unaligned: bool
    blocks: list[tuple[int, int]] = field(default_factory=list)
    counts: Int64s = field(default_factory=lambda: np.zeros(HIGHEST_COUNT + 2, np.int64))
    sources: int = 0

    def __len__(self) -> int:
        return sum(rows for rows, _ in self.blocks)

    def path(self, column: str) -> Path:
        """Path of the file of a column."""
        return self.folder / f"column-{column}"

    def total_targets(self, memory: int) -> None:
        """Write total weight and number of pairs of each target; the passes over hashes depend on `memory`."""
        rows = len(self)
        passes = 1 << max(0, (rows * GROUP_BYTES // memory).bit_length())
        totals = np.memmap(self.path("target"), np.float64, "w+", shape=(max(rows, 1), 2))
        for share in range(passes):
            places, keys, weights = [np.empty(0, np.int64)], [np.empty(0, np.uint64)], [np.empty(0)]
            for first in range(0, rows, HASHES):
                hashes: UInt64s = np.fromfile(self.path("hash"), np.uint64, HASHES, offset=8 * first)
                numbers = np.fromfile(self.path("numbers"), np.float64, 3 * len(hashes), offset=24 * first)
                rows_of_share = np.flatnonzero(hashes % np.uint64(passes) == share)
                places.append(rows_of_share + first)
                keys.append(hashes[rows_of_share])
                weights.append(numbers[::3][rows_of_share])
            _, group = np.unique(np.concatenate(keys), return_inverse=True)
            if len(group):
                total = np.bincount(group, weights=np.concatenate(weights))
                totals[np.concatenate(places)] = np.stack([total, np.bincount(group)], axis=1)[group]
        totals.flush()

    def read(self) -> Iterator[PairBlock]:
        """Yield all blocks, in order."""
        files = {name: self.path(name).open("rb") for name in (*COLUMNS, "target")}
        last_total = np.zeros((1, 2))
        try:
            for rows, size in self.blocks:
                new = np.fromfile(files["new"], np.bool_, rows)
                # Row of each source in the totals; row 0 is the last source of the previous block.
                groups = np.cumsum(new)
                fresh = np.fromfile(files["source"], np.float64, 2 * int(groups[-1])).reshape(-1, 2)
                totals = np.concatenate([last_total, fresh])
                last_total = totals[-1:]
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
    """Weights by domain of the next rows; none without domains."""
    sizes = np.fromfile(files["domain-sizes"], np.int32, rows)
    offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    entries = int(offsets[-1])
    return DomainCounts(
        offsets, np.fromfile(files["domains"], np.int32, entries), np.fromfile(files["shares"], np.float32, entries)
    )


@dataclass
class _Writer:
    """Writer of columns. It writes the totals of a source when the next source begins."""

    pairs: GatheredPairs
    files: Mapping[str, BinaryIO]
    last_source: bytes = b""
    open_total: Float64s = field(default_factory=lambda: np.zeros(2))

    def add(
        self,
        text: UInt8s,
        places: Int64s,
        numbers: Float64s,
        hashes: UInt64s,
        new: Bools,
        events: Float32s,
        unaligned_counts: Int16s,
    ) -> None:
        if not len(places):
            return
        source = text[places[0, 0] : places[0, 1]].tobytes()
        new[0] = source != self.last_source
        self.last_source = text[places[-1, 0] : places[-1, 1]].tobytes()
        groups = np.cumsum(new)
        totals = np.stack([np.bincount(groups, weights=numbers[:, 0]), np.bincount(groups)], axis=1)
        totals[0] += self.open_total
        # Row 0 belongs to the source of the previous block; before the first source it is empty.
        complete_totals = totals[:-1] if self.pairs.sources else totals[1:-1]
        self.pairs.sources += int(groups[-1])
        self.open_total = totals[-1]
        texts, offsets = gather_columns(text, places)
        columns: dict[str, Any] = {
            "text": texts, "lengths": np.diff(offsets).astype(np.int32), "numbers": numbers, "hash": hashes[:, 1], "new": new,
            "source": complete_totals, "events": events,
            "unaligned": unaligned_counts if self.pairs.unaligned else unaligned_counts[:0],
        }  # fmt: skip
        for name, column in columns.items():
            self.files[name].write(np.ascontiguousarray(column).tobytes())
        self.pairs.blocks.append((len(places), len(texts)))
        self.pairs.counts += np.bincount(np.minimum(as_counts(numbers[:, 0]), HIGHEST_COUNT + 1), minlength=HIGHEST_COUNT + 2)


def gather(
    files: ExtractFiles,
    e2f: LexicalProbabilities,
    f2e: LexicalProbabilities,
    memory: int,
    scratch: Path,
    weigher: Weigher | None = None,
    domains: Domains | None = None,
    function_words: FunctionWords | None = None,
) -> GatheredPairs:
    """Sort extracted records, and gather phrase pairs with counts and lexical weights, as columns in `scratch`.

    A `weigher` or `domains` need records with numbers of sentence pairs in the fourth column, as ``#45``, or ``45`` in files of
    Moses. Without them a numbered
    record counts 1, and so does a record without this column. With `function_words` unlinked words are counted.
    """
    pairs = GatheredPairs(scratch, len(files.units), function_words is not None)
    null = np.uint64(word_hash(NULL_WORD, 0, len(NULL_WORD)))
    function = function_words or FunctionWords.empty()
    tables = (null, f2e.slots, f2e.numbers, e2f.slots, e2f.numbers, function.source, function.target)
    column_files = {name: pairs.path(name).open("wb") for name in (*COLUMNS, "hash")}
    try:
        writer = _Writer(pairs, column_files)
        pending, pending_weights = np.empty(0, np.uint8), np.empty(0)
        for block, block_weights in _and_the_end(_weighted(files, memory, scratch, weigher, domains, column_files)):
            last = block is None
            text = pending if block is None else np.concatenate([pending, block])
            begins, ends = line_bounds(text)
            weights = np.concatenate([pending_weights, block_weights])
            places, numbers, hashes, new, events, unaligned_counts, first_pending, fault, at = gather_pairs(
                text, begins, ends, weights, files.trailer, last, *tables
            )
            if fault != NO_FAULT:
                reason = "is no phrase pair" if fault == NO_COLUMNS else "has a malformed link, or a link beyond its phrases"
                files.refuse_record(text[begins[at] : ends[at]].tobytes(), reason)
            writer.add(text, places, numbers, hashes, new, events, unaligned_counts)
            pending_rows, pending_weights = repeated_records(text, begins, ends, weights, first_pending)
            pending = gather_lines(text, begins, ends, pending_rows)
        column_files["source"].write(writer.open_total.tobytes())
    finally:
        for file in column_files.values():
            file.close()
    return pairs


def _weighted(
    files: ExtractFiles,
    memory: int,
    scratch: Path,
    weigher: Weigher | None,
    domains: Domains | None,
    column_files: Mapping[str, BinaryIO],
) -> Iterator[tuple[UInt8s, Float64s]]:
    """Yield sorted records with weights; with a weigher or domains, complete phrase pairs without records of weight 0.

    Writes weights by domain to their files.
    """
    blocks = sorted_lines(files.records(), memory, scratch)
    if weigher is None and domains is None:
        for block in blocks:
            yield block, _weights(files, block, *line_bounds(block))
        return
    pending = np.empty(0, np.uint8)
    for block in chain(blocks, [np.empty(0, np.uint8)]):
        text = np.concatenate([pending, block])
        begins, ends = line_bounds(text)
        new = first_of_pairs(text, begins, ends, files.trailer)
        # The last pair may have more records in the next block.
        count = int(np.flatnonzero(new)[-1]) if len(block) else len(begins)
        pending = text[begins[count] :] if count < len(begins) else text[:0]
        begins, ends = begins[:count], ends[:count]
        pairs, sentences = np.cumsum(new[:count]) - 1, _numbers(files, text, begins, ends)
        weights = np.ones(count) if weigher is None else weigher(pairs, sentences)
        # Weights below the limit count as 0, so these records are dropped.
        rows = np.flatnonzero(weights > LEAST_WEIGHT)
        if domains is not None:
            _, pair_ids = np.unique(pairs[rows], return_inverse=True)
            counts = domains.counts(pair_ids, sentences[rows], weights[rows])
            column_files["domain-sizes"].write(np.diff(counts.offsets).astype(np.int32).tobytes())
            column_files["domains"].write(counts.ids.tobytes())
            column_files["shares"].write(counts.weights.tobytes())
        yield gather_lines(text, begins, ends, rows), weights[rows]


def _weights(files: ExtractFiles, text: UInt8s, begins: Int64s, ends: Int64s) -> Float64s:
    weights: Float64s = record_weights(text, begins, ends, files.trailer)
    # Numbered records have negative values.
    wrong = np.flatnonzero(~((weights < 0) | (weights > LEAST_WEIGHT) & (weights <= MOST_WEIGHT)))
    if len(wrong):
        numbers = f"number above {LEAST_WEIGHT:g} and up to {MOST_WEIGHT:g}"
        reason = f"has a malformed weight; write a {numbers}, or the number of a sentence pair, as #45"
        files.refuse_record(text[begins[wrong[0]] : ends[wrong[0]]].tobytes(), reason)
    return np.where(weights < 0, 1.0, weights)


def _numbers(files: ExtractFiles, text: UInt8s, begins: Int64s, ends: Int64s) -> Int64s:
    numbers: Float64s = -record_weights(text, begins, ends, files.trailer)
    if files.has_bare_numbers:
        numbers = np.where(numbers == np.floor(numbers), np.abs(numbers), numbers)
    wrong = np.flatnonzero(~((numbers > 0) & (numbers <= MOST_WEIGHT)))
    if len(wrong):
        reason = "lacks the number of its sentence pair, as #45; scores and domains need it: use assay smt extract --numbered"
        files.refuse_record(text[begins[wrong[0]] : ends[wrong[0]]].tobytes(), reason)
    return numbers.astype(np.int64)


def _and_the_end(blocks: Iterator[tuple[UInt8s, Float64s]]) -> Iterator[tuple[UInt8s | None, Float64s]]:
    yield from blocks
    yield None, np.empty(0)
