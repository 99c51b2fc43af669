"""Gains by minimum Bayes risk and by combination: ``python -m benchmarks.smt.lists.combination NEWSTEST MULTI30K_NBEST MULTI30K [--lm FILE]``.

NEWSTEST has ``systems/*.gz`` and ``reference0.de.gz`` (16 systems of newstest2017 English-German). Every second segment is for choice and
tuning, the others for measuring, both ways. MULTI30K_NBEST has the n-best lists of two sets, MULTI30K their references. Scales
and weights come from val and are measured on test. The output has corpus scores, and their difference from the first row with its
95 % interval (paired bootstrap, 1,000 resamples).
"""

import time
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.metrics import metric_named
from app.metrics.significance.resampling import bootstrap_scores, confidence_interval, resample_weights
from app.resources.language_models import open_language_model
from app.smt.lists.combination.combine import Combiner
from app.smt.lists.combination.outputs import SystemOutputs
from app.smt.lists.combination.paths import Scorers, start_weights
from app.smt.lists.mbr.decision import decide
from app.smt.lists.mbr.probabilities import model_probabilities
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.text.n_best import NBestLists
from app.text.reading.n_best_files import read_lists
from benchmarks.text_lines import lines

SCALES = (0.01, 0.03, 0.1, 0.3, 1.0)


class Table:
    """Rows of corpus scores beside a baseline."""

    def __init__(self, references: Sequence[str], names: Sequence[str]) -> None:
        self._metrics = {name: metric_named(name) for name in names}
        self._scorers = {name: metric.prepare([references]) for name, metric in self._metrics.items()}
        self._draws = resample_weights(len(references), 1000, 12345)
        self._baseline: dict[str, np.ndarray] | None = None

    def score(self, texts: Sequence[str], name: str) -> float:
        """A corpus score."""
        return float(self._metrics[name].score(self._scorers[name].statistics(texts).sum(0)[None])[0])

    def row(self, name: str, texts: Sequence[str]) -> None:
        """Print a row; the first row is the baseline."""
        statistics = {metric: scorer.statistics(texts) for metric, scorer in self._scorers.items()}
        self._baseline = self._baseline or statistics
        cells = []
        for metric, system_statistics in statistics.items():
            score = self.score(texts, metric)
            draws = bootstrap_scores(self._metrics[metric], {"a": self._baseline[metric], "b": system_statistics}, self._draws)
            interval = confidence_interval(draws["b"] - draws["a"])
            gain = score - float(self._metrics[metric].score(self._baseline[metric].sum(0)[None])[0])
            cells.append(f"{score:.2f} ({gain:+.2f}, {interval.low:+.2f} to {interval.high:+.2f})")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def systems(folder: Path, lm: Path | None) -> None:
    outputs = SystemOutputs({path.name.split(".")[1]: lines(path) for path in sorted((folder / "systems").glob("*.gz"))})
    references = lines(folder / "reference0.de.gz")
    segments = np.arange(len(references))
    for number in (0, 1):
        half = {"dev": segments[segments % 2 == number], "test": segments[segments % 2 != number]}
        data = {name: outputs.rows(rows) for name, rows in half.items()}
        half_references = {name: [references[i] for i in rows.tolist()] for name, rows in half.items()}
        print(f"\nWMT17, measured on half {2 - number}")
        dev, test = (Table(half_references[name], ("bleu", "chrf", "ter")) for name in ("dev", "test"))
        order = sorted(outputs.systems, key=lambda name: -dev.score(data["dev"].systems[name], "bleu"))
        test.row("best system", data["test"].systems[order[0]])
        for metric in ("bleu", "chrf", "ter"):
            decisions = decide(data["test"], metric_named(metric))
            test.row(f"MBR by {metric}", [data["test"].texts[h] for h in decisions.chosen.tolist()])
        best_systems = {name: SystemOutputs({system: part.systems[system] for system in order[:6]}) for name, part in data.items()}
        decisions = decide(best_systems["test"], metric_named("bleu"))
        test.row("MBR by bleu of the best 6", [best_systems["test"].texts[h] for h in decisions.chosen.tolist()])
        for name, part in (("16", data), ("the best 6", best_systems)):
            combination(name, part, half_references["dev"], test, None)
        if lm is not None:
            combination("the best 6, language model", best_systems, half_references["dev"], test, lm)
        pool = pool_of_outputs(data["test"], half_references["test"])
        test.row("oracle among systems (sbleu)", [data["test"].texts[h] for h in pool])


