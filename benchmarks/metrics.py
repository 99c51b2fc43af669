"""Metrics beside sacreBLEU in one process: ``python -m benchmarks.metrics NEWSTEST``.

NEWSTEST is a folder with ``reference0.de.gz`` and ``systems/*.gz`` (newstest2017 English-German: 16 systems of 3,004
segments). Both sides start from strings and reuse what they prepared of the reference, as their users would; sacreBLEU's
tokeniser caches are empty at the start. Kernels are compiled before. The paired test is that of all systems against
the first, 1,000 resamples, BLEU, chrF and TER together, statistics included.
"""

import gzip
import sys
import time
from collections.abc import Callable
from pathlib import Path

import sacrebleu.metrics as peer
from sacrebleu.significance import PairedTest

from app.metrics import Metric, Significance, metric_named, metrics_named, score_systems

PEERS: dict[str, Callable[..., peer.base.Metric]] = {
    "bleu": peer.BLEU,
    "chrf": peer.CHRF,
    "chrf++": lambda **options: peer.CHRF(word_order=2, **options),
    "ter": peer.TER,
}
OURS_ALONE = ("bleu|tok:intl", "wer", "per", "nist", "simpbleu:PABC4", "order:kendall", "order:recpef", "trained:beer-2.0")
Texts = dict[str, list[str]]


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as text:
        return text.read().removesuffix("\n").split("\n")


def timed(work: Callable[[], list[float]]) -> tuple[float, list[float]]:
    begun = time.perf_counter()
    answer = work()
    return time.perf_counter() - begun, answer


def ours(metric: Metric, reference: list[str], systems: Texts) -> list[float]:
    rows = metric.prepare([reference]).statistics_of_systems(list(systems.values()))
    return [float(metric.score(each.sum(0, keepdims=True))[0]) for each in rows]


def main() -> None:
    folder = Path(sys.argv[1])
    reference = lines(folder / "reference0.de.gz")
    systems = {path.stem: lines(path) for path in sorted((folder / "systems").glob("*.gz"))}
    segments = len(reference) * len(systems)
    names = [*PEERS, *OURS_ALONE]
    from app.metrics import load_trained_metrics
    from app.settings import Settings

    trained = load_trained_metrics(Settings().models_dir / "metrics")
    metrics = metrics_named(names, trained)
    for metric in metrics.values():
        ours(metric, ["a b", ""], {"x": ["a c.b", "x"]})
    print(f"{len(systems)} systems of {len(reference)} segments")
    print(f"{'metric':18s} {'assay s':>9s} {'us/segment':>11s} {'sacreBLEU s':>12s} {'ratio':>7s}")
    for name, metric in metrics.items():
        mine, scores = min(timed(lambda metric=metric: ours(metric, reference, systems)) for _ in range(3))
        row = f"{name:18s} {mine:9.3f} {1e6 * mine / segments:11.2f}"
        if name in PEERS:

            def theirs(make: Callable[..., peer.base.Metric] = PEERS[name]) -> list[float]:
                metric = make(references=[reference])
                return [metric.corpus_score(texts, None).score for texts in systems.values()]

            other, expected = timed(theirs)
            assert all(abs(a - b) < 1e-9 for a, b in zip(scores, expected, strict=True)), name
            row += f" {other:12.3f} {other / mine:7.1f}"
        print(row, flush=True)
    chosen = {name: metric_named(name) for name in ("bleu", "chrf", "ter")}
    mine, p_values = timed(lambda: _paired(chosen, systems, reference))
    peers = {name: make(references=[reference]) for name, make in PEERS.items() if name in chosen}
    other, expected = timed(lambda: _peer_paired(peers, systems))
    assert all(abs(a - b) < 0.002 for a, b in zip(p_values, expected, strict=True))
    print(f"{'paired bootstrap':18s} {mine:9.3f} {1e6 * mine / segments:11.2f} {other:12.3f} {other / mine:7.1f}")


def _paired(metrics: dict[str, Metric], systems: Texts, reference: list[str]) -> list[float]:
    rows = score_systems(metrics, systems, {"r": reference}, significance=Significance(samples=1000))
    return [row.against_baseline.p_value for row in rows if row.against_baseline is not None]


def _peer_paired(metrics: dict[str, peer.base.Metric], systems: Texts) -> list[float]:
    _, results = PairedTest(list(systems.items()), metrics, None, "bs", 1000)()
    by_name = {key.lower().rstrip("2"): rows for key, rows in results.items() if key != "System"}
    return [float(row.p_value) for name in metrics for row in by_name[name] if row.p_value is not None]


if __name__ == "__main__":
    main()
