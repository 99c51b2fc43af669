"""Table 5.1 of Song's thesis on lists of Multi30k: ``python -m benchmarks.smt.tuning.wro LISTS TEXTS [--seeds 3] [--metric M] [--also M …]``.

LISTS holds ``val.nbest.gz`` and ``test_2016_flickr.nbest.gz``, TEXTS the German sources and English references of both. All rows
train on the lists of val; a seed is another draw of pairs. (The thesis makes other lists five times, with a decoder.)
Scores are those of the choices in the test lists: mean and standard deviation over seeds, and the difference from
Baseline PRO with MultEval's p-value. Metrics after --also have them too, since a system tuned on a metric wins on that metric
(--metric simpbleu:RABC2 is the thesis' -S). Selection of the development set by alignments (-LA) is absent: it needs
lists of more than one set.
"""

import gzip
import time
from argparse import ArgumentParser
from pathlib import Path

import numpy as np

from app.metrics import Metric, metric_named
from app.smt.tuning.method import TuningData
from app.smt.tuning.pairs.samples import weight_global
from app.smt.tuning.pairs.sentence_bleu import oracle_scores
from app.smt.tuning.pool import TuningPool, pool_of
from app.text.n_best import NBestLists
from app.text.reading.n_best_lists.bars import read_n_best
from benchmarks.smt.protocols.wro_rows import ROWS, compare_rows
from benchmarks.text_lines import lines

DEVELOPMENT, TEST = "val", "test_2016_flickr"


def lists_of(path: Path) -> NBestLists:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as text:
        return read_n_best(text)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("lists", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--metric", default="bleu|smooth:none")
    parser.add_argument("--also", nargs="*", default=[], help="metrics that only measure")
    parser.add_argument("--options", default="", help="options for every row, such as prior:1|threshold:0.02")
    parser.add_argument("--rows", nargs="*", default=list(ROWS))
    arguments = parser.parse_args()
    metrics = [metric_named(f"{name}|tok:none") for name in (arguments.metric, *arguments.also)]
    development, of_development = read_set(arguments.lists, arguments.texts, DEVELOPMENT, metrics[:1])
    test, of_test = read_set(arguments.lists, arguments.texts, TEST, metrics)
    for name, pool in ((DEVELOPMENT, development[0]), (TEST, test[0])):
        tops = oracle_scores(pool)
        print(
            f"{name}: {len(pool)} lists, first hypotheses {pool.score_of(pool.offsets[:-1]):.2f}, "
            f"{(tops < 0.4).mean():.1%} of the best below .4, mean global weight {weight_global(pool).mean():.3f}"
        )
    print(f"\ntuned on {metrics[0].name}, {arguments.seeds} seeds, options for all: {arguments.options or 'none'}\n")
    print("| row | method | " + " | ".join(f"{metric.name} | deviation | difference | p" for metric in metrics) + " |")
    print("| --- " * (2 + 4 * len(metrics)) + "|")
    data = TuningData(development[0], np.ones(development[0].features.width), of_development)
    rows = compare_rows(data, test, of_test, range(1, arguments.seeds + 1), arguments.options, arguments.rows)
    for row in rows:
        cells = [row.name, f"`{row.method}`".replace("|", "\\|")]
        for summary in row.summaries.values():
            cells += [f"{summary.mean:.2f}", f"{summary.optimiser_deviation or 0:.3f}"]
            cells += ["", ""] if summary.p_value is None else [f"{summary.difference:+.2f}", f"{summary.p_value:.3f}"]
        print("| " + " | ".join(cells) + " |")
    print(f"\n{time.process_time():.0f} s of processor time")


def read_set(lists: Path, texts: Path, name: str, metrics: list[Metric]) -> tuple[list[TuningPool], list[str]]:
    """The lists of a set measured by each metric, and their sources."""
    n_best, references = lists_of(lists / f"{name}.nbest.gz"), [lines(texts / f"{name}.en.gz")]
    pools = [pool_of(n_best, metric, references) for metric in metrics]
    sources = lines(texts / f"{name}.de.gz")
    return pools, [sources[segment] for segment in pools[0].segments.tolist()]


if __name__ == "__main__":
    main()
