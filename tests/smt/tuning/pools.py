"""Pools to tune on: random ones whose best weights are told, and slices of real lists."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from app.metrics import metric_named
from app.smt.tuning.matrix import HypothesisFeatures
from app.smt.tuning.pool import TuningPool, pool_of
from app.text.reading.n_best_lists.bars import read_n_best
from tests.conftest import SHARED

DATA = SHARED / "data"
BLEU = "bleu|tok:none|smooth:none"


def random_pool(seed: int = 0, segments: int = 30, size: int = 12, width: int = 4, metric: str = BLEU) -> TuningPool:
    """Statistics of BLEU that are better the higher a hidden weighted sum is, with noise."""
    rng = np.random.default_rng(seed)
    h = segments * size
    features = rng.normal(size=(h, width)) * 10.0 ** np.arange(width)
    quality = 1 / (1 + np.exp(-(features / 10.0 ** np.arange(width)) @ np.linspace(1, -1, width) - rng.normal(size=h)))
    length = rng.integers(8, 14, h)
    totals = np.maximum(length[:, None] - np.arange(4), 0)
    matches = rng.binomial(totals, quality[:, None] ** np.arange(1, 5))
    statistics = np.column_stack([length, np.full(h, 11), matches, totals]).astype(float)
    names = tuple("abcdefghij"[:width])
    return TuningPool(
        np.arange(0, h + 1, size), names, HypothesisFeatures(features), metric_named(metric), statistics, np.arange(segments)
    )


def read(path: Path) -> list[str]:
    if not path.exists():
        pytest.skip(f"no {path.name} beside the repository")
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return text.decode().rstrip("\n").split("\n")


def moses_pool(metric: str = BLEU) -> TuningPool:
    lists = read_n_best(read(DATA / "moses-nbest" / "nbest.out.gz"))
    return pool_of(lists, metric_named(metric), [read(DATA / "moses-nbest" / "reference.txt.gz")[: len(lists)]])
