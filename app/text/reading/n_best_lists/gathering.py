"""Collection of hypotheses from several files into arrays of n-best lists."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from app.arrays import Float64s, Int32s, Int64s, UInt8s, UInt64s
from app.errors import InputError
from app.text.feature_columns.columns import unequal_components
from app.text.n_best import LONGEST_NAME, MOST_COMPONENTS, Alignments, NBestLists
from app.text.packed_texts import PackedTexts
from app.text.ragged import offsets_of
from app.text.reading.n_best_lists.chunks import Chunks, RowEntries
from app.text.reading.n_best_lists.line_kernels import hash_of, number_column
from app.text.reading.n_best_lists.piles import Pile

__all__ = ["UPLOAD_LIMIT", "Gatherer", "ListHypothesis", "ParsedLines", "check_feature", "name_hash", "refused"]

# Single hypotheses that are moved into the arrays at once.
BATCH_SIZE: Final = 4096
# First slots of the table of columns.
TABLE_SIZE: Final = 1024
# Most columns: features of all hypotheses, each component counted.
MOST_COLUMNS: Final = 1_000_000
# Most hypotheses of an upload: a small gzip file can inflate to gigabytes of values.
UPLOAD_LIMIT: Final = 10_000_000
# Most segments of an upload without texts beside it, and more for each hypothesis: a large number would make many empty lists.
SEGMENT_LIMIT: Final = 1000
SEGMENTS_BY_HYPOTHESIS: Final = 10


@dataclass(frozen=True)
class ListHypothesis:
    """One hypothesis of a segment: text, total, values of its features in order, and links or phrases."""

    segment: int
    text: str
    score: float
    features: Sequence[tuple[str, float]] = ()
    links: Sequence[int] = ()
    phrases: bool = False


class ParsedLines(NamedTuple):
    """Many hypotheses, in the arrays of `parse_lines`."""

    rows: Int64s
    totals: Float64s
    texts: UInt8s
    columns: Int32s
    values: Float64s
    spans: Int32s
    phrases: bool


def name_hash(name: str) -> np.uint64:
    """Return the hash of a feature name."""
    data = np.frombuffer(bytearray(name, "utf-8"), np.uint8) if name else np.empty(0, np.uint8)
    return np.uint64(hash_of(data, 0, len(data)))


def refused(detail: str, place: tuple[str | int, ...]) -> InputError:
    """Return the error about a line; `place` begins with file name and line number (from 1)."""
    return InputError("invalid-table", f"line {place[1]} of {place[0]}: {detail}", place)


def check_feature(name: str, component: int, columns: int) -> None:
    """Raise InputError if a feature exceeds the limits of requests, or `columns` has no room for it."""
    if len(name) > LONGEST_NAME:
        detail = f"a feature's name has at most {LONGEST_NAME} characters; {name[:40]}... has {len(name)}"
        raise InputError("invalid-table", detail, ("n_best",))
    if component >= MOST_COMPONENTS:
        detail = f"a feature has at most {MOST_COMPONENTS} components in a hypothesis; {name} has more"
        raise InputError("invalid-table", detail, ("n_best",))
    if columns >= MOST_COLUMNS:
        raise InputError("invalid-table", f"n-best lists have at most {MOST_COLUMNS} features; these have more", ("n_best",))


@dataclass(eq=False)
class ColumnTable:
    """Columns by feature name and component; kernels find them by the hash of the name."""

    names: list[str] = field(default_factory=list)
    keys: UInt64s = field(default_factory=lambda: np.zeros(TABLE_SIZE, np.uint64))
    numbers: Int64s = field(default_factory=lambda: np.zeros(TABLE_SIZE, np.int64))
    places: dict[tuple[str, int], int] = field(default_factory=dict)

    def number(self, name: str, component: int) -> int:
        """Return the column of a component; add it if it is new."""
        key = (name, component)
        if key not in self.places:
            columns = len(self.names)
            check_feature(name, component, columns)
            column, self.keys, self.numbers = number_column(name_hash(name), component, self.keys, self.numbers, columns)
            if column == columns:
                self.names.append(name)
            self.places[key] = int(column)
        return self.places[key]


def _ends() -> Pile:
    """Return offsets of zero rows, ready to grow."""
    ends = Pile(np.int64)
    ends.extend(np.zeros(1, np.int64))
    return ends


@dataclass(eq=False)
class Gatherer:
    """Hypotheses of all files so far, in flat arrays that grow."""

    table: ColumnTable = field(default_factory=ColumnTable)
    features: Chunks = field(default_factory=Chunks)
    texts: Pile = field(default_factory=lambda: Pile(np.uint8))
    text_lengths: Pile = field(default_factory=lambda: Pile(np.int32))
    segments: Pile = field(default_factory=lambda: Pile(np.int32))
    scores: Pile = field(default_factory=lambda: Pile(np.float64))
    spans: Pile = field(default_factory=lambda: Pile(np.int32))
    span_ends: Pile = field(default_factory=_ends)
    file_ends: list[int] = field(default_factory=list)
    file_names: list[str] = field(default_factory=list)
    phrases: bool = False
    waiting: list[ListHypothesis] = field(default_factory=list)
    limit: int | None = None

    def __len__(self) -> int:
        return len(self.scores) + len(self.waiting)

    def add(self, hypothesis: ListHypothesis) -> None:
        """Append a hypothesis."""
        self.waiting.append(hypothesis)
        if len(self.waiting) == BATCH_SIZE:
            self.flush()

    def extend(self, hypotheses: Iterable[ListHypothesis]) -> None:
        """Append hypotheses."""
        for hypothesis in hypotheses:
            self.add(hypothesis)

    def take(self, lines: ParsedLines) -> None:
        """Append many hypotheses at once; InputError if there are too many."""
        self.flush()
        self._check_count()
        self._align(lines.rows[:, 3], lines.spans.ravel())
        self.text_lengths.extend(np.diff(lines.rows[:, 1], prepend=0))
        self.texts.extend(lines.texts)
        self.segments.extend(lines.rows[:, 0])
        self.scores.extend(lines.totals)
        self.phrases = self.phrases or lines.phrases
        self.features.take(RowEntries(lines.rows[:, 2].copy(), lines.columns, lines.values), self.table.names)

    def _check_count(self) -> None:
        if self.limit is not None and len(self.scores) > self.limit:
            raise InputError("too-many-segments", f"at most {self.limit} hypotheses are read from files", ("n_best",))

    def flush(self) -> None:
        """Move waiting hypotheses into the arrays, to keep the order; InputError if there are too many."""
        self._check_count()
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        columns, values = array("i"), array("d")
        ends, text_ends, span_ends = [], [], []
        texts, spans = bytearray(), array("i")
        for hypothesis in waiting:
            texts += hypothesis.text.encode("utf-8", "surrogatepass")
            text_ends.append(len(texts))
            spans.extend(hypothesis.links)
            span_ends.append(len(spans) // 4)
            standing: dict[str, int] = {}
            for name, value in hypothesis.features:
                component = standing.get(name, 0)
                standing[name] = component + 1
                columns.append(self.table.number(name, component))
                values.append(value)
            ends.append(len(values))
            self.phrases = self.phrases or hypothesis.phrases
        self._align(np.array(span_ends), np.array(spans, np.int32))
        self.text_lengths.extend(np.diff(text_ends, prepend=0))
        self.texts.extend(np.array(texts))
        self.segments.extend(np.array([hypothesis.segment for hypothesis in waiting]))
        self.scores.extend(np.array([hypothesis.score for hypothesis in waiting]))
        entries = RowEntries(np.array(ends, np.int64), np.array(columns, np.int32), np.array(values, np.float64))
        self.features.take(entries, self.table.names)

    def _align(self, ends: Int64s, spans: Int32s) -> None:
        """Append the spans of new hypotheses; earlier hypotheses without spans get empty rows."""
        if len(spans) and not len(self.spans):
            self.span_ends.extend(np.zeros(len(self.scores), np.int64))
        if len(spans) or len(self.spans):
            self.span_ends.extend(ends + len(self.spans) // 4)
            self.spans.extend(spans)

    def lists(self, segments: int = 0, sources: int = 0) -> tuple[NBestLists, Int32s]:
        """Return lists of at least `segments` segments, in order of arrival, and the file index of each hypothesis (h,).

        InputError for an upload whose numbers leave out most segments, without as many `sources`.
        """
        self.flush()
        hypotheses, numbers = len(self), self.segments.to_array()
        order = None if (numbers[:-1] <= numbers[1:]).all() else np.argsort(numbers, kind="stable")
        count = max(segments, int(numbers.max(initial=-1)) + 1)
        limit = max(segments, sources, SEGMENT_LIMIT + SEGMENTS_BY_HYPOTHESIS * hypotheses)
        if self.limit is not None and count > limit:
            detail = f"segment {count - 1} of only {hypotheses} hypotheses; number segments from 0, or send their sources too"
            raise InputError("invalid-table", detail, ("n_best",))
        # `np.bincount` would copy the numbers into a larger type.
        offsets = np.searchsorted(numbers if order is None else numbers[order], np.arange(count + 1, dtype=np.int32))
        # Free these numbers before the largest arrays are made.
        del numbers
        self.segments = Pile(np.int32)
        columns = self.features.as_columns(self.table.names)
        if (fault := unequal_components(columns)) is not None:
            file = int(np.searchsorted(self.file_ends, fault.row, "right")) if self.file_ends else 0
            hypothesis = fault.row + 1 - (self.file_ends[file - 1] if file else 0)
            place: tuple[str | int, ...] = (*self.file_names[file : file + 1], hypothesis)
            of_file = f" of {place[0]}" if len(place) > 1 else ""
            raise InputError("invalid-table", f"hypothesis {hypothesis}{of_file}: {fault.detail}", place)
        lists = NBestLists(
            offsets if order is None else np.arange(hypotheses + 1),
            PackedTexts(self.texts.to_array(), offsets_of(self.text_lengths.to_array())),
            self.scores.to_array(),
            columns.names,
            columns.dense,
            Alignments(self.span_ends.to_array(), self.spans.to_array().reshape(-1, 4), self.phrases) if len(self.spans) else None,
            columns.sparse,
        )
        files: Int32s = np.broadcast_to(np.int32(0), hypotheses)
        if len(self.file_ends) > 1:
            files = np.repeat(np.arange(len(self.file_ends), dtype=np.int32), np.diff(self.file_ends, prepend=0))
        if order is None:
            return lists, files
        return lists.of_hypotheses(order, offsets), files[order]
