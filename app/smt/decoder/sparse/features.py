"""All sparse features of a system: configured features, their weights, and their names so far."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.smt.corpus.phrases.table_text import TableBlock
from app.smt.decoder.sparse.boundary_features import BoundaryFeature
from app.smt.decoder.sparse.names import FeatureOrigin, RowFeatures, SparseNames, summed_rows
from app.smt.decoder.sparse.pair_features import PairFeature, PhrasePairArrays

__all__ = ["SparseFeatures", "SparseWeights"]


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """Features of pairs and of boundaries in the configuration's order, and the configuration's weights by name."""

    pairs: tuple[PairFeature, ...] = ()
    boundaries: tuple[BoundaryFeature, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    names: SparseNames = field(default_factory=SparseNames)

    def vector(self) -> Float64s:
        """Weights in the order of feature numbers; 0 for a feature without a configured weight; shape (names,)."""
        return np.array([self.weights.get(name, 0.0) for name in self.names.names])

    def of_table(self, table: str) -> Callable[[TableBlock], RowFeatures | None]:
        """Function from a block of a table's lines to their features."""
        return lambda block: self.of_block(block, table)

    def own_of_table(self, rows: RowFeatures | None, indices: Int64s) -> RowFeatures | None:
        """Features from the table's own column in these rows; None if it has none."""
        mask = self.names.of_origin(FeatureOrigin.TABLE)
        return None if rows is None or not mask.any() else rows.rows(indices).with_numbers(mask)

    def of_block(self, block: TableBlock, table: str) -> RowFeatures | None:
        """Features of the lines of a table, including its own column; None if there can be none."""
        column_features = block.sparse_features()
        if column_features and "_" in table:
            detail = (
                f"the name of table {table} has an underscore, which ends it in names of sparse features; choose a name without one"
            )
            raise InputError("invalid-request", detail)
        if not self.pairs and not column_features:
            return None
        rows = [np.array([row for row, _, _ in column_features], np.int64)]
        numbers = [
            np.array([self.names.number(f"{table}_{name}", FeatureOrigin.TABLE) for _, name, _ in column_features], np.int64)
        ]
        values = [np.array([value for _, _, value in column_features])]
        pairs = _pairs(block)
        for feature in self.pairs:
            for entries in feature.entries(pairs):
                keys, places = np.unique(entries.keys, return_inverse=True)
                of_keys = [self.names.number(f"{feature.name}_{entries.name_of(key)}", feature.origin) for key in keys.tolist()]
                rows.append(entries.rows)
                numbers.append(np.array(of_keys, np.int64)[places.reshape(-1)])
                values.append(np.ones(len(entries.rows)))
        return summed_rows(len(block), np.concatenate(rows), np.concatenate(numbers), np.concatenate(values))

    def names_of_pair(self, source: Sequence[str], target: Sequence[str], links: Sequence[tuple[int, int]]) -> list[str]:
        """Names of the features of a pair outside tables, each as often as it counts."""
        return [f"{feature.name}_{name}" for feature in self.pairs for name in feature.names(source, target, links)]


def _pairs(block: TableBlock) -> PhrasePairArrays:
    sources, targets = block.source_words(), block.target_words()
    rows = np.repeat(np.arange(len(block)), np.diff(block.link_offsets))
    links = block.links.astype(np.int64)
    return PhrasePairArrays(
        (sources[0], targets[0]), (sources[1], targets[1]), (sources[2], targets[2]), rows, (links[::2], links[1::2])
    )


@dataclass(frozen=True, eq=False)
class SparseWeights:
    """Nonzero weights of sparse features: by name, and for each boundary feature by left class and right class."""

    by_name: Mapping[str, float]
    by_classes: tuple[Mapping[str, Mapping[str, float]], ...]

    @classmethod
    def of(cls, features: SparseFeatures, vector: Float64s) -> "SparseWeights":
        """Weights of a vector by number; it may end before the last names."""
        by_name = {name: weight for name, weight in zip(features.names.names, vector.tolist(), strict=False) if weight}
        by_classes = tuple(_by_classes(feature.beginning, by_name) for feature in features.boundaries)
        return cls(by_name, by_classes)

    def of_names(self, names: Sequence[str]) -> float:
        """Sum of the weights of names."""
        return sum(self.by_name.get(name, 0.0) for name in names)


def _by_classes(beginning: str, weights: Mapping[str, float]) -> Mapping[str, Mapping[str, float]]:
    """Weights by left and right class.

    The separating colon of a name is ambiguous: every split of the name gets its weight.
    """
    result: dict[str, dict[str, float]] = {}
    for name, weight in weights.items():
        if name.startswith(beginning):
            body = name[len(beginning) :]
            for at, character in enumerate(body):
                if character == ":":
                    result.setdefault(body[:at], {})[body[at + 1 :]] = weight
    return result
