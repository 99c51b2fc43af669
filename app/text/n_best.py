"""N-best lists of n segments as arrays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.errors import InputError
from app.text.packed_texts import PackedTexts
from app.text.ragged import offsets_of, ragged_rows

__all__ = ["Alignments", "NBestLists", "feature_matrix"]

# A matrix of more cells than the first is refused where it has more than the second for each number in it.
MOST_CELLS: Final = 4_000_000
MOST_CELLS_PER_NUMBER: Final = 16


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
        """Those of some hypotheses."""
        places, offsets = ragged_rows(self.offsets, rows)
        return Alignments(offsets, self.spans[places], self.phrases)


@dataclass(frozen=True, eq=False)
class NBestLists:
    """The lists of n segments, h hypotheses in all, each list in the decoder's order.

    Hypotheses of segment i are ``offsets[i]:offsets[i + 1]`` of `texts`, of `scores` (the decoder's totals, logs) and of the rows
    of `features`. A feature with several components has as many columns, in order, that bear its name in `names`; a hypothesis
    without it has NaN there.
    """

    offsets: Int64s
    texts: PackedTexts
    scores: Float64s
    names: tuple[str, ...]
    features: Float64s
    alignments: Alignments | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[range]:
        """The places of each segment's hypotheses."""
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
        """The features with 0 where a hypothesis lacks one, as a weighted sum wants them; shape (h, len(names))."""
        return np.nan_to_num(self.features, nan=0.0, posinf=np.inf, neginf=-np.inf)

    @cached_property
    def _columns(self) -> Mapping[str, Sequence[int]]:
        columns: dict[str, list[int]] = {}
        for k, name in enumerate(self.names):
            columns.setdefault(name, []).append(k)
        return columns

    def columns(self, name: str) -> list[int]:
        """The columns of a feature's components, in their order."""
        return list(self._columns.get(name, ()))

    def rows(self, rows: Int64s) -> "NBestLists":
        """The lists of some segments."""
        places, offsets = ragged_rows(self.offsets, rows)
        return NBestLists(
            offsets,
            self.texts.rows(places),
            self.scores[places],
            self.names,
            self.features[places],
            None if self.alignments is None else self.alignments.rows(places),
        )

    def with_texts(self, texts: Iterable[str]) -> "NBestLists":
        """The same lists with other texts, one for each hypothesis."""
        return replace(self, texts=PackedTexts.of(texts))

    @classmethod
    def joined(cls, parts: Sequence["NBestLists"]) -> "NBestLists":
        """The lists of several, one after the other; features of one name are the same, alignments stay where all have them."""
        keys: dict[tuple[str, int], int] = {}
        places = [[keys.setdefault(key, len(keys)) for key in _components(part.names)] for part in parts]
        features = _no_features(sum(len(part.scores) for part in parts), len(keys), sum(part.features.size for part in parts))
        begin = 0
        for part, columns in zip(parts, places, strict=True):
            features[begin : begin + len(part.scores), columns] = part.features
            begin += len(part.scores)
        aligned = [part.alignments for part in parts if part.alignments is not None]
        return cls(
            offsets_of(np.concatenate([part.lengths for part in parts])),
            PackedTexts(
                np.concatenate([part.texts.data for part in parts]),
                offsets_of(np.concatenate([np.diff(part.texts.offsets) for part in parts])),
            ),
            np.concatenate([part.scores for part in parts]),
            tuple(name for name, _ in keys),
            features,
            _joined(aligned) if len(aligned) == len(parts) else None,
        )

    def as_json(self) -> list[list[dict[str, Any]]]:
        """Of each segment, of each hypothesis: its text, its score and the components of its features by name."""
        named = {name: self.columns(name) for name in dict.fromkeys(self.names)}
        texts, scores, features = list(self.texts), self.scores.tolist(), self.features.tolist()
        return [
            [{"text": texts[h], "score": scores[h], "features": _present(features[h], named)} for h in hypotheses]
            for hypotheses in self
        ]

    @classmethod
    def from_json(cls, lists: Iterable[Iterable[Mapping[str, Any]]]) -> "NBestLists":
        """What `as_json` wrote; `features` may be left out."""
        rows = [list(row) for row in lists]
        entries = [entry for row in rows for entry in row]
        layouts: dict[tuple[str, ...], int] = {}
        named = [[(name, value) for name, part in entry.get("features", {}).items() for value in part] for entry in entries]
        layout = [layouts.setdefault(tuple(name for name, _ in row), len(layouts)) for row in named]
        values = np.array([value for row in named for _, value in row], np.float64)
        return cls(
            offsets_of([len(row) for row in rows]),
            PackedTexts.of(entry["text"] for entry in entries),
            np.array([entry["score"] for entry in entries], np.float64),
            *feature_matrix(list(layouts), np.array(layout, np.int64), values),
        )


def feature_matrix(layouts: Sequence[Sequence[str]], layout: Int64s, values: Float64s) -> tuple[tuple[str, ...], Float64s]:
    """Names of columns, in order of appearance, and the matrix (h, names) of rows that lie one after the other in `values`.

    Row h holds the features that ``layouts[layout[h]]`` names, a name once per component.
    """
    keys: dict[tuple[str, int], int] = {}
    columns = [np.array([keys.setdefault(key, len(keys)) for key in _components(names)], np.int64) for names in layouts]
    begins = offsets_of(np.array([len(names) for names in layouts], np.int64)[layout])
    if len(layouts) == 1 and values.size:
        # The usual case: every hypothesis has the same features.
        return tuple(name for name, _ in keys), values.reshape(len(layout), len(keys))
    features = _no_features(len(layout), len(keys), len(values))
    order = np.argsort(layout, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(layout, minlength=len(layouts)))[:-1]) if len(layouts) else []
    for places, rows in zip(columns, groups, strict=True):
        if len(places):
            features[rows[:, None], places] = values[begins[rows][:, None] + np.arange(len(places))]
    return tuple(name for name, _ in keys), features


def _no_features(hypotheses: int, columns: int, numbers: int) -> Float64s:
    """A matrix of NaN; InputError where it would be large and hold next to nothing, which small input could ask for."""
    if hypotheses * columns > max(MOST_CELLS, MOST_CELLS_PER_NUMBER * numbers):
        detail = f"{columns} names of features for {hypotheses} hypotheses, each of which has only a few"
        raise InputError("invalid-table", detail, ("n_best",))
    return np.full((hypotheses, columns), np.nan)


def _components(names: Sequence[str]) -> list[tuple[str, int]]:
    """Each name with how often it stood before."""
    counts: dict[str, int] = {}
    keys = []
    for name in names:
        keys.append((name, counts.get(name, 0)))
        counts[name] = counts.get(name, 0) + 1
    return keys


def _present(row: Sequence[float], named: Mapping[str, Sequence[int]]) -> dict[str, list[float]]:
    """The features that a hypothesis has; NaN is unequal to itself."""
    components = {name: [row[k] for k in columns if row[k] == row[k]] for name, columns in named.items()}
    return {name: values for name, values in components.items() if values}


def _joined(parts: Sequence[Alignments]) -> Alignments:
    return Alignments(
        offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])),
        np.concatenate([part.spans for part in parts]),
        any(part.phrases for part in parts),
    )
