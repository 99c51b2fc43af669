"""Learning curves of active learning: ``python -m benchmarks.active_learning DATA FEATURES [PAIR ...]``.

``python -m scripts.mlqe_pe DATA --features FEATURES`` fills FEATURES. Each run begins with 100 random segments of the training split
and adds 50 at a time, by each strategy of active learning or at random (mean of five seeds). Ridge regression is trained
anew each time. The table has Pearson correlations with HTER on dev.
"""

import sys
from pathlib import Path

import numpy as np

from app.arrays import Float64s, Int64s
from app.features import feature_set
from app.predictors import Model
from app.predictors.active_learning import STRATEGIES, select_segments
from app.predictors.training import TrainingSet, train_model
from app.text.reading.tables import read_column
from scripts.mlqe_pe.everything import language_pairs, read_features

SET = "text-only+nmt-glassbox-10"
START, STEP, SIZES = 100, 50, (150, 200, 300, 400, 600, 1000)
SEEDS = 5


class Pool:
    """One pair's training rows and dev rows."""

    def __init__(self, data: Path, features: Path, pair: str) -> None:
        ids, train, dev = read_features(features, pair, len(read_column(f"{data / str(pair) / 'train'}.tsv.gz:source")))
        self.ids = [feature.id for feature in feature_set(SET).features if feature.id in ids]
        columns = [ids.index(name) for name in self.ids]
        self.pair, self.train, self.dev = pair, train[:, columns], dev[:, columns]
        labels = [read_column(f"{data / pair / split}.tsv.gz:hter") for split in ("train", "dev")]
        self.gold, self.dev_gold = (np.array([float(cell) for cell in column]) for column in labels)

    def curve(self, strategy: str | None, seed: int) -> list[float]:
        """Correlations at SIZES; the strategy None draws at random."""
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(self.gold))
        rows: Int64s = order[:START]
        correlations = []
        while len(rows) < SIZES[-1]:
            rest = np.setdiff1d(order, rows)
            if strategy is None:
                new = rng.permutation(rest)[:STEP]
            else:
                new = rest[select_segments(self.fit(rows), self.train[rest], STEP, strategy)[0]]
            rows = np.concatenate([rows, new])
            if len(rows) in SIZES:
                correlations.append(self.measure(rows))
        return correlations

    def fit(self, rows: Int64s) -> Model:
        training = TrainingSet(self.train[rows], self.gold[rows], "pool", "0" * 64)
        dev = TrainingSet(self.dev, self.dev_gold, "dev", "0" * 64)
        return train_model(training, dev, self.pair, "hter", SET, self.ids, "ridge", created="2026-01-01")

    def measure(self, rows: Int64s) -> float:
        mean: Float64s = self.fit(rows).predict(self.dev).mean
        return float(np.corrcoef(mean, self.dev_gold)[0, 1])


def main() -> None:
    data, pairs = language_pairs(Path(sys.argv[1]))
    print("| Pair, strategy | " + " | ".join(map(str, SIZES)) + " |")
    print("| --- |" + " --- |" * len(SIZES))
    for pair in sys.argv[3:] or map(str, pairs):
        pool = Pool(data, Path(sys.argv[2]), pair)
        for strategy in (None, *STRATEGIES):
            curves = np.mean([pool.curve(strategy, seed) for seed in range(SEEDS)], axis=0)
            print(f"| {pair}, {strategy or 'random'} | " + " | ".join(f"{value:.3f}" for value in curves) + " |", flush=True)


if __name__ == "__main__":
    main()
