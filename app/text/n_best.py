"""N-best lists of n segments as arrays."""

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.text.feature_columns.columns import FeatureColumns, UnequalComponents, columns_of_entries, components, unequal_components
from app.text.feature_columns.sparse import SparseColumns
from app.text.packed_texts import PackedTexts
from app.text.ragged import offsets_of, ragged_rows

__all__ = ["LONGEST_NAME", "MOST_COMPONENTS", "Alignments", "NBestLists"]

# Limits: characters of a feature's name, and components of one feature in one hypothesis.
LONGEST_NAME: Final = 200
MOST_COMPONENTS: Final = 1000


@dataclass(frozen=True)
class Alignments:
    """Links of hypotheses to their sources: those of hypothesis h are ``spans[offsets[h]:offsets[h + 1]]``.

    A span is its first and last source word, then its first and last target word; all four from 0. `phrases` says whether the
    spans are phrases; links of words are spans of one word each.
    """

    offsets: Int64s
    spans: Int32s
    phrases: bool = False

    def rows(self, rows: Int64s) -> "Alignments":
        """Return the links of some hypotheses."""
        places, offsets = ragged_rows(self.offsets, rows)
        return Alignments(offsets, self.spans[places], self.phrases)


@dataclass(frozen=True, eq=False)
class NBestLists:
    """The lists of n segments, h hypotheses in all, each list in the decoder's order.

    Segment i has the hypotheses ``offsets[i]:offsets[i + 1]``: rows of `texts`, of `scores` (the decoder's totals, logs) and of
    `features`. A feature has one column for each component, in order, and `names` repeats its name. NaN marks a feature that a
    hypothesis lacks. Rare features are in `sparse` if a matrix of all features would be nearly empty.
    """

    offsets: Int64s
    texts: PackedTexts
    scores: Float64s
    names: tuple[str, ...]
    features: Float64s
    alignments: Alignments | None = None
    sparse: SparseColumns | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[range]:
        """Yield the hypotheses of each segment, as a range of rows."""
        return (range(begin, end) for begin, end in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True))

    @cached_property
    def lengths(self) -> Int64s:
        """Number of hypotheses of each segment; shape (n,)."""
        return np.diff(self.offsets)

    @cached_property
    def segments(self) -> Int64s:
        """The segment of each hypothesis; shape (h,)."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @cached_property
    def values(self) -> Float64s:
        """Dense features for weighted sums: 0 for each missing feature; shape (h, len(names))."""
        return np.nan_to_num(self.features, nan=0.0, posinf=np.inf, neginf=-np.inf)

    @cached_property
    def _columns(self) -> Mapping[str, Sequence[int]]:
        columns: dict[str, list[int]] = {}
        for k, name in enumerate(self.names):
            columns.setdefault(name, []).append(k)
        return columns

    def columns(self, name: str) -> list[int]:
        """Return the dense columns of a feature, in the order of its components; empty for a sparse feature."""
        return list(self._columns.get(name, ()))

    def components(self, name: str, hypotheses: Int64s) -> Float64s:
        """Return a feature of m hypotheses, dense or sparse; (m, components), NaN for a missing component."""
        if name in self._columns or self.sparse is None:
            return self.features[hypotheses][:, self.columns(name)]
        return self.sparse.of_name(name, hypotheses)

    def named(self, h: int) -> dict[str, list[float]]:
        """Return the components of each feature of a hypothesis by name, dense features first."""
        row = self.features[h].tolist()
        named = {name: [row[k] for k in columns if not isnan(row[k])] for name, columns in self._columns.items()}
        named = {name: values for name, values in named.items() if values}
        for name, value in () if self.sparse is None else self.sparse.of_row(h):
            named.setdefault(name, []).append(value)
        return named

    def unequal_components(self) -> UnequalComponents | None:
        """The first hypothesis in which a feature has some of its components but not all; None without one."""
        return unequal_components(FeatureColumns(self.names, self.features, self.sparse))

    def rows(self, rows: Int64s) -> "NBestLists":
        """Return the lists of some segments."""
        return self.of_hypotheses(*ragged_rows(self.offsets, rows))

    def of_hypotheses(self, places: Int64s, offsets: Int64s) -> "NBestLists":
        """Return lists of some hypotheses; list i has those at ``places[offsets[i]:offsets[i + 1]]``."""
        return NBestLists(
            offsets,
            self.texts.rows(places),
            self.scores[places],
            self.names,
            self.features[places],
            None if self.alignments is None else self.alignments.rows(places),
            None if self.sparse is None else self.sparse.rows(places),
        )

    @classmethod
    def joined(cls, parts: Sequence["NBestLists"]) -> "NBestLists":
        """Concatenate lists, columns matched by feature name. Alignments remain only if all parts have them."""
        if len(parts) == 1:
            return parts[0]
        columns = _joined_columns(parts)
        alignments = [part.alignments for part in parts if part.alignments is not None]
        return cls(
            offsets_of(np.concatenate([part.lengths for part in parts])),
            PackedTexts(
                np.concatenate([part.texts.data for part in parts]),
                offsets_of(np.concatenate([np.diff(part.texts.offsets) for part in parts])),
            ),
            np.concatenate([part.scores for part in parts]),
            columns.names,
            columns.dense,
            _joined(alignments) if len(alignments) == len(parts) else None,
            columns.sparse,
        )

    def content(self) -> Iterator[bytes | memoryview]:
        """Yield types, shapes and bytes of all arrays but alignments, for checksums; a missing feature counts 0."""
        arrays: list[Any] = [self.offsets, self.texts.offsets, self.texts.data, self.scores, self.values]
        arrays += [] if self.sparse is None else [self.sparse.offsets, self.sparse.columns, self.sparse.values]
        for values in arrays:
            yield f"{values.dtype.str}{values.shape}".encode()
            yield np.ascontiguousarray(values).data

    def digest(self) -> str:
        """SHA-256 of names and content."""
        digest = hashlib.sha256(repr([self.names, () if self.sparse is None else self.sparse.names]).encode())
        for part in self.content():
            digest.update(part)
        return digest.hexdigest()

    def as_json(self) -> list[list[dict[str, Any]]]:
        """Return JSON: for each segment its hypotheses, each with text, score and features by name."""
        texts, scores = list(self.texts), self.scores.tolist()
        return [[{"text": texts[h], "score": scores[h], "features": self.named(h)} for h in hypotheses] for hypotheses in self]

    @classmethod
    def from_json(cls, lists: Iterable[Iterable[Mapping[str, Any]]]) -> "NBestLists":
        """Read the output of `as_json`; `features` are optional."""
        rows = [list(row) for row in lists]
        entries = [entry for row in rows for entry in row]
        keys: dict[tuple[str, int], int] = {}
        row_of, columns, values = array("q"), array("q"), array("d")
        for h, entry in enumerate(entries):
            for name, part in entry.get("features", {}).items():
                for component, value in enumerate(part):
                    row_of.append(h)
                    columns.append(keys.setdefault((name, component), len(keys)))
                    values.append(value)
        features = columns_of_entries(
            tuple(name for name, _ in keys), len(entries), np.array(row_of), np.array(columns), np.array(values)
        )
        return cls(
            offsets_of([len(row) for row in rows]),
            PackedTexts.of(entry["text"] for entry in entries),
            np.array([entry["score"] for entry in entries], np.float64),
            features.names,
            features.dense,
            sparse=features.sparse,
        )


def _joined_columns(parts: Sequence[NBestLists]) -> FeatureColumns:
    """Concatenate the features of all parts, columns matched by name and component."""
    keys: dict[tuple[str, int], int] = {}
    rows, row_of, columns, values = 0, [], [], []
    for part in parts:
        dense, names = part.features, part.names
        places = np.array([keys.setdefault(key, len(keys)) for key in components(names)], np.int64)
        h, k = np.nonzero(~np.isnan(dense))
        row_of.append(rows + h)
        columns.append(places[k])
        values.append(dense[h, k])
        if part.sparse is not None:
            places = np.array([keys.setdefault(key, len(keys)) for key in components(part.sparse.names)], np.int64)
            row_of.append(rows + part.sparse.row_of_entries())
            columns.append(places[part.sparse.columns])
            values.append(part.sparse.values)
        rows += len(part.scores)
    names = tuple(name for name, _ in keys)
    return columns_of_entries(names, rows, np.concatenate(row_of), np.concatenate(columns), np.concatenate(values))


def _joined(parts: Sequence[Alignments]) -> Alignments:
    return Alignments(
        offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])),
        np.concatenate([part.spans for part in parts]),
        any(part.phrases for part in parts),
    )
