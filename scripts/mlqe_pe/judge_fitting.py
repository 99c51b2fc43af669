"""Training of the judge: ridge regression in the kernel's space, through inducing rows, on labels of all pairs together.

The sums over rows (Smola and Schölkopf 2000's sparse approximation) are stored by part. A judge without a fold, or without a
language pair, needs only the sum of the other parts and one more solution.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from app.arrays import Float32s, Float64s, Int64s
from app.predictors.sentences.kernel import Inputs, SentenceKernel, covariance

__all__ = ["JudgeFitting", "JudgeRows"]

DIMENSIONS: Final = 128
INDUCING: Final = 300
NOISE: Final = 3.0
# Added to the diagonal of the inducing rows' covariance to make it definite.
JITTER: Final = 1e-6
ROWS_PER_BATCH: Final = 2000


@dataclass(frozen=True)
class JudgeRows:
    """Rows of one pair: inputs, labels (n, l) and folds (n,)."""

    inputs: Inputs
    labels: Float64s
    fold: Int64s


class JudgeFitting:
    """Rows of several pairs, summed up once by pair and fold; labels become standard deviations from their pair's mean."""

    def __init__(self, rows: Sequence[JudgeRows], seed: int, dimensions: int = DIMENSIONS, inducing: int = INDUCING) -> None:
        rng = np.random.default_rng(seed)
        inputs = [part.inputs for part in rows]
        blocks = (np.concatenate([getattr(part, name) for part in inputs]) for name in ("source", "target", "numbers"))
        self.kernel = SentenceKernel.of(Inputs(*blocks), dimensions)
        self.points: list[Float32s] = [self.kernel.points(part) for part in inputs]
        inducing_rows = [np.sort(rng.permutation(len(part))[:inducing]) for part in inputs]
        # Rounded to the stored precision.
        short = [points[places].astype(np.float16) for points, places in zip(self.points, inducing_rows, strict=True)]
        self.inducing: Float32s = np.concatenate(short).astype(np.float32)
        self.pairs: Int64s = np.repeat(np.arange(len(rows)), [len(places) for places in inducing_rows])
        self.between = covariance(self.inducing, self.pairs, self.inducing, self.pairs)
        self.rows = rows
        self.parts: dict[tuple[int, int], tuple[Float64s, Float64s]] = {}
        for pair, part in enumerate(rows):
            labels = (part.labels - part.labels.mean(0)) / part.labels.std(0)
            for fold in np.unique(part.fold).tolist():
                places = np.flatnonzero(part.fold == fold)
                k = self._covariance(self.points[pair][places], pair)
                self.parts[pair, fold] = k.T @ k, k.T @ labels[places]

    def _covariance(self, points: Float32s, pair: int) -> Float64s:
        return covariance(points, np.full(len(points), pair), self.inducing, self.pairs)

    def weights(self, select: Callable[[int, int], bool], noise: float = NOISE) -> Float64s:
        """Weights of the inducing rows (m, l), learned from the parts (pair, fold) for which `select` is True."""
        parts = [part for place, part in self.parts.items() if select(*place)]
        gram, toward = (sum(part[k] for part in parts[1:]) + parts[0][k] for k in (0, 1))
        factor = cho_factor(gram + noise * (self.between + JITTER * np.eye(len(self.between))), lower=True)
        return np.asarray(cho_solve(factor, toward))

    def predict(self, weights: Float64s, pair: int, points: Float32s, known_pair: bool = True) -> Float64s:
        """Predictions of weights for points of a pair (n, l); `known_pair` treats them as rows of that pair, else as a new pair."""
        number = pair if known_pair else -1
        blocks = (points[begin : begin + ROWS_PER_BATCH] for begin in range(0, len(points), ROWS_PER_BATCH))
        return np.concatenate([self._covariance(block, number) @ weights for block in blocks])

    def cross_fitted(self) -> list[Float64s]:
        """Predictions for each row by a judge trained without its fold; (n, l) of each pair."""
        out = [np.empty(part.labels.shape) for part in self.rows]
        for fold in sorted({fold for _, fold in self.parts}):
            weights = self.weights(lambda _, number, fold=fold: number != fold)  # type: ignore[misc]
            for pair, part in enumerate(self.rows):
                places = np.flatnonzero(part.fold == fold)
                if len(places):
                    out[pair][places] = self.predict(weights, pair, self.points[pair][places])
        return out

    def without_pair(self, without: Iterable[int] = ()) -> list[Float64s]:
        """Predictions for the rows of a pair by a judge trained without this pair and the pairs `without`."""
        excluded_pairs = set(without)
        predictions = []
        for pair in range(len(self.rows)):
            weights = self.weights(lambda number, _, rest=excluded_pairs | {pair}: number not in rest)  # type: ignore[misc]
            predictions.append(self.predict(weights, pair, self.points[pair], False))
        return predictions