def combination(name: str, data: dict[str, SystemOutputs], references: list[str], test: Table, lm: Path | None) -> None:
    """Rows of networks with equal votes and with tuned weights."""
    start = time.perf_counter()
    scorers = Scorers(metric_named("bleu"), None if lm is None else open_language_model(lm))
    weights = start_weights(len(data["test"].systems), scorers)
    combiner = Combiner(data["test"], metric_named("bleu"), scorers)
    test.row(f"network of {name}, equal votes", [row.text for row in combiner.combine(weights)])
    tuning = Combiner(data["dev"], metric_named("bleu"), scorers).tune(
        metric_named("bleu"), [references], weights, "mert|restarts:2|directions:5"
    )
    test.row(f"network of {name}, tuned", [row.text for row in combiner.combine(tuning.weights)])
    rounds = ", ".join(f"{score:.2f}" for score in tuning.rounds)
    print(f"  ({time.perf_counter() - start:.0f} s; {metric_named('bleu').name} tuned on by round: {rounds})")


def pool_of_outputs(outputs: SystemOutputs, references: list[str]) -> list[int]:
    """Index of the best output of each segment by sBLEU."""
    metric = metric_named("sbleu")
    count = len(outputs.systems)
    rows = np.repeat(np.arange(len(outputs)), count)
    scores = metric.segment_scores(metric.prepare([references]).statistics(outputs.texts, rows)).reshape(-1, count)
    return (scores.argmax(1) + outputs.offsets[:-1]).tolist()


def lists(folder: Path, texts: Path) -> None:
    dev, test = (read_lists([folder / f"{name}.nbest.gz"], merge=False).lists for name in ("val", "test_2016_flickr"))
    references = {name: lines(texts / f"{name}.en.gz") for name in ("val", "test_2016_flickr")}
    tables = [Table(rows, ("bleu|tok:none", "chrf")) for rows in references.values()]
    metric = metric_named("bleu|tok:none")
    pool = pool_of(dev, metric, [references["val"]])
    weights = tune(TuningData(pool, np.ones(len(dev.names))), "mert", (1,)).best.weights
    print("\nMulti30k, test_2016_flickr")
    tables[1].row("first hypotheses", [test.texts[h] for h in test.offsets[:-1].tolist()])
    of_weights = [part.values @ weights / np.abs(weights).sum() for part in (dev, test)]
    choice = pool_of(test, metric, [references["test_2016_flickr"]]).chosen(weights)
    tables[1].row("weights of MERT", [test.texts[h] for h in choice.tolist()])
    for title, scores, scales in (
        ("totals", (dev.scores, test.scores), SCALES),
        ("scores of MERT's weights", of_weights, tuple(1000 * scale for scale in SCALES)),
    ):
        for name in ("sbleu|tok:none", "bleu|tok:none", "chrf", "ter"):
            gains = {scale: tables[0].score(decided(dev, scores[0], name, scale), "bleu|tok:none") for scale in (0.0, *scales)}
            scale = max(gains, key=lambda scale: gains[scale])
            tables[1].row(f"MBR by {name}, {title}, scale {scale:g}", decided(test, scores[1], name, scale))


def decided(part: NBestLists, scores: np.ndarray, name: str, scale: float) -> list[str]:
    shares = model_probabilities(scores, part.offsets, scale)
    return [part.texts[h] for h in decide(part, metric_named(name), shares).chosen.tolist()]


def main() -> None:
    parser = ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name in ("newstest", "multi30k_nbest", "multi30k"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--lm", type=Path)
    arguments = parser.parse_args()
    lists(arguments.multi30k_nbest, arguments.multi30k)
    systems(arguments.newstest, arguments.lm)


if __name__ == "__main__":
    main()
