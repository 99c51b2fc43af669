"""Active learning on rows whose labels are known: accuracy against the number of labels, by worth or at random."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from app.predictors.evaluation import evaluate_predictions
from app.predictors.model import standardise
from app.predictors.training.active import learn_round, next_batch, random_batch, standardised_pool
from app.predictors.training.data import TrainingSet
from app.running.journal import SILENT, Journal

__all__ = ["Point", "simulate"]


@dataclass(frozen=True)
class Point:
    """Accuracy on held-out rows after a number of labels, and the error that the process estimates without them."""

    labels: int
    error: float
    pearson: float
    mae: float


def simulate(
    pool: TrainingSet,
    held_out: TrainingSet,
    beta: float | None,
    start: int,
    batch: int,
    limit: int,
    seed: int,
    journal: Journal = SILENT,
    report: Callable[[int], None] = lambda labels: None,
) -> list[Point]:
    """Accuracy after each round: `start` random labels at first, then `batch` more at a time, up to `limit`.

    Rows are chosen by worth with the power `beta`, or at random with None. The random order is that of the first rows too.
    """
    x, centre, scale = standardised_pool(pool.values)
    held_x = standardise(held_out.values, centre, scale)
    mask = np.zeros(len(x), np.bool_)
    mask[random_batch(mask, start, seed)] = True
    points: list[Point] = []
    while True:
        state = learn_round(x, pool.labels, mask, seed, journal)
        accuracy = evaluate_predictions(held_out.labels, state.means(held_x), higher_is_better=False)
        count = int(mask.sum())
        points.append(Point(count, state.error, accuracy.pearson, accuracy.mae))
        report(count)
        size = min(batch, limit - count)
        if size <= 0 or mask.all():
            return points
        rows = random_batch(mask, size, seed) if beta is None else next_batch(state, mask, size, beta)[0]
        mask[rows] = True
