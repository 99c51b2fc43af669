"""Optima of the own optimiser beside GPy's: ``python -m benchmarks.optima DATA [--draws 20] [--rows 200] [--pair ro-en]``.

Each draw has rows of MLQE-PE's training split, QuEst's 17 features and DA. Features are standardised and cut at four standard
deviations, as in training. Both optimise an exact process with one length scale per feature from their customary starts. The table
has log marginal likelihoods in nats, their difference, the variances of noise (1 is the labels' own), and correlations on dev.
"""

import argparse
import os
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402

from app.arrays import Float64s  # noqa: E402
from app.engine import Engine  # noqa: E402
from app.engine.segments import Segments  # noqa: E402
from app.predictors.learners.gp.evidence import TaskRows  # noqa: E402
from app.predictors.learners.gp.fitting import FitSettings, fit_process  # noqa: E402
from app.predictors.learners.gp.peer import fit_with_gpy  # noqa: E402
from app.predictors.learners.gp.process import GaussianProcess  # noqa: E402
from app.predictors.model import standardise  # noqa: E402
from app.settings import Settings  # noqa: E402
from app.text import LanguagePair  # noqa: E402
from scripts.mlqe_pe.everything import language_pairs, split_of  # noqa: E402

SEED = 12345


class Draws:
    """Rows of a pair's training split, and all of its dev split, standardised as in training."""

    def __init__(self, folder: Path, pair: LanguagePair) -> None:
        engine = Engine.of_settings(Settings())
        self._splits = [split_of(folder, pair, name) for name in ("train", "dev")]
        self._features = [
            engine.features(Segments(pair, split.column("source"), split.column("translation")), "quest-baseline-17").values
            for split in self._splits
        ]

    def draw(self, count: int, seed: int) -> tuple[TaskRows, Float64s, Float64s]:
        """Training rows of a draw, and features and labels of dev."""
        labels, dev_labels = (split.labels("da") for split in self._splits)
        rows = np.sort(np.random.default_rng(seed).permutation(len(labels))[:count])
        x, y = self._features[0][rows], labels[rows]
        centre, scale = x.mean(0), np.where(x.std(0) > 0, x.std(0), 1.0)
        train = TaskRows.single(standardise(x, centre, scale), (y - y.mean()) / y.std())
        return train, standardise(self._features[1], centre, scale), dev_labels


def pearson(process: GaussianProcess, x: Float64s, labels: Float64s) -> float:
    """Correlation of predictions with labels; 0 for constant predictions."""
    mean = process.predict(x)[0]
    return float(np.corrcoef(mean, labels)[0, 1]) if mean.std() > 0 else 0.0


def main() -> None:
    """Print the table, and its means."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--pair", default="ro-en")
    options = parser.parse_args()
    folder, _ = language_pairs(options.data)
    draws, settings = Draws(folder, LanguagePair.parse(options.pair)), FitSettings(inducing=0)
    table = []
    print("| Draw | Assay | GPy | difference | noise: Assay | GPy | Pearson on dev: Assay | GPy |\n|" + " --- |" * 8)
    for seed in range(1, options.draws + 1):
        rows, x, labels = draws.draw(options.rows, seed)
        result, (peer, peer_value) = fit_process(rows, settings, SEED), fit_with_gpy(rows, settings, SEED)
        process = result.process()
        correlations = pearson(process, x, labels), pearson(peer, x, labels)
        table.append([result.value - peer_value, *correlations])
        print(
            f"| {seed} | {result.value:.2f} | {peer_value:.2f} | {result.value - peer_value:+.2f} | {process.noise_variance:.1e} "
            f"| {peer.noise_variance:.1e} | {correlations[0]:.3f} | {correlations[1]:.3f} |",
            flush=True,
        )
    means = np.mean(table, axis=0)
    minimum = min(row[0] for row in table)
    print(f"\nLeast difference {minimum:+.2f}, mean {means[0]:+.2f}; mean Pearson {means[1]:.3f} and {means[2]:.3f}.")


if __name__ == "__main__":
    main()
