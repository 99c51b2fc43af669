"""Rows of the pairs that ship as a pair sees them that nothing was trained for, and predictors that have not seen one."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.features import feature_set
from app.predictors import Model
from app.predictors.sentences.fitting import JudgeFitting
from app.predictors.sentences.kernel import Inputs
from app.predictors.sentences.model import LABELS
from app.predictors.training import TrainingSet, train_model
from app.resources.manifest import checksum
from app.text.languages import ANY_PAIR, LanguagePair
from recipes.mlqe_pe.everything import CREATED, LICENCE, Split

__all__ = ["SET", "LeftOut", "PairRows", "checksum_of"]

SET: Final = "any-pair"
SEED: Final = 12345
# Training rows of each pair: more of them are more of the same pairs, and other pairs are what is to be answered for.
ROWS: Final = 1500


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
    """Features of `SET` of all pairs' rows, judged by who has not seen their pair, and what learns from them.

    `fitting` keeps the judge's sums of the training rows, `held` are its inputs of dev rows.
    """

    def __init__(self, rows: Sequence[PairRows], fitting: JudgeFitting, held: Sequence[Inputs]) -> None:
        self.rows, self.fitting = rows, fitting
        self.names = [feature.id for feature in feature_set(SET).features if feature.id in rows[0].ids]
        self.columns = [rows[0].ids.index(name) for name in self.names]
        self.places = [self.names.index(f"enc.{label}") for label in LABELS]
        self.points = [fitting.kernel.points(part) for part in held]

    @cached_property
    def chosen(self) -> list[Int64s]:
        """Which training rows of each pair are learned from."""
        return [np.sort(np.random.default_rng(SEED).permutation(len(row.values))[:ROWS]) for row in self.rows]

    def of_train(self, pair: int, places: Int64s, never: frozenset[int] = frozenset()) -> Float64s:
        """Training rows of a pair, judged without it and without the pairs `never`."""
        values = self.rows[pair].values[places][:, self.columns].copy()
        weights = self.fitting.weights(lambda other, _: other not in never | {pair})
        values[:, self.places] = self.fitting.predict(weights, pair, self.fitting.points[pair][places], False)
        return values

    def of_dev(self, pair: int) -> Float64s:
        """Dev rows of a pair, judged without it."""
        values = self.rows[pair].held[:, self.columns].copy()
        weights = self.fitting.weights(lambda other, _: other != pair)
        values[:, self.places] = self.fitting.predict(weights, pair, self.points[pair], False)
        return values

    def labels(self, pair: int, label: str) -> tuple[Float64s, Float64s]:
        """Labels of the rows that are learned from, and of dev rows."""
        row = self.rows[pair]
        return row.train.labels(label)[self.chosen[pair]], row.dev.labels(label)

    def without(self, pair: int, labels: Sequence[str] = LABELS) -> list[Model]:
        """A predictor of each label that has seen nothing of a pair; dev rows of that pair calibrate it."""
        others = [other for other in range(len(self.rows)) if other != pair]
        values = np.concatenate([self.of_train(other, self.chosen[other], frozenset({pair})) for other in others])
        held, dev = self.of_dev(pair), self.rows[pair].dev
        return [
            self.fit(
                values, np.concatenate([self.labels(other, label)[0] for other in others]),
                held, self.labels(pair, label)[1], label, dev.name,
            )
            for label in labels
        ]  # fmt: skip

    def together(self, label: str) -> Model:
        """A predictor of all pairs."""
        everything = range(len(self.rows))
        gold, held_gold = zip(*(self.labels(pair, label) for pair in everything), strict=True)
        values = np.concatenate([self.of_train(pair, self.chosen[pair]) for pair in everything])
        held = np.concatenate([self.of_dev(pair) for pair in everything])
        return self.fit(values, np.concatenate(gold), held, np.concatenate(held_gold), label, "mlqe-pe, all pairs")

    def fit(self, values: Float64s, labels: Float64s, held: Float64s, held_labels: Float64s, label: str, held_name: str) -> Model:
        """Train as predictors of any pair are."""
        sums = [checksum_of([getattr(row, name) for row in self.rows]) for name in ("train", "dev")]
        return train_model(
            TrainingSet(values, labels, "mlqe-pe, all pairs", sums[0], "judged by one that has not seen the row's pair"),
            TrainingSet(held, held_labels, held_name, sums[1]),
            pair=ANY_PAIR,
            label=label,
            feature_set=SET,
            features=self.names,
            learner="blend",
            licence=LICENCE,
            created=CREATED,
        )


def checksum_of(splits: Sequence[Split]) -> str:
    """SHA-256 of the SHA-256 of files."""
    return hashlib.sha256("".join(checksum(split.path) for split in splits).encode()).hexdigest()
