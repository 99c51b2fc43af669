"""Metrics beside sacreBLEU in one process: ``python -m benchmarks.metrics NEWSTEST [--runs 5] [--systems N] [--rivals FOLDER]``.

NEWSTEST is a folder with ``reference0.de.gz`` and ``systems/*.gz`` (newstest2017 English-German: 16 systems of 3,004
segments). Both sides start from strings and reuse the prepared reference, as their users would; sacreBLEU's
tokeniser caches are empty at the start of each run. Kernels are compiled before. Runs of both alternate. The table has medians with
the smallest and the largest run, and ratios run by run, of time and of processor time. The paired test compares all systems with
the first: 1,000 resamples, BLEU, chrF and TER together, statistics included. Packages of ``--rivals`` (`benchmarks.metric_rivals`)
alternate with both on the first two systems. Their rows have microseconds per segment, times as fast as Assay is, and the largest
difference of a score. The last rows have the paired tests, all metrics together, and one processor in place of all.
"""

import gzip
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import sacrebleu.metrics as peer
from sacrebleu.significance import PairedTest

from app.metrics import Metric, Significance, load_trained_metrics, metric_named, metrics_named, score_systems
from app.running.threads import blocks
from app.running.threads.spreading import Spreading
from app.settings import Settings
from benchmarks.figures import Spread, Table, add_json_option
from benchmarks.metric_rivals import rivals_in

PEERS: dict[str, Callable[..., peer.base.Metric]] = {
    "bleu": peer.BLEU,
    "chrf": peer.CHRF,
    "chrf++": lambda **options: peer.CHRF(word_order=2, **options),
    "ter": peer.TER,
}
WITHOUT_PEER = ("bleu|tok:intl", "wer", "per", "nist", "simpbleu:PABC4", "order:kendall", "order:recpef", "trained:beer-2.0")
Texts = dict[str, list[str]]


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as text:
        return text.read().removesuffix("\n").split("\n")


@dataclass(frozen=True)
class Times:
    """Seconds of several runs, and seconds of processors."""

    seconds: list[float]
    processor_seconds: list[float]


def seconds_and_answer(work: Callable[[], list[float]]) -> tuple[float, float, list[float]]:
    start, processor_start = time.perf_counter(), time.process_time()
    answer = work()
    return time.perf_counter() - start, time.process_time() - processor_start, answer


def alternate(runs: int, *works: Callable[[], list[float]]) -> tuple[list[Times], list[list[float]]]:
    """Run each work in turn, `runs` times, so that other load meets all alike. Return the times and the last answers."""
    seconds: list[list[float]] = [[] for _ in works]
    processor_seconds: list[list[float]] = [[] for _ in works]
    answers: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for place, work in enumerate(works):
            duration, processor_duration, answers[place] = seconds_and_answer(work)
            seconds[place].append(duration)
            processor_seconds[place].append(processor_duration)
    return [Times(*times) for times in zip(seconds, processor_seconds, strict=True)], answers


def cells(segments: int, assay: Times, rival: Times | None = None, *, rival_segments: int = 0) -> list[Spread | None]:
    """Seconds of both, microseconds of a segment, and ratios of seconds and of processor seconds, for an equal number of segments."""
    per_segment = Spread([1e6 * seconds / segments for seconds in assay.seconds])
    if rival is None:
        return [Spread(assay.seconds), per_segment, None, None, None]
    # Run by run, since a slow moment of the machine is in both.
    share = (rival_segments or segments) / segments
    pairs = ((assay.seconds, rival.seconds), (assay.processor_seconds, rival.processor_seconds))
    ratios = (Spread([b / share / a for a, b in zip(*pair, strict=True)]) for pair in pairs)
    return [Spread(assay.seconds), per_segment, Spread(rival.seconds), *ratios]


def assay_scores(metric: Metric, reference: list[str], systems: Texts) -> list[float]:
    rows = metric.prepare([reference]).statistics_of_systems(list(systems.values()))
    return [float(metric.score(system_rows.sum(0, keepdims=True))[0]) for system_rows in rows]


