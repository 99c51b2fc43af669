"""Speed of tuning by pairs, scikit-learn beside it: ``python -m benchmarks.smt.tuning.pairs [--segments 1000] [--size 100] [--features 14]``.

Lists are synthetic: features are normal, and counts of BLEU follow a weighted sum of them with noise. Both regressions get equal pairs
with their mirror images, without a prior (scikit-learn: C = 1e9) and with a prior of 1. Seconds are of the processor, medians of three
runs after a compiling one.
"""

import statistics
import time
from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.metrics import metric_named
from app.running.journal import SILENT
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.methods import parse_method
from app.smt.tuning.pairs.local import LocalMixture, local_weights
from app.smt.tuning.pairs.samples import Samples, draw_samples
from app.smt.tuning.pool import TuningPool
from app.smt.tuning.tune import tune

RUNS = 3
LENGTH = 20


def synthetic_pool(segments: int, size: int, width: int) -> TuningPool:
    rng = np.random.default_rng(1)
    features = rng.normal(size=(segments * size, width))
    quality = features @ rng.normal(size=width) / np.sqrt(width) + rng.normal(size=len(features))
    lengths = rng.integers(LENGTH - 4, LENGTH + 5, len(features))
    totals = lengths[:, None] - np.arange(4)
    shares = 1 / (1 + np.exp(-quality))[:, None] ** np.arange(1, 5)
    matches = np.minimum.accumulate(rng.binomial(totals, shares / shares.max()), axis=1)
    counts = np.column_stack([lengths, np.full(len(features), LENGTH), matches, totals]).astype(float)
    offsets = np.arange(segments + 1) * size
    names = tuple(f"f{k}" for k in range(width))
    return TuningPool(offsets, names, HypothesisFeatures(features), metric_named("bleu|tok:none"), counts, np.arange(segments))


def seconds(work: Callable[[], Any]) -> float:
    work()
    times = []
    for _ in range(RUNS):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return statistics.median(times)


def beside(samples: Samples, settings: dict[str, Any]) -> None:
    """Print the times of Assay's regression and of scikit-learn's on equal pairs."""
    rows = samples.pairs.differences(samples.pool.features).array()
    mirrored_rows, labels = np.concatenate([rows, -rows]), np.repeat([1, 0], len(rows))
    assay_seconds, weights = seconds(partial(samples.fit, settings)), samples.fit(settings).weights
    print(f"logistic regression of 2 x {len(rows)} rows, prior {settings['prior']:g}: {assay_seconds:.3f} s")
    for solver in ("newton-cholesky", "lbfgs"):
        inverse = 1 / settings["prior"] if settings["prior"] else 1e9
        peer = LogisticRegression(C=inverse, fit_intercept=False, solver=solver, max_iter=1000, tol=1e-8)
        peer_seconds = seconds(partial(peer.fit, mirrored_rows, labels))
        distance = np.abs(peer.coef_[0] / weights - 1).max()
        print(
            f"  scikit-learn, {solver}: {peer_seconds:.3f} s, {peer_seconds / assay_seconds:.1f} times as long, weights {distance:.1e} apart"
        )


def main() -> None:
    parser = ArgumentParser()
    for name, default in (("segments", 1000), ("size", 100), ("features", 14)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    pool = synthetic_pool(arguments.segments, arguments.size, arguments.features)
    data = TuningData(pool, np.ones(arguments.features))
    print(f"{arguments.segments} lists of {arguments.size} hypotheses, {arguments.features} features")
    for spec in ("pro", "pro|rounds:1", "pro|learner:linear", "wro", "wro|rounds:1"):
        print(f"{spec}: {seconds(partial(tune, data, spec)):.2f} s, BLEU {tune(data, spec).best.score:.2f}")
    settings = parse_method("wro")[1]
    samples = draw_samples(pool, settings, np.random.default_rng(1), SILENT)
    for prior in (0.0, 1.0):
        beside(samples, settings | {"prior": prior, "unit": "none"})
    similarities = np.random.default_rng(2).random((20, len(pool))) ** 3
    start = samples.fit(settings).weights
    local = seconds(partial(local_weights, samples, similarities, settings, LocalMixture(), start)) / len(similarities)
    print(f"weights of one sentence: {1000 * local:.1f} ms")


if __name__ == "__main__":
    main()
