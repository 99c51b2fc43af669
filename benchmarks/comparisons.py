"""Verdicts without references beside people: ``python -m benchmarks.comparisons DATA [--labels da mqm] [--profile accurate] [--save FOLDER]``.

DATA has ``wmt-mqm`` and ``bio-mqm``. Systems of held-out talks and abstracts are compared two by two by the paired bootstrap of predicted
scores, as `assay rank` does. People's verdict is the difference of mean MQM penalties over equal segments. A row has the number of
pairs of systems and the share with a verdict (p < 0.05). The next columns have the share of verdicts that people agree with, of all
and of those whose difference by people is significant. `by chance` is the share of verdicts after a random exchange of both systems in each segment, where none is true.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from app.engine import Engine
from app.engine.segments import Segments
from app.settings import Settings
from benchmarks.judged_systems import JudgedTranslations, abstracts, pairs_of_abstracts, talks

HELD_OUT_TALKS = {"en-de": (2, 4), "zh-en": (4, 6)}
SIZES = (0.0, 0.02, 0.1, 0.25)
MINIMUM, ALPHA, RESAMPLES, EXCHANGES = 30, 0.05, 1000, 20


@dataclass(frozen=True)
class Comparison:
    """Gains (n,) of one system over another on common sources: predicted, and people's; higher is better."""

    predicted: np.ndarray
    human: np.ndarray


def p_value(gains: np.ndarray, rng: np.random.Generator) -> float:
    """Two-sided p-value of a mean gain by the bootstrap."""
    means = gains[rng.integers(0, len(gains), (RESAMPLES, len(gains)))].mean(1)
    return float((np.abs(means - gains.mean()) >= abs(gains.mean())).mean())


def held_out(data: Path) -> Iterator[tuple[str, JudgedTranslations, np.ndarray]]:
    """Corpora with the mask of their held-out rows."""
    for pair, folds in HELD_OUT_TALKS.items():
        part = talks(data, pair)
        yield f"TED {pair}", part, np.isin(part.folds, folds)
    for pair in pairs_of_abstracts(data):
        part = abstracts(data, pair, 10**6, 1)
        yield f"Abstracts {pair}", part, part.folds == 0


def scores_of(engine: Engine, data: JudgedTranslations, rows: np.ndarray, label: str, path: Path | None) -> np.ndarray:
    """Predicted scores (n,) of rows; higher is better."""
    if path is not None and path.exists():
        return np.load(path)
    at = np.flatnonzero(rows)
    parts = []
    for k in range(0, len(at), 256):
        part = at[k : k + 256]
        segments = Segments(data.pair, data.source_texts[part].tolist(), data.translations[part].tolist())
        answer = engine.quality(segments, label=label)
        sign = 1.0 if answer.model.label.higher_is_better else -1.0
        parts.append(sign * answer.prediction.mean)
    values = np.concatenate(parts)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, values)
    return values


def comparisons_of(data: JudgedTranslations, rows: np.ndarray, scores: np.ndarray) -> Iterator[Comparison]:
    """Comparisons of machine systems, two by two."""
    at = np.flatnonzero(rows)
    tables = {
        system: {data.sources[k]: (scores[i], -data.penalties[k]) for i, k in enumerate(at) if data.systems[k] == system}
        for system in np.unique(data.systems[at])
        if system != data.reference
    }
    for first, second in combinations(tables.values(), 2):
        common = sorted(first.keys() & second.keys())
        if len(common) >= MINIMUM:
            gains = np.array([np.subtract(first[source], second[source]) for source in common])
            yield Comparison(gains[:, 0], gains[:, 1])


def figures_of(comparisons: list[Comparison], rng: np.random.Generator) -> tuple[int, float, float, float, float]:
    """Number of pairs, share of verdicts, agreement, agreement where people are sure, and share of verdicts by chance."""
    p = np.array([p_value(row.predicted, rng) for row in comparisons])
    people = np.array([p_value(row.human, rng) for row in comparisons])
    agree_mask = np.array([np.sign(row.predicted.mean()) == np.sign(row.human.mean()) for row in comparisons])
    verdict_mask = p < ALPHA
    sure_mask = verdict_mask & (people < ALPHA)
    by_chance = [
        p_value(row.predicted * rng.choice((-1.0, 1.0), len(row.predicted)), rng) < ALPHA
        for row in comparisons
        for _ in range(EXCHANGES)
    ]
    agreement = float(agree_mask[verdict_mask].mean()) if verdict_mask.any() else np.nan
    sure_agreement = float(agree_mask[sure_mask].mean()) if sure_mask.any() else np.nan
    return len(p), float(verdict_mask.mean()), agreement, sure_agreement, float(np.mean(by_chance))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.comparisons", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--labels", nargs="*", default=["da"])
    parser.add_argument("--profile", default="accurate")
    parser.add_argument("--save", type=Path, help="folder for scores")
    options = parser.parse_args()
    engine = Engine.of_settings(Settings()).at(options.profile)
    corpora = list(held_out(options.data))
    print("| Label | Corpus | pairs | verdicts | people agree | sure people agree | by chance |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for label in options.labels:
        all_comparisons: list[Comparison] = []
        for name, data, rows in corpora:
            path = options.save / f"{options.profile}-{label}-{name.replace(' ', '-')}.npy" if options.save else None
            comparisons = list(comparisons_of(data, rows, scores_of(engine, data, rows, label, path)))
            all_comparisons += comparisons
            if comparisons:
                print_row(label, name, comparisons)
        print_row(label, "all", all_comparisons)
        print_sizes(all_comparisons)


def print_row(label: str, name: str, comparisons: list[Comparison]) -> None:
    count, *shares = figures_of(comparisons, np.random.default_rng(12345))
    print(f"| {label} | {name} | {count} | " + " | ".join(f"{share:.3f}" for share in shares) + " |", flush=True)


def print_sizes(comparisons: list[Comparison]) -> None:
    """Share of pairs that people order alike, by the size of the predicted difference."""
    sizes = np.array([abs(row.predicted.mean()) for row in comparisons])
    agree_mask = np.array([np.sign(row.predicted.mean()) == np.sign(row.human.mean()) for row in comparisons])
    print("\n| Predicted difference from | pairs | people agree |\n| --- | --- | --- |")
    for low, high in pairwise((*SIZES, np.inf)):
        mask = (sizes >= low) & (sizes < high)
        print(f"| {low} | {mask.sum()} | {agree_mask[mask].mean():.3f} |", flush=True)


if __name__ == "__main__":
    main()
