"""Tables about tuning on real lists: ``python -m benchmarks.smt.tuning.real_lists DATA [seeds systems segments features size metrics]``.

DATA holds multi30k-nbest, multi30k-de-en and wmt-mqm. Weights are tuned on 300 of the 1,014 lists of val, evenly spaced, and measured on
all 1,000 of test_2016_flickr, as in `benchmarks.smt.tuning.report`. ``metrics`` adds two metrics of BEER's kind. The first is trained
on judged systems (MQM of TED talks, Chinese-English); the second also on self-labelled pairs of the val lists.
"""

import gzip
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from app.metrics import TrainedMetric, load_trained_metrics, metric_named, metrics_named
from app.metrics.learnt.templates import feature_template
from app.metrics.learnt.training import JudgedTranslations, train_linear_metric
from app.resources.function_words import shipped_function_words
from app.settings import ROOT
from app.shell.declaration.forms import Format
from app.shell.output import print_rows
from app.smt.tuning.methods import METHODS as TUNERS
from app.text.n_best import NBestLists
from app.text.reading.n_best_files import read_lists
from benchmarks.smt.protocols.cross_metric import cross_metrics
from benchmarks.smt.protocols.instability import measure_instability
from benchmarks.smt.protocols.learning_curves import learning_curve
from benchmarks.smt.protocols.measured_lists import MeasuredLists, measure
from benchmarks.smt.protocols.runs import tune_all
from benchmarks.smt.protocols.systems import best_by_metric, measure_systems
from benchmarks.smt.protocols.tables import Table, cross_tables, curve_table, instability_tables, system_tables
from benchmarks.smt.protocols.unjudged_pairs import draw_unjudged_pairs

BLEU = "bleu|tok:none"
SEGMENTS = 300
SEEDS = (1, 2, 3, 4, 5)
METHODS = tuple(TUNERS)
# MERT has no restarts with a thousand weights: a sweep over all is a thousand line searches.
CURVE_METHODS = ("mert|restarts:5", "pro", "mira")
SPARSE_METHODS = ("mert|restarts:0|directions:0", "pro", "mira")
PAIRS = 2000
PENALTIES = {"Major": 5.0, "Minor": 1.0}


