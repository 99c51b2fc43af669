"""Scores and times of tuners on real lists: ``python -m benchmarks.smt.tuning.methods DATA [METHOD ...] --seeds 10``.

DATA has the folders moses-nbest, multi30k-nbest, multi30k-de-en and moses-mert. Every method runs once per seed from equal weights;
times are processor time of one thread. Lists of 1,000 × 100 hypotheses with 14 features are synthetic. Likelihood of lists of two
runs beside scikit-learn's logistic regression of their differences, which is the same problem.
"""

import argparse
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.metrics import metric_named
from app.running.journal import SILENT
from app.smt.tuning.gradient.ascent import climb
from app.smt.tuning.gradient.likelihood import likelihood
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import TuningPool, pool_of
from app.smt.tuning.tune import tune
from app.text.reading.n_best_lists.bars import read_n_best
from benchmarks.text_lines import lines

BLEU = "bleu|tok:none|smooth:none"
# The toolkit's best of each iteration of moses-mert.
TOOLKIT = (0.379, 0.406, 0.396, 0.399, 0.409, 0.410, 0.410)


def pool_from(lines: list[str], references: list[list[str]]) -> TuningPool:
    lists = read_n_best(lines)
    return pool_of(lists, metric_named(BLEU), [reference[: len(lists)] for reference in references])


def multi30k(data: Path, part: str, text: str) -> TuningPool:
    return pool_from(lines(data / f"multi30k-nbest/{part}.nbest.gz"), [lines(data / f"multi30k-de-en/{text}.en.gz")])


def merged(data: Path, runs: int) -> TuningPool:
    """Lists of the first `runs` iterations, segment by segment."""
    rows = [line for run in range(1, runs + 1) for line in lines(data / f"moses-mert/run{run}.nbest.gz")]
    rows.sort(key=lambda line: int(line.split("|||")[0]))
    return pool_from(rows, [lines(data / f"moses-mert/reference.{number}") for number in range(3)])


def synthetic(segments: int, size: int, width: int) -> TuningPool:
    """Hypotheses with matches that rise with a hidden weighted sum; counts of words and matches as in BLEU."""
    rng = np.random.default_rng(1)
    h = segments * size
    features = rng.normal(size=(h, width)) * rng.uniform(0.1, 10, width)
    hidden = features / features.std(0) @ rng.normal(size=width) / width**0.5 + rng.normal(size=h)
    length = rng.integers(15, 35, h)
    totals = np.maximum(length[:, None] - np.arange(4), 0)
    matches = rng.binomial(totals, (1 / (1 + np.exp(-0.5 * hidden)))[:, None] ** np.arange(1, 5))
    statistics = np.column_stack([length, np.full(h, 25), matches, totals]).astype(np.float64)
    names = tuple(f"f{k}" for k in range(width))
    offsets = np.arange(0, h + 1, size)
    return TuningPool(offsets, names, HypothesisFeatures(features), metric_named(BLEU), statistics, np.arange(segments))


def row(name: str, pool: TuningPool, method: str, seeds: int, test: TuningPool | None = None) -> None:
    """Print minimum, mean and maximum score over seeds, also on the test lists, and the mean and longest time."""
    scores, test_scores, times = [], [], []
    for seed in range(1, seeds + 1):
        start = process_time()
        best = tune(TuningData(pool, np.ones(pool.features.width)), method, (seed,)).best
        times.append(process_time() - start)
        scores.append(best.score)
        test_scores.append(test.score(best.weights) if test else 0.0)
    cells = [f"{min(scores):.3f} {np.mean(scores):.3f} {max(scores):.3f}"]
    cells.append(f"{min(test_scores):.2f} {np.mean(test_scores):.2f} {max(test_scores):.2f}" if test else "")
    print(f"| {name} | {method.replace('|', ' ')} | {' | '.join(cells)} | {np.mean(times):.2f} {max(times):.2f} |", flush=True)


def beside_scikit_learn() -> None:
    """Print the times of likelihood and of scikit-learn, both from 0 to one optimum."""
    pool = synthetic(50_000, 2, 14)
    wanted = (np.arange(100_000) % 2 == 0)[:, None] == (pool.gains[0::2] >= pool.gains[1::2]).repeat(2)[:, None]
    start = process_time()
    weights = climb(likelihood(pool, wanted, 0.001), np.zeros(14), 200, SILENT, 0.0)
    assay_seconds = process_time() - start
    dense = pool.features.dense
    x, y = dense[0::2] - dense[1::2], wanted[0::2, 0]
    start = process_time()
    peer_weights = LogisticRegression(fit_intercept=False, C=1 / (0.001 * len(x)), max_iter=200).fit(x, y).coef_[0]
    peer_seconds = process_time() - start
    distance = float(np.abs(weights - peer_weights).max())
    print(
        f"\nlikelihood of 50,000 lists of two: {assay_seconds:.2f} s, scikit-learn {peer_seconds:.2f} s, weights apart by {distance:.1e} at most"
    )


def main() -> None:
    """Print a table: lists, method, score over seeds (lowest, mean, highest), on test, seconds (mean, longest)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("methods", nargs="*", default=["mert", "expected", "likelihood", "ramp", "mira", "pro"])
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    moses = pool_from(lines(options.data / "moses-nbest/nbest.out.gz"), [lines(options.data / "moses-nbest/reference.txt.gz")])
    val, test = multi30k(options.data, "val", "val"), multi30k(options.data, "test_2016_flickr", "test_2016_flickr")
    large = synthetic(1000, 100, 14)
    # Kernels are compiled, or loaded, before the measurements.
    for method in options.methods:
        tune(TuningData(moses.rows(np.arange(5)), np.ones(15)), method)
    print("| lists | method | score | on test | seconds |\n| --- | --- | --- | --- | --- |")
    for method in options.methods:
        row("moses-nbest", moses, method, options.seeds)
        row("multi30k val, test", val, method, options.seeds, test)
        row("1,000 × 100 × 14", large, "mert|restarts:20" if method == "mert" else method, 1)
    for runs, best in enumerate(TOOLKIT, 1):
        row(f"moses-mert 1-{runs}, toolkit {best}", merged(options.data, runs), options.methods[0], min(options.seeds, 3))
    beside_scikit_learn()


if __name__ == "__main__":
    main()
