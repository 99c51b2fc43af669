"""Optima of the own optimiser beside GPy's: ``python -m benchmarks.optima DATA [--draws 20] [--rows 200] [--pair ro-en]``.

Each draw has rows of MLQE-PE's training split, QuEst's 17 features and DA. Features are standardised and cut at four standard
deviations, as in training. Both optimise an exact process with one length scale per feature from their customary starts. The table
has log marginal likelihoods in nats, their difference, and seconds.
"""

import argparse
import os
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402

from app.engine import Engine  # noqa: E402
from app.engine.segments import Segments  # noqa: E402
from app.predictors.learners.gp.evidence import TaskRows  # noqa: E402
from app.predictors.learners.gp.fitting import FitSettings, fit_process  # noqa: E402
from app.predictors.learners.gp.peer import fit_with_gpy  # noqa: E402
from app.predictors.model import standardise  # noqa: E402
from app.settings import Settings  # noqa: E402
from app.text import LanguagePair  # noqa: E402
from scripts.mlqe_pe.everything import language_pairs, split_of  # noqa: E402

SEED = 12345


def draw(engine: Engine, folder: Path, pair: LanguagePair, count: int, seed: int) -> TaskRows:
    """Standardised rows of a draw."""
    split = split_of(folder, pair, "train")
    labels = split.labels("da")
    rows = np.sort(np.random.default_rng(seed).permutation(len(labels))[:count])
    sources, translations = split.column("source"), split.column("translation")
    segments = Segments(pair, [sources[k] for k in rows], [translations[k] for k in rows])
    x, y = engine.features(segments, "quest-baseline-17").values, labels[rows]
    scale = np.where(x.std(0) > 0, x.std(0), 1.0)
    return TaskRows.single(standardise(x, x.mean(0), scale), (y - y.mean()) / y.std())


def main() -> None:
    """Print the table, and the least difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--pair", default="ro-en")
    options = parser.parse_args()
    folder, _ = language_pairs(options.data)
    engine, pair, settings = Engine.of_settings(Settings()), LanguagePair.parse(options.pair), FitSettings(inducing=0)
    differences = []
    print("| Draw | Assay | GPy | difference | Assay, s | GPy, s |\n|" + " --- |" * 6)
    for seed in range(1, options.draws + 1):
        rows = draw(engine, folder, pair, options.rows, seed)
        begin = time.perf_counter()
        value = fit_process(rows, settings, SEED).value
        middle = time.perf_counter()
        peer = fit_with_gpy(rows, settings, SEED)[1]
        seconds = middle - begin, time.perf_counter() - middle
        differences.append(value - peer)
        print(f"| {seed} | {value:.2f} | {peer:.2f} | {value - peer:+.2f} | {seconds[0]:.2f} | {seconds[1]:.2f} |", flush=True)
    print(f"\nLeast difference {min(differences):+.2f}, mean {np.mean(differences):+.2f}.")


if __name__ == "__main__":
    main()
