"""Rows of the pairs that ship as a pair sees them that nothing was trained for, and predictors that have not seen one."""

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
from app.predictors.sentences.fitting import JudgeFitting
from app.predictors.sentences.kernel import Inputs
from app.predictors.sentences.model import LABELS
from app.predictors.training import TrainingSet, train_model
from app.resources.manifest import checksum
from app.text.languages import ANY_PAIR, LanguagePair
from scripts.mlqe_pe.everything import CREATED, LICENCE, Split

__all__ = ["NETWORK_FILE", "PARTS", "SET", "LeftOut", "PairRows", "checksum_of", "network_file", "read_left_out", "read_name"]

SET: Final = "any-pair"
SEED: Final = 12345
# In the folder of what is kept: arrays of the network, and by pair what networks that have not seen them say of rows.
NETWORK_FILE: Final = "reading.npz"
PARTS: Final = ("train", "dev")
# Training rows of each pair by label: more of them are more of the same pairs, and other pairs are what is to be answered for.
ROWS: Final = {"da": 3000, "hter": 1500}
# Raters' scores are in standard deviations around each rater's mean, so what pairs differ in by their means is no quality: of these
# labels it is learned how segments of one pair differ, from features less their pair's mean.
WITHIN: Final = frozenset({"da"})


@dataclass(frozen=True)
class PairRows:
    """Features of a pair by id: of training rows and, `held`, of dev rows."""

    pair: LanguagePair
    ids: tuple[str, ...]
    values: Float64s
    held: Float64s
    train: Split
    dev: Split


class LeftOut:
    """Features of `SET` of all pairs' rows, judged and read by who has not seen their pair, and what learns from them.

    `fitting` keeps the judge's sums of the training rows, `held` are its inputs of dev rows. `read` is what networks that have not
    seen a pair say of its training and its dev rows (n, 4); networks that have not seen a second pair either would be 21 more.
    """

    def __init__(
        self, rows: Sequence[PairRows], fitting: JudgeFitting, held: Sequence[Inputs], read: Sequence[tuple[Float64s, Float64s]]
    ) -> None:
        self.rows, self.fitting, self.read = rows, fitting, read
        self.names = [feature.id for feature in feature_set(SET).features if feature.id in rows[0].ids]
        self.columns = [rows[0].ids.index(name) for name in self.names]
        self.places = [self.names.index(f"enc.{label}") for label in LABELS]
        self.read_places = [self.names.index(f"enc.{name}") for name, _ in READ]
        self.points = [fitting.kernel.points(part) for part in held]

    @cached_property
    def chosen(self) -> dict[str, list[Int64s]]:
        """Which training rows of each pair are learned from, by label."""
        orders = [np.random.default_rng(SEED).permutation(len(row.values)) for row in self.rows]
        return {label: [np.sort(order[:count]) for order in orders] for label, count in ROWS.items()}

    def of_train(self, pair: int, places: Int64s, never: frozenset[int] = frozenset()) -> Float64s:
        """Training rows of a pair, judged without it and without the pairs `never`."""
        values = self.rows[pair].values[places][:, self.columns].copy()
        weights = self.fitting.weights(lambda other, _: other not in never | {pair})
        values[:, self.places] = self.fitting.predict(weights, pair, self.fitting.points[pair][places], False)
        values[:, self.read_places] = self.read[pair][0][places]
        return values

    def of_dev(self, pair: int) -> Float64s:
        """Dev rows of a pair, judged without it."""
        values = self.rows[pair].held[:, self.columns].copy()
        weights = self.fitting.weights(lambda other, _: other != pair)
        values[:, self.places] = self.fitting.predict(weights, pair, self.points[pair], False)
        values[:, self.read_places] = self.read[pair][1]
        return values

    def labels(self, pair: int, label: str) -> tuple[Float64s, Float64s]:
        """Labels of the rows that are learned from, and of dev rows."""
        row = self.rows[pair]
        return row.train.labels(label)[self.chosen[label][pair]], row.dev.labels(label)

    def without(self, pair: int, labels: Sequence[str] = LABELS) -> list[Model]:
        """A predictor of each label that has seen nothing of a pair; dev rows of that pair calibrate it."""
        others = [other for other in range(len(self.rows)) if other != pair]
        held, dev = self.of_dev(pair), self.rows[pair].dev
        models = []
        for label in labels:
            values = [self.of_train(other, self.chosen[label][other], frozenset({pair})) for other in others]
            gold = [self.labels(other, label)[0] for other in others]
            models.append(self.fit(values, gold, held, self.labels(pair, label)[1], label, dev.name))
        return models

    def together(self, label: str) -> Model:
        """A predictor of all pairs."""
        everything = range(len(self.rows))
        gold, held_gold = zip(*(self.labels(pair, label) for pair in everything), strict=True)
        values = [self.of_train(pair, self.chosen[label][pair]) for pair in everything]
        held = np.concatenate([self.of_dev(pair) for pair in everything])
        return self.fit(values, gold, held, np.concatenate(held_gold), label, "mlqe-pe, all pairs")

    def fit(
        self,
        values: Sequence[Float64s],
        labels: Sequence[Float64s],
        held: Float64s,
        held_labels: Float64s,
        label: str,
        held_name: str,
    ) -> Model:
        """Train as predictors of any pair are, on rows of one pair after the other."""
        stacked, gold = (_within(parts) if label in WITHIN else np.concatenate(parts) for parts in (values, labels))
        sums = [checksum_of([getattr(row, name) for row in self.rows]) for name in ("train", "dev")]
        model = train_model(
            TrainingSet(stacked, gold, "mlqe-pe, all pairs", sums[0], "judged by one that has not seen the row's pair"),
            TrainingSet(held, held_labels, held_name, sums[1]),
            pair=ANY_PAIR,
            label=label,
            feature_set=SET,
            features=self.names,
            learner="blend",
            licence=LICENCE,
            created=CREATED,
        )
        # Rows of texts to come are not less their pair's mean.
        return replace(model, seen=Distribution.of(np.concatenate(values)))


def _within(parts: Sequence[Float64s]) -> Float64s:
    """Rows of all pairs, each moved so that the means of all pairs are the same."""
    means = [part.mean(0) for part in parts]
    return np.concatenate([part - mean + np.mean(means, 0) for part, mean in zip(parts, means, strict=True)])


def network_file(folder: Path) -> Path:
    """What ``scripts.mlqe_pe.reading`` wrote; InputError where it has not."""
    path = folder / NETWORK_FILE
    if not path.is_file():
        raise InputError(
            "missing-resource", f"{path} is not there: run python -m scripts.mlqe_pe.reading with the same folder first"
        )
    return path


def read_name(pair: str, part: str) -> str:
    """What the array of a pair's rows, as networks read them that have not seen the pair, is called in the file."""
    return f"left out:{pair}:{part}"


def read_left_out(folder: Path, pairs: Sequence[LanguagePair]) -> list[tuple[Float64s, Float64s]]:
    """What networks that have not seen a pair say of its training and its dev rows (n, 4); InputError where it is not there."""
    with np.load(network_file(folder)) as kept:
        return [(kept[read_name(str(pair), PARTS[0])], kept[read_name(str(pair), PARTS[1])]) for pair in pairs]


def checksum_of(splits: Sequence[Split]) -> str:
    """SHA-256 of the SHA-256 of files."""
    return hashlib.sha256("".join(checksum(split.path) for split in splits).encode()).hexdigest()
