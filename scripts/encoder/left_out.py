"""Rows of shipped pairs with readings of networks that have not seen the pair, and predictors trained without a pair."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine import Engine
from app.engine.segments import Segments
from app.features import exact_set, feature_set
from app.predictors import Model
from app.predictors.distribution import Distribution
from app.predictors.training import TrainingSet, train_model
from app.registry.rows import ROWS_FILE, read_rows
from app.resources.manifest import checksum
from app.text.languages import ANY_PAIR, LanguagePair
from scripts.encoder.shipped import CREATED, LICENCE
from scripts.encoder.unseen_file import UNSEEN_FILE, read_unseen
from scripts.mlqe_pe.everything import LABEL_COLUMNS, Split, language_pairs, split_of

__all__ = ["LABELS", "SEED", "SET", "LeftOutRows", "PairRows", "checksum_of", "left_out_rows"]

SET: Final = "any-pair"
LABELS: Final = tuple(LABEL_COLUMNS)
SEED: Final = 12345
READINGS: Final = "cross."
# Training rows of each pair by label. More rows would fit the known pairs better, but not new ones.
ROWS: Final = {"da": 3000, "hter": 1500}
# Raters' scores are standardised by rater, so differences between the means of pairs are no differences of quality. For these
# labels, models learn from features and labels less their pair's mean.
WITHIN: Final = frozenset({"da"})


@dataclass(frozen=True)
class PairRows:
    """Features of a pair in the order of `SET`: values of training rows (`values`) and of dev rows (`dev_values`)."""

    pair: LanguagePair
    values: Float64s
    dev_values: Float64s
    train: Split
    dev: Split


class LeftOutRows:
    """Features of `SET` of all pairs, and predictors that learn from them."""

    def __init__(self, rows: Sequence[PairRows], names: Sequence[str]) -> None:
        self.rows, self.names = rows, names

    @cached_property
    def training_rows(self) -> dict[str, list[Int64s]]:
        """Row numbers of the training rows of each pair, by label."""
        orders = [np.random.default_rng(SEED).permutation(len(row.values)) for row in self.rows]
        return {label: [np.sort(order[:count]) for order in orders] for label, count in ROWS.items()}

    def of_train(self, pair: int, label: str) -> tuple[Float64s, Float64s]:
        """Values and labels of the training rows of a pair."""
        row, numbers = self.rows[pair], self.training_rows[label][pair]
        return row.values[numbers], row.train.labels(label)[numbers]

    def without(self, pair: int) -> list[Model]:
        """A predictor of each label, trained without a pair and calibrated on its dev rows."""
        rest = [rival for rival in range(len(self.rows)) if rival != pair]
        dev = self.rows[pair].dev
        return [self.fit(rest, self.rows[pair].dev_values, dev.labels(label), label, dev.name) for label in LABELS]

    def predictor_of(self, label: str) -> Model:
        """A predictor of a label, trained on all pairs."""
        dev_values, dev_labels = (
            np.concatenate(parts) for parts in ([row.dev_values for row in self.rows], [row.dev.labels(label) for row in self.rows])
        )
        return self.fit(range(len(self.rows)), dev_values, dev_labels, label, "mlqe-pe, all pairs")

    def fit(self, pairs: Sequence[int], dev_values: Float64s, dev_labels: Float64s, label: str, dev_name: str) -> Model:
        """Train a predictor of any pair on the training rows of several pairs."""
        values, labels = zip(*(self.of_train(pair, label) for pair in pairs), strict=True)
        all_values, gold = (_within(parts) if label in WITHIN else np.concatenate(parts) for parts in (values, labels))
        sums = [checksum_of([getattr(row, name) for row in self.rows]) for name in ("train", "dev")]
        model = train_model(
            TrainingSet(all_values, gold, "mlqe-pe, all pairs", sums[0], "read by a cross-encoder without the row's pair"),
            TrainingSet(dev_values, dev_labels, dev_name, sums[1]),
            pair=ANY_PAIR,
            label=label,
            feature_set=SET,
            features=self.names,
            learner="blend",
            licence=LICENCE,
            created=CREATED,
        )
        # Rows of new texts are not reduced by their pair's mean.
        return replace(model, seen=Distribution.of(np.concatenate(values)))


def _within(parts: Sequence[Float64s]) -> Float64s:
    """Rows of all pairs, shifted so that the means of all pairs are equal."""
    means = [part.mean(0) for part in parts]
    return np.concatenate([part - mean + np.mean(means, 0) for part, mean in zip(parts, means, strict=True)])


def left_out_rows(data: Path, resources: Path, models: Path) -> LeftOutRows:
    """Rows of all pairs from the shipped rows and readings."""
    data, pairs = language_pairs(data)
    engine = Engine.open(resources, models)
    names = [feature.id for feature in feature_set(SET).features]
    texts_alone = [name for name in names if not name.startswith(READINGS)]
    rows = []
    for pair in pairs:
        folder, train, dev = models / f"{pair}-rows", split_of(data, pair, "train"), split_of(data, pair, "dev")
        stored, readings = read_rows(folder / ROWS_FILE), read_unseen(folder / UNSEEN_FILE)
        values = stored.values[:, [stored.features.index(name) for name in texts_alone]]
        matrix = engine.features(
            Segments(pair, dev.column("source"), dev.column("translation")), exact_set(f"dev of {pair}", texts_alone)
        )
        dev_ids = [feature.id for feature in matrix.features]
        dev_values = matrix.values[:, [dev_ids.index(name) for name in texts_alone]]
        # Readings are last in the set.
        rows.append(PairRows(pair, np.hstack([values, readings.train]), np.hstack([dev_values, readings.dev]), train, dev))
    return LeftOutRows(rows, names)


def checksum_of(splits: Sequence[Split]) -> str:
    """SHA-256 of the concatenated SHA-256 of files."""
    return hashlib.sha256("".join(checksum(split.path) for split in splits).encode()).hexdigest()
