"""Twenty lists of six hypotheses, one of whose three features says something, and one nothing."""

import numpy as np

from app.metrics import metrics_named
from app.text.n_best import NBestLists
from benchmarks.smt.protocols.measured_lists import MeasuredLists, measure

WORDS = [
    "a",
    "man",
    "in",
    "a",
    "red",
    "shirt",
    "stands",
    "on",
    "the",
    "street",
    "and",
    "looks",
    "at",
    "two",
    "small",
    "dogs",
    "that",
    "run",
    "over",
    "grass",
]


def small_lists(seed: int, segments: int = 20, size: int = 6) -> tuple[NBestLists, list[str]]:
    rng = np.random.default_rng(seed)
    rows, references = [], []
    for _ in range(segments):
        reference = rng.choice(WORDS, 9).tolist()
        references.append(" ".join(reference))
        row = []
        for place in range(size):
            broken = rng.random(9) < rng.random()
            words = [str(rng.choice(WORDS)) if broke else word for word, broke in zip(reference, broken, strict=True)]
            noisy = -float(broken.sum()) + rng.normal() * 2
            features = {"good": [noisy, float(rng.normal())], "flat": [1.0]}
            row.append({"text": " ".join(words), "score": float(-place), "features": features})
        rows.append(row)
    return NBestLists.from_json(rows), references


def measured(seed: int, *metrics: str, segments: int = 20) -> MeasuredLists:
    lists, references = small_lists(seed, segments)
    return measure(lists, metrics_named(metrics or ("bleu|tok:none", "ter")), [references])