class Lists:
    """The two sets."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.dev, self.dev_references = self._read("val", SEGMENTS)
        self.test, self.test_references = self._read("test_2016_flickr", None)

    def _read(self, name: str, segments: int | None) -> tuple[NBestLists, list[str]]:
        files = [self.data / "multi30k-nbest" / f"{name}.nbest.gz"]
        read = read_lists(files, references=[self.data / "multi30k-de-en" / f"{name}.en.gz"])
        lists, references = read.lists, list(read.references[0])
        if segments is None:
            return lists, references
        rows = np.unique(np.linspace(0, len(lists) - 1, segments).round().astype(np.int64))
        return lists.rows(rows), [references[segment] for segment in rows.tolist()]

    def measured(
        self, metrics: Sequence[str], trained_metrics: Mapping[str, TrainedMetric] | None = None
    ) -> tuple[MeasuredLists, MeasuredLists]:
        measures = metrics_named(metrics, trained_metrics or {})
        return measure(self.dev, measures, [self.dev_references]), measure(self.test, measures, [self.test_references])


def seeds(lists: Lists) -> list[Table]:
    dev, test = lists.measured([BLEU])
    return instability_tables(measure_instability(dev, test, start(dev), METHODS, SEEDS))


def systems(lists: Lists) -> list[Table]:
    metrics = [BLEU, "nist|tok:none", "meteor|tok:none", "wer|tok:none", "per|tok:none", "sbleu|tok:none"]
    dev, test = lists.measured(metrics)
    tunings = tune_all(dev.pool, start(dev), METHODS, SEEDS[:2])
    weights = {method: result.best.weights for method, result in tunings.items()}
    rows = measure_systems({"dev": dev, "test": test}, weights, ["sbleu|tok:none", "meteor|tok:none"])
    return system_tables(rows, best_by_metric(rows, dev.metrics))


def curve(axis: str, methods: Sequence[str], amounts: Sequence[int]) -> Callable[[Lists], list[Table]]:
    def tables(lists: Lists) -> list[Table]:
        dev, test = lists.measured([BLEU])
        return [curve_table(learning_curve(dev, test, start(dev), methods, axis, amounts, SEEDS[:3]))]

    return tables


def metrics(lists: Lists) -> list[Table]:
    mqm_metric = beer(lists, ())
    pairs = draw_unjudged_pairs(lists.dev, lists.dev_references, PAIRS, 1)
    self_metric = beer(lists, pairs)
    metrics_by_id = {**load_trained_metrics(ROOT / "models" / "metrics"), mqm_metric.id: mqm_metric, self_metric.id: self_metric}
    names = [
        BLEU,
        "simpbleu:PABC4|tok:none",
        "chrf",
        "ter",
        "trained:beer-2.0",
        *(f"trained:{metric.id}" for metric in (mqm_metric, self_metric)),
    ]
    dev, test = lists.measured(names, metrics_by_id)
    return [
        table
        for method in ("mert|restarts:5", "mira")
        for table in cross_tables(method, cross_metrics(dev, test, start(dev), method, names, SEEDS[:3]))
    ]


def beer(lists: Lists, pairs: Sequence[tuple[str, str, str]]) -> TrainedMetric:
    """Metric trained on judged translations, and on `pairs` with its own labels."""
    words = shipped_function_words(ROOT / "resources", "en")
    name = "beer-self" if pairs else "beer-mqm"
    human_judgements = judgements(lists.data / "wmt-mqm" / "mqm_ted_zhen.tsv.gz")
    template = feature_template("beer-3.0")
    return train_linear_metric(
        name, "beer", "en", template, human_judgements, "logistic", {}, metric_named, function_words=words, unjudged_pairs=pairs
    )


def judgements(file: Path) -> JudgedTranslations:
    """Translations with a first human reference, each with minus its mean penalty over raters."""
    targets: dict[tuple[str, str], str] = {}
    penalties: dict[tuple[str, str], dict[str, float]] = {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            system, doc, _, segment, rater, _, target, _, severity = line.rstrip("\n").split("\t")
            key = system, f"{doc} {segment}"
            targets[key] = re.sub("</?v>", "", target)
            by_rater = penalties.setdefault(key, {})
            by_rater[rater] = by_rater.get(rater, 0.0) + PENALTIES.get(severity, 0.0)
    numbers: dict[str, int] = {}
    rows = [key for key in targets if not key[0].startswith("ref") and ("ref", key[1]) in targets]
    return JudgedTranslations(
        [targets[key] for key in rows],
        [targets["ref", key[1]] for key in rows],
        np.array([-float(np.mean(list(penalties[key].values()))) for key in rows]),
        np.array([numbers.setdefault(key[1], len(numbers)) for key in rows], np.int64),
    )


def start(lists: MeasuredLists) -> np.ndarray:
    return np.ones(len(lists.pool.names))


TABLES: Mapping[str, Callable[[Lists], list[Table]]] = {
    "seeds": seeds,
    "systems": systems,
    "segments": curve("segments", CURVE_METHODS, (10, 30, 100, 300)),
    "size": curve("size", CURVE_METHODS, (2, 5, 10, 30, 100)),
    "features": curve("features", SPARSE_METHODS, (0, 10, 100, 1000)),
    "metrics": metrics,
}


def main() -> None:
    lists = Lists(Path(sys.argv[1]))
    for name in sys.argv[2:] or TABLES:
        for table in TABLES[name](lists):
            print(f"\n### {table.title}\n")
            print_rows(table.rows, Format.MARKDOWN)
            print(f"\n{table.note}", flush=True)


if __name__ == "__main__":
    main()
