"""An agent's loop on stored lists: ``python -m benchmarks.agent_loop DATA [--attempts 3]``.

DATA has ``multi30k-nbest`` and ``multi30k-de-en``. The first different hypotheses of each list stand for attempts of a translator. The
loop of docs/use/agents.md ends with the first attempt that breaks no check and reaches the threshold, else with the best of all.
The threshold is that of the highest chrF on `val`; the table has chrF and BLEU of both sets.
"""

import argparse
import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.engine import Engine
from app.metrics import metrics_named
from app.operations.choose import ChooseRequest, operation
from app.settings import Settings

SETS = ("val", "test_2016_flickr")


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().splitlines()


def attempts_of(path: Path, count: int) -> list[list[str]]:
    """The first `count` different hypotheses of each list."""
    lists: list[list[str]] = []
    for line in lines(path):
        number, text = (part.strip() for part in line.split("|||")[:2])
        if int(number) == len(lists):
            lists.append([])
        if text not in lists[-1] and len(lists[-1]) < count:
            lists[-1].append(text)
    return lists


def answers(engine: Engine, sources: Sequence[str], attempts: Sequence[Sequence[str]]) -> tuple[np.ndarray, np.ndarray]:
    """Confidence of each attempt, and the mask of those that break no check; (n, count), NaN without an attempt."""
    segments = [
        {"source": source, "translations": [{"system": str(k), "text": text} for k, text in enumerate(texts)]}
        for source, texts in zip(sources, attempts, strict=True)
    ]
    request = ChooseRequest.model_validate({"source_language": "de", "target_language": "en", "segments": segments})
    assert operation.answer is not None
    rows = operation.answer(engine, request)["segments"]
    confidence = np.full((len(rows), max(map(len, attempts))), np.nan)
    fit_mask = np.zeros(confidence.shape, bool)
    for i, row in enumerate(rows):
        for candidate in row["candidates"]:
            confidence[i, int(candidate["system"])] = candidate["confidence"]
            fit_mask[i, int(candidate["system"])] = candidate["verdict"] != "broken"
    return confidence, fit_mask


def selections(confidence: np.ndarray, fit_mask: np.ndarray, threshold: float) -> tuple[np.ndarray, float]:
    """The attempt (n,) that the loop ends with, and the mean number of attempts."""
    good_mask = fit_mask & (confidence >= threshold)
    # A broken attempt is taken only where all are broken.
    best = np.argmax(np.nan_to_num(confidence, nan=-2.0) - np.where(fit_mask, 0.0, 1.0), axis=1)
    counts = np.where(good_mask.any(1), good_mask.argmax(1) + 1, (~np.isnan(confidence)).sum(1))
    return np.where(good_mask.any(1), good_mask.argmax(1), best), float(counts.mean())


def scores(attempts: Sequence[Sequence[str]], selection: np.ndarray, references: list[str]) -> list[float]:
    """chrF and BLEU of the selected attempts."""
    texts = [row[k] for row, k in zip(attempts, selection.tolist(), strict=True)]
    row = []
    for metric in metrics_named(["chrf", "bleu"]).values():
        statistics = metric.prepare([references]).statistics_of_systems([texts])[0]
        row.append(float(metric.score(statistics.sum(0)[None])[0]))
    return row


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agent_loop", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--attempts", type=int, default=3)
    arguments = parser.parse_args()
    engine = Engine.of_settings(Settings())
    threshold = 0.0
    print("| Set | Way | attempts | chrF | BLEU |\n| --- | --- | --- | --- | --- |")
    for name in SETS:
        texts = arguments.data / "multi30k-de-en"
        sources, references = lines(texts / f"{name}.de.gz"), lines(texts / f"{name}.en.gz")
        attempts = attempts_of(arguments.data / "multi30k-nbest" / f"{name}.nbest.gz", arguments.attempts)
        confidence, fit_mask = answers(engine, sources, attempts)
        if name == SETS[0]:
            thresholds = np.nanquantile(confidence, np.linspace(0.05, 1, 20)).tolist()
            threshold = max(thresholds, key=lambda x: scores(attempts, selections(confidence, fit_mask, x)[0], references)[0])
        ways = {
            "first attempt": (np.zeros(len(sources), int), 1.0),
            f"loop, threshold {threshold:.2f}": selections(confidence, fit_mask, threshold),
            "best of all": selections(confidence, fit_mask, 2.0),
        }
        for way, (selection, count) in ways.items():
            chrf, bleu = scores(attempts, selection, references)
            print(f"| {name} | {way} | {count:.2f} | {chrf:.2f} | {bleu:.2f} |", flush=True)


if __name__ == "__main__":
    main()
