"""Preorderers against gold orders: ``python -m benchmarks.preordering DATA [PAIR ...]``.

DATA has the folder ``pud-aligned``: 884 to 999 English sentences with gold trees, and gold links of content words. Each system learns
from a half of a pair and orders the other half, then the halves change roles. Measures are means over the sentences of both halves, with
95 % intervals of 2,000 bootstrap samples of sentences. The bracketing preorderer sees lower-cased words, universal and English tags;
grammars see English tags alone. Grammars have the mean over their seeds; with *seeds* in the name, all seeds choose an order together.
"""

import gzip
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from app.resources.linear_tagger import LINEAR_TAGGER, load_linear_model
from app.resources.tagger import UNIVERSAL_TAGS, LinearTagger
from app.settings import ROOT
from app.smt.preordering.bracketing import BracketingOptions
from app.smt.preordering.evaluation import OrderScores, evaluate_orders
from app.smt.preordering.gold import gold_order, linked_places, mean_places
from app.smt.preordering.head_final import HeadFinalRule
from app.smt.reordering.models.bracketing import learn_mean
from app.smt.reordering.models.preordering import preorder
from app.smt.reordering.models.stored import TrainingOptions
from app.smt.reordering.models.training import train_grammar
from app.smt.reordering.treebank import Trees, build_treebank
from app.text.batch import pack_tokens
from benchmarks.content_links import PAIRS, gold_links, words

SPLITS, STEPS, NOISE, SAMPLES, SEEDS = 10, 50, 0.5, 500, 4
SHARE, LONGEST = 0.03, 100
TREES: tuple[Trees, ...] = ("left", "right", "itg", "forest")
MIXTURE = f"grammar, forest, smoothed, {SEEDS} seeds"
Orders = list[list[int]]


@dataclass
class Sentence:
    words: list[str]
    columns: list[list[str]]
    heads: list[int]
    links: np.ndarray

    @cached_property
    def places(self) -> np.ndarray:
        return mean_places(len(self.heads), self.links)


def read_sentences(folder: Path) -> list[Sentence]:
    paths = [folder / "en.conllu.gz", folder / "target.conllu.gz"]
    links = gold_links(folder / "alignment.json.gz", *map(words, paths))
    blocks = gzip.open(paths[0], "rt", encoding="utf-8").read().strip().split("\n\n")
    sentences = []
    for block, row in zip(blocks, links, strict=False):
        cells = [line.split("\t") for line in block.split("\n") if line.split("\t")[0].isdecimal()]
        columns = [[cell[1].lower() for cell in cells], [cell[3] for cell in cells], [cell[4] for cell in cells]]
        heads = [int(cell[6]) - 1 for cell in cells]
        sentences.append(Sentence([cell[1] for cell in cells], columns, heads, np.array(sorted(row), np.int64).reshape(-1, 2)))
    return sentences


def head_final(test: Sequence[Sentence], rule: HeadFinalRule, tagger: LinearTagger | None = None) -> Orders:
    """Orders by gold trees, or by those of a tagger."""
    if tagger is None:
        return [rule.order(sentence.heads, sentence.columns[1]) for sentence in test]
    orders = []
    for sentence in test:
        annotation = tagger.annotate(pack_tokens([sentence.words]), True)
        orders.append(rule.order(annotation.heads.tolist(), [UNIVERSAL_TAGS[tag] for tag in annotation.tags]))
    return orders


def bracketing(training: Sequence[Sentence], test: Sequence[Sentence]) -> list[Orders]:
    """Orders of the first seed, and of the mean weights of all seeds."""
    sentences, places = [row.columns for row in training], [row.places for row in training]
    models = [learn_mean(sentences, places, BracketingOptions(), count) for count in (1, SEEDS)]
    return [[model.order(row.columns) for row in test] for model in models]


def grammars(
    training: Sequence[Sentence], test: Sequence[Sentence], trees: Trees, seeds: int, smooth: bool = False
) -> list[Orders]:
    """Orders of each seed, then of all seeds together."""
    treebank = build_treebank([(row.columns[2], row.links) for row in training], trees, rare=1, longest=LONGEST)
    options = [
        TrainingOptions(trees, splits=(SPLITS, 3), iterations=STEPS, noise=NOISE, seed=seed, smoothing=SHARE if smooth else 0)
        for seed in range(seeds)
    ]
    models = [train_grammar(treebank, row)[0] for row in options]
    groups = [*([model] for model in models), models]
    return [[preorder(group, row.columns[2], samples=SAMPLES * len(group)).orders[0].tolist() for row in test] for group in groups]


