"""Rows of shipped pairs with features of models trained without their pair, and predictors trained without a pair."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.features import feature_set
from app.features.encoded import READ
from app.predictors import Model
from app.predictors.distribution import Distribution
from app.predictors.sentences.kernel import Inputs
from app.predictors.sentences.model import LABELS
from app.predictors.training import TrainingSet, train_model
from app.resources.manifest import checksum
from app.text.languages import ANY_PAIR, LanguagePair
from scripts.mlqe_pe.everything import CREATED, LICENCE, Split
from scripts.mlqe_pe.judge_fitting import JudgeFitting

__all__ = ["NETWORK_FILE", "PARTS", "SET", "LeftOutRows", "PairRows", "checksum_of", "network_file", "read_left_out", "read_name"]

SET: Final = "any-pair"
SEED: Final = 12345
# File with arrays of the network, and for each pair with values of rows by networks trained without it.
NETWORK_FILE: Final = "reading.npz"
PARTS: Final = ("train", "dev")
# Training rows of each pair by label. More rows would fit the known pairs better, but not new ones.
ROWS: Final = {"da": 3000, "hter": 1500}
# Raters' scores are standardised by rater, so differences between the means of pairs are no differences of quality. For these
# labels, models learn from features and labels less their pair's mean.
WITHIN: Final = frozenset({"da"})


@dataclass(frozen=True)
class PairRows:
    """Features of a pair: ids, and values of training rows (`values`) and dev rows (`dev_values`)."""

    pair: LanguagePair
    ids: tuple[str, ...]
    values: Float64s
    dev_values: Float64s
    train: Split
    dev: Split


class LeftOutRows:
    """Features of `SET` of all pairs, by judges and networks trained without the pair, and predictors that learn from them.

    `fitting` holds the judge's sums of training rows, `dev_inputs` are its inputs of dev rows. `read` are values (n, 4) of a pair's
    training and dev rows by networks trained without the pair. No network is trained without two pairs, since 21 more would be
    needed.
    """

    def __init__(
        self,
        rows: Sequence[PairRows],
        fitting: JudgeFitting,
        dev_inputs: Sequence[Inputs],
        read: Sequence[tuple[Float64s, Float64s]],
    ) -> None:
        self.rows, self.fitting, self.read = rows, fitting, read
        self.names = [feature.id for feature in feature_set(SET).features if feature.id in rows[0].ids]
        self.columns = [rows[0].ids.index(name) for name in self.names]
        self.places = [self.names.index(f"enc.{label}") for label in LABELS]
        self.read_places = [self.names.index(f"enc.{name}") for name, _ in READ]
        self.points = [fitting.kernel.points(part) for part in dev_inputs]

    @cached_property
    def training_rows(self) -> dict[str, list[Int64s]]:
        """Row numbers of the training rows of each pair, by label."""
        orders = [np.random.default_rng(SEED).permutation(len(row.values)) for row in self.rows]
        return {label: [np.sort(order[:count]) for order in orders] for label, count in ROWS.items()}

    def of_train(self, pair: int, row_numbers: Int64s, excluded_pairs: frozenset[int] = frozenset()) -> Float64s:
        """Training rows of a pair, with a judge trained without it and without the pairs `excluded_pairs`."""
        values = self.rows[pair].values[row_numbers][:, self.columns].copy()
        weights = self.fitting.weights(lambda rival, _: rival not in excluded_pairs | {pair})
        values[:, self.places] = self.fitting.predict(weights, pair, self.fitting.points[pair][row_numbers], False)
        values[:, self.read_places] = self.read[pair][0][row_numbers]
        return values

    def of_dev(self, pair: int) -> Float64s:
        """Dev rows of a pair, with a judge trained without it."""
        values = self.rows[pair].dev_values[:, self.columns].copy()
        weights = self.fitting.weights(lambda rival, _: rival != pair)
        values[:, self.places] = self.fitting.predict(weights, pair, self.points[pair], False)
        values[:, self.read_places] = self.read[pair][1]
        return values

    def labels(self, pair: int, label: str) -> tuple[Float64s, Float64s]:
        """Labels of the training rows and of the dev rows of a pair."""
        row = self.rows[pair]
        return row.train.labels(label)[self.training_rows[label][pair]], row.dev.labels(label)

    def without(self, pair: int, labels: Sequence[str] = LABELS) -> list[Model]:
        """A predictor of each label, trained without a pair and calibrated on its dev rows."""
        rest = [rival for rival in range(len(self.rows)) if rival != pair]
        dev_values, dev = self.of_dev(pair), self.rows[pair].dev
        models = []
        for label in labels:
            values = [self.of_train(rival, self.training_rows[label][rival], frozenset({pair})) for rival in rest]
            gold = [self.labels(rival, label)[0] for rival in rest]
            models.append(self.fit(values, gold, dev_values, self.labels(pair, label)[1], label, dev.name))
        return models

    def predictor_of(self, label: str) -> Model:
        """A predictor of a label, trained on all pairs."""
        pairs = range(len(self.rows))
        gold, dev_gold = zip(*(self.labels(pair, label) for pair in pairs), strict=True)
        values = [self.of_train(pair, self.training_rows[label][pair]) for pair in pairs]
        dev_values = np.concatenate([self.of_dev(pair) for pair in pairs])
        return self.fit(values, gold, dev_values, np.concatenate(dev_gold), label, "mlqe-pe, all pairs")

    def fit(
        self,
        values: Sequence[Float64s],
        labels: Sequence[Float64s],
        dev_values: Float64s,
        dev_labels: Float64s,
        label: str,
        dev_name: str,
    ) -> Model:
        """Train a predictor of any pair on the rows of several pairs."""
        all_values, gold = (_within(parts) if label in WITHIN else np.concatenate(parts) for parts in (values, labels))
        sums = [checksum_of([getattr(row, name) for row in self.rows]) for name in ("train", "dev")]
        model = train_model(
            TrainingSet(all_values, gold, "mlqe-pe, all pairs", sums[0], "judged by one that has not seen the row's pair"),
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


def network_file(folder: Path) -> Path:
    """File written by ``scripts.mlqe_pe.reading``; InputError if it does not exist."""
    path = folder / NETWORK_FILE
    if not path.is_file():
        raise InputError(
            "missing-resource", f"{path} does not exist: run python -m scripts.mlqe_pe.reading with the same folder first"
        )
    return path


def read_name(pair: str, part: str) -> str:
    """Name of the array of a pair's rows, by networks trained without the pair."""
    return f"left out:{pair}:{part}"


def read_left_out(folder: Path, pairs: Sequence[LanguagePair]) -> list[tuple[Float64s, Float64s]]:
    """Values (n, 4) of each pair's training and dev rows by networks without the pair; InputError if the file is missing."""
    with np.load(network_file(folder)) as arrays:
        return [(arrays[read_name(str(pair), PARTS[0])], arrays[read_name(str(pair), PARTS[1])]) for pair in pairs]


def checksum_of(splits: Sequence[Split]) -> str:
    """SHA-256 of the concatenated SHA-256 of files."""
    return hashlib.sha256("".join(checksum(split.path) for split in splits).encode()).hexdigest()
