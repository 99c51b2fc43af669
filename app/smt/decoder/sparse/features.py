"""All sparse features of a system: what its configuration names, their weights, and their names so far."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.smt.corpus.phrases.table_text import TableBlock
from app.smt.decoder.sparse.boundary_features import BoundaryFeature
from app.smt.decoder.sparse.names import Origin, RowFeatures, SparseNames, summed_rows
from app.smt.decoder.sparse.pair_features import PairFeature, Pairs

__all__ = ["SparseFeatures", "SparseWeights"]


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """Features of pairs and of boundaries in the order of the configuration, and the weights that this has, by name."""

    pairs: tuple[PairFeature, ...] = ()
    boundaries: tuple[BoundaryFeature, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    names: SparseNames = field(default_factory=SparseNames)

    def vector(self) -> Float64s:
        """The configuration's weights by number; those of names that it does not have are 0."""
        return np.array([self.weights.get(name, 0.0) for name in self.names.names])

    def of_table(self, table: str) -> Callable[[TableBlock], RowFeatures | None]:
        """What says the features of the lines of a table by its name."""
        return lambda block: self.of_block(block, table)

    def own_of_table(self, rows: RowFeatures | None, chosen: Int64s) -> RowFeatures | None:
        """Of some rows what the table's own column has; None where there is nothing."""
        own = self.names.of_origin(Origin.TABLE)
        return None if rows is None or not own.any() else rows.rows(chosen).only(own)

    def of_block(self, block: TableBlock, table: str) -> RowFeatures | None:
        """Features of the lines of a table, its own column's among them; None where there can be none."""
        own = block.sparse_features()
        if own and "_" in table:
            detail = f"{table} has sparse features, so that its name may have no underscore, which ends it in theirs"
            raise InputError("invalid-request", detail)
        if not self.pairs and not own:
            return None
        rows = [np.array([row for row, _, _ in own], np.int64)]
        numbers = [np.array([self.names.number(f"{table}_{name}", Origin.TABLE) for _, name, _ in own], np.int64)]
        values = [np.array([value for _, _, value in own])]
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
        """Names of the features of a pair that is in no table, each as often as it counts."""
        return [f"{feature.name}_{name}" for feature in self.pairs for name in feature.names(source, target, links)]


def _pairs(block: TableBlock) -> Pairs:
    sources, targets = block.source_words(), block.target_words()
    rows = np.repeat(np.arange(len(block)), np.diff(block.link_offsets))
    links = block.links.astype(np.int64)
    return Pairs((sources[0], targets[0]), (sources[1], targets[1]), (sources[2], targets[2]), rows, (links[::2], links[1::2]))


@dataclass(frozen=True, eq=False)
class SparseWeights:
    """Weights of sparse features that are not 0: by name, and of each feature of boundaries by the left class and the right one."""

    by_name: Mapping[str, float]
    by_classes: tuple[Mapping[str, Mapping[str, float]], ...]

    @classmethod
    def of(cls, features: SparseFeatures, vector: Float64s) -> "SparseWeights":
        """Those of a vector by number, which may be of the first names alone."""
        by_name = {name: weight for name, weight in zip(features.names.names, vector.tolist(), strict=False) if weight}
        by_classes = tuple(_by_classes(feature.beginning, by_name) for feature in features.boundaries)
        return cls(by_name, by_classes)

    def of_names(self, names: Sequence[str]) -> float:
        """The sum of the weights of names."""
        return sum(self.by_name.get(name, 0.0) for name in names)


def _by_classes(beginning: str, weights: Mapping[str, float]) -> Mapping[str, Mapping[str, float]]:
    """A name does not say which of its colons divides it: each may, and all classes that make the name have its weight."""
    made: dict[str, dict[str, float]] = {}
    for name, weight in weights.items():
        if name.startswith(beginning):
            body = name[len(beginning) :]
            for at, character in enumerate(body):
                if character == ":":
                    made.setdefault(body[:at], {})[body[at + 1 :]] = weight
    return made
