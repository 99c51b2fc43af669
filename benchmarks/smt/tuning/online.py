"""Scores and times of MIRA, the perceptron and SampleRank: ``python -m benchmarks.smt.tuning.online DATA``.

DATA holds `moses-nbest`, `multi30k-nbest` and `multi30k-de-en`. Corpus BLEU without smoothing, tokens as they are, equal start
weights: on Moses' lists themselves, and tuned on Multi30k's validation lists and measured on those of the test set. ``--folds``
has scores of settings on held-out fifths of the validation lists, in four partitions. ``--speed`` has times of methods
on 1,000 × 100 synthetic hypotheses with 14 features.
"""

import gzip
import time
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import typer

from app.metrics import metric_named
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import TuningPool, pool_of
from app.smt.tuning.tune import tune
from app.text.reading.n_best_lists.bars import read_n_best

SPECS: Final = (
    "mira", "mira|C:0.1", "mira|C:0.2|rival:model", "perceptron", "samplerank", "samplerank|oracle:best", "samplerank|oracle:closest",
    "mira|constraints:three", "mira|constraints:all|C:0.01", "mira|constraints:all|C:0.1", "mira|constraints:all|C:1",
    "mira|target:mixed", "perceptron|oracle:best", "perceptron|oracle:mixed", "perceptron|oracle:mixed|mix:0.9",
)  # fmt: skip
FOLDS: Final = (
    "mira", "mira|C:0.01", "mira|C:0.1", "mira|C:1|unit:spread", "mira|C:0.1|rival:model", "mira|C:0.2|rival:model",
    "mira|background:none", "perceptron", "perceptron|oracle:best", "perceptron|rate:1|unit:spread", "samplerank",
)  # fmt: skip
PARTITIONS: Final = 4
PARTS: Final = 5


def lists_of(n_best: Path, reference: Path) -> TuningPool:
    """Lists of a file with its reference."""
    with gzip.open(n_best, "rt", encoding="utf-8") as lines:
        lists = read_n_best(lines)
    with gzip.open(reference, "rt", encoding="utf-8") as lines:
        texts = [line.rstrip("\n") for line in lines][: len(lists)]
    return pool_of(lists, metric_named("bleu|tok:none|smooth:none"), [texts])


def drawn_lists() -> TuningPool:
    """1,000 lists of 100 with 14 features and counts of BLEU."""
    rng, size = np.random.default_rng(1), 100_000
    features = rng.normal(size=(size, 14))
    share = 1 / (1 + np.exp(-features @ rng.normal(size=14) / 4 - rng.normal(size=size)))
    totals = np.tile([25, 24, 23, 22], (size, 1))
    matches = np.floor(share[:, None] ** [1, 2, 3, 4] * totals)
    statistics = np.column_stack([np.full(size, 25), np.full(size, 25), matches, totals]).astype(float)
    names = tuple(f"f{k}" for k in range(14))
    metric = metric_named("bleu|tok:none|smooth:none")
    return TuningPool(np.arange(0, size + 1, 100), names, HypothesisFeatures(features), metric, statistics, np.arange(1000))


def speed() -> None:
    """Seconds of processor time of each method."""
    pool = drawn_lists()
    data = TuningData(pool, np.ones(14))
    print("| method | processor time, s | start | tuned |\n| --- | --- | --- | --- |")
    for spec in SPECS:
        begin = time.process_time()
        result = tune(data, spec, (1,))
        print(
            f"| `{escaped(spec)}` | {time.process_time() - begin:.2f} | {result.start:.2f} | {result.best.score:.2f} |", flush=True
        )


def folds(pool: TuningPool) -> None:
    """Print the score of every setting on held-out lists."""
    print("| setting | held-out BLEU | deviation |\n| --- | --- | --- |")
    for spec in FOLDS:
        scores = []
        for partition in range(PARTITIONS):
            order = np.random.default_rng(100 + partition).permutation(len(pool))
            total = np.zeros(pool.statistics.shape[1])
            for part in range(PARTS):
                fold = pool.rows(np.sort(order[part::PARTS]))
                rest = pool.rows(np.sort(np.delete(order, np.s_[part::PARTS])))
                weights = tune(TuningData(rest, np.ones(rest.features.width)), spec, (partition,)).best.weights
                total += fold.statistics[fold.chosen(weights)].sum(0)
            scores.append(float(pool.metric.score(total[None])[0]))
        print(f"| `{escaped(spec)}` | {np.mean(scores):.2f} | {np.std(scores, ddof=1):.2f} |", flush=True)


def escaped(spec: str) -> str:
    """Specification as a cell of a table."""
    return spec.replace("|", "\\|")


def main(
    data: Path,
    seeds: Annotated[int, typer.Option(help="Number of seeds.")] = 5,
    only_folds: Annotated[bool, typer.Option("--folds", help="Held-out folds of the validation lists.")] = False,
    only_speed: Annotated[bool, typer.Option("--speed", help="Processor time on drawn lists.")] = False,
) -> None:
    if only_speed:
        speed()
        return
    val = lists_of(data / "multi30k-nbest/val.nbest.gz", data / "multi30k-de-en/val.en.gz")
    if only_folds:
        folds(val)
        return
    name = "test_2016_flickr"
    test = lists_of(data / f"multi30k-nbest/{name}.nbest.gz", data / f"multi30k-de-en/{name}.en.gz")
    moses = lists_of(data / "moses-nbest/nbest.out.gz", data / "moses-nbest/reference.txt.gz")
    print("| method | Moses' lists, lowest to highest | val | test, lowest, mean, highest | s a run on val |\n|" + " --- |" * 5)
    for spec in SPECS:
        moses_scores = [run.score for run in tune(TuningData(moses, np.ones(15)), spec, range(1, seeds + 1)).runs]
        begin = time.process_time()
        result = tune(TuningData(val, np.ones(8)), spec, range(1, seeds + 1), held_out=test)
        seconds = (time.process_time() - begin) / seeds
        val_scores, test_scores = [run.score for run in result.runs], [run.held_out or 0.0 for run in result.runs]
        print(
            f"| `{escaped(spec)}` | {min(moses_scores):.2f}-{max(moses_scores):.2f} | {np.mean(val_scores):.2f} | "
            f"{min(test_scores):.2f} {np.mean(test_scores):.2f} {max(test_scores):.2f} | {seconds:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    typer.run(main)