def systems(training: Sequence[Sentence], test: Sequence[Sentence]) -> dict[str, list[Orders]]:
    """Orders of each system, of each seed."""

    tagger = LinearTagger(load_linear_model(ROOT / "resources" / "en" / "tagger" / LINEAR_TAGGER))
    single, mean = bracketing(training, test)
    smooth = grammars(training, test, "forest", SEEDS, True)
    return {
        "none": [[list(range(len(row.heads))) for row in test]],
        "head-final, functions before": [head_final(test, HeadFinalRule(functions=False))],
        "head-final": [head_final(test, HeadFinalRule())],
        "head-final, trees of Assay's parser": [head_final(test, HeadFinalRule(), tagger)],
        "bracketing": [single],
        f"bracketing, {SEEDS} seeds": [mean],
        **{f"grammar, {trees}": grammars(training, test, trees, SEEDS // 2)[:-1] for trees in TREES},
        "grammar, forest, smoothed": smooth[:-1],
        MIXTURE: smooth[-1:],
        "gold": [[gold_order(len(row.heads), row.links).tolist() for row in test]],
    }


def measures(orders: Sequence[Orders], test: Sequence[Sentence]) -> tuple[np.ndarray, np.ndarray]:
    """Means over seeds, of each sentence: Kendall of all words; Kendall, fuzzy and complete match of linked words."""
    candidates = [(k, linked_places(len(row.heads), row.links)) for k, row in enumerate(test)]
    rows = [(k, places) for k, places in candidates if places is not None]
    total = np.mean([evaluate_orders(seed, [row.places for row in test]).kendall for seed in orders], axis=0)
    scores: list[OrderScores] = [evaluate_orders([seed[k] for k, _ in rows], [places for _, places in rows]) for seed in orders]
    return total, np.mean([[score.kendall, score.fuzzy, score.complete] for score in scores], axis=0)


def interval(values: np.ndarray) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    low, high = np.percentile(values[rng.integers(0, len(values), (2000, len(values)))].mean(1), [2.5, 97.5])
    return float(low), float(high)


def main() -> None:
    for pair in sys.argv[2:] or PAIRS:
        sentences = read_sentences(Path(sys.argv[1]) / "pud-aligned" / pair)
        halves = sentences[: len(sentences) // 2], sentences[len(sentences) // 2 :]
        parts: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
        for training, test in (halves, halves[::-1]):
            for name, orders in systems(training, test).items():
                parts.setdefault(name, []).append(measures(orders, test))
        values = {
            name: (np.concatenate([a for a, _ in rows]), np.concatenate([b for _, b in rows], 1)) for name, rows in parts.items()
        }
        count, linked_count = len(sentences), values["none"][1].shape[1]
        print(f"\n{pair}: {count} sentences, {linked_count} with an order of their linked words\n")
        print(
            "| System | Kendall | interval | linked: Kendall | interval | fuzzy | complete |\n| --- | --- | --- | --- | --- | --- | --- |"
        )
        for name, (total, part) in values.items():
            cells = []
            for row in (total, part[0]):
                low, high = interval(row)
                cells += [f"{row.mean():.3f}", f"{low:.3f}–{high:.3f}"]
            print(f"| {name} | {' | '.join(cells)} | {part[1].mean():.3f} | {part[2].mean():.3f} |", flush=True)
        for rival in ("head-final", "bracketing", f"bracketing, {SEEDS} seeds"):
            differences = [values[MIXTURE][0] - values[rival][0], values[MIXTURE][1][0] - values[rival][1][0]]
            texts = [f"{row.mean():+.3f} ({interval(row)[0]:+.3f} to {interval(row)[1]:+.3f})" for row in differences]
            print(f"{MIXTURE} - {rival}: Kendall {texts[0]}, of linked words {texts[1]}", flush=True)


if __name__ == "__main__":
    main()