def main() -> None:
    options = ArgumentParser(description="Metrics beside sacreBLEU.")
    options.add_argument("newstest", type=Path)
    options.add_argument("--runs", type=int, default=5, help="alternating runs of both (default 5)")
    options.add_argument("--systems", type=int, help="number of systems (default all)")
    options.add_argument("--metrics", nargs="+", help="metrics beside their peers, without the paired tests (default: all)")
    options.add_argument("--rivals", type=Path, help="folder of further packages")
    options.add_argument("--segments", type=int, help="number of segments (default all)")
    add_json_option(options)
    arguments = options.parse_args()
    reference = lines(arguments.newstest / "reference0.de.gz")[: arguments.segments]
    paths = sorted((arguments.newstest / "systems").glob("*.gz"))[: arguments.systems]
    systems = {path.stem: lines(path)[: arguments.segments] for path in paths}
    segments = len(reference) * len(systems)
    trained_metrics = load_trained_metrics(Settings().models_dir / "metrics")
    metrics = metrics_named(arguments.metrics or [*PEERS, *WITHOUT_PEER], trained_metrics)
    for metric in metrics.values():
        assay_scores(metric, ["a b", ""], {"x": ["a c.b", "x"]})
    print(f"{len(systems)} systems of {len(reference)} segments, {arguments.runs} alternating runs: medians (smallest-largest)")
    columns = {"metric": "", "rival": "", "Assay, s": ".3f", "µs a segment": ".2f", "rival, s": ".3f", "ratio": ".1f"}
    columns |= {"ratio of processor time": ".1f", "largest difference": ".2g"}
    table = Table("metrics", columns, arguments.json, ["sacrebleu"])
    all_rivals = rivals_in(arguments.rivals)
    few_systems = dict(list(systems.items())[:2])
    for name, metric in metrics.items():
        rivals = all_rivals.get(name, {})
        works = [partial(assay_scores, metric, reference, systems)]
        if name in PEERS:
            works.append(partial(peer_scores, PEERS[name], reference, systems))
        times, answers = alternate(arguments.runs, *works, *(partial(work, reference, few_systems) for work in rivals.values()))
        assert name not in PEERS or all(abs(a - b) < 1e-9 for a, b in zip(answers[0], answers[1], strict=True)), name
        table.add(name, "sacreBLEU" if name in PEERS else None, *cells(segments, *times[: len(works)]), None)
        for rival, rival_times, scores in zip(rivals, times[len(works) :], answers[len(works) :], strict=True):
            difference = max(abs(a - b) for a, b in zip(answers[0], scores, strict=False))
            rival_cells = cells(segments, times[0], rival_times, rival_segments=len(few_systems) * len(reference))
            table.add(name, f"{rival}, {len(few_systems)} systems", *rival_cells, difference)
    if arguments.metrics:
        return
    paired_metrics = {name: metric_named(name) for name in ("bleu", "chrf", "ter")}
    for test in ("bootstrap", "randomisation"):
        works = [partial(_paired, paired_metrics, systems, reference, test)]
        if test == "bootstrap":
            works.append(partial(_peer_paired, list(paired_metrics), systems, reference))
        times, answers = alternate(arguments.runs, *works)
        assert len(answers) == 1 or all(abs(a - b) < 0.002 for a, b in zip(*answers, strict=True))
        table.add(f"paired {test}", "sacreBLEU" if len(works) > 1 else None, *cells(segments, *times), None)
    for threads in ("all", "one"):
        if threads == "one":
            blocks._spreading = lambda: Spreading(1)
        for names in (["bleu"], ["chrf"], ["chrf++"], ["ter"], list(PEERS)):
            work = partial(_all_scores, metrics_named(names), systems, reference)
            times = alternate(arguments.runs, work)[0]
            table.add(f"{', '.join(names)}; {threads} core{'s' * (threads == 'all')}", None, *cells(segments, *times), None)


def _all_scores(metrics: Mapping[str, Metric], systems: Texts, reference: list[str]) -> list[float]:
    return [row.score for row in score_systems(metrics, systems, {"r": reference})]


def peer_scores(make: Callable[..., peer.base.Metric], reference: list[str], systems: Texts) -> list[float]:
    # Its tokenisers cache texts; no run begins with another's cache.
    _forget()
    metric = make(references=[reference])
    return [metric.corpus_score(texts, None).score for texts in systems.values()]


def _forget() -> None:
    """Empty every cache of sacreBLEU's functions."""
    for module in [module for name, module in sys.modules.items() if name.startswith("sacrebleu")]:
        for part in [module, *(value for value in vars(module).values() if isinstance(value, type))]:
            for function in list(vars(part).values()):
                if hasattr(function, "cache_clear"):
                    function.cache_clear()


def _paired(metrics: Mapping[str, Metric], systems: Texts, reference: list[str], test: str) -> list[float]:
    rows = score_systems(metrics, systems, {"r": reference}, significance=Significance(samples=1000, test=test))
    return [row.against_baseline.p_value for row in rows if row.against_baseline is not None]


def _peer_paired(names: list[str], systems: Texts, reference: list[str]) -> list[float]:
    _forget()
    metrics = {name: PEERS[name](references=[reference]) for name in names}
    _, results = PairedTest(list(systems.items()), metrics, None, "bs", 1000)()
    by_name = {key.lower().rstrip("2"): rows for key, rows in results.items() if key != "System"}
    return [float(row.p_value) for name in metrics for row in by_name[name] if row.p_value is not None]


if __name__ == "__main__":
    main()
