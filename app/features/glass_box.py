"""Features of the MT system's own token log-probabilities (natural logs, end of sentence last)."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from app.features.declaration import Feature, Need
from app.features.requirements import PairResources
from app.text.arrays import Float64s
from app.text.batch import SegmentBatch
from app.text.errors import InputError

__all__ = ["GLASS_BOX", "compute_glass_box"]

FOMICHEVA: Final = "Fomicheva et al. 2020, Unsupervised quality estimation for NMT"


def _feature(name: str, description: str) -> Feature:
    return Feature(f"nmt.{name}", f"nmt_{name}", description, "confidence", FOMICHEVA, (Need.TOKEN_LOG_PROBS,))


GLASS_BOX: Final = (
    _feature("mean", "Mean token log-probability"),
    _feature("sum", "Sum of token log-probabilities"),
    _feature("min", "Smallest token log-probability"),
    _feature("max", "Largest token log-probability"),
    _feature("std", "Standard deviation of token log-probabilities (of the population)"),
    _feature("below_1", "Share of tokens with log-probability below -1"),
    _feature("below_2", "Share of tokens with log-probability below -2"),
    _feature("last", "Log-probability of the end of sentence"),
    _feature("percentile_10", "10th percentile of token log-probabilities, linearly interpolated"),
    _feature("percentile_25", "25th percentile of token log-probabilities, linearly interpolated"),
)


def compute_glass_box(batch: SegmentBatch, resources: PairResources, wanted: frozenset[str]) -> Mapping[str, Float64s]:
    """Columns of the wanted features; every segment must have at least one log-probability."""
    if batch.token_log_probs is None:
        raise InputError("log-prob-mismatch", "this feature set needs token_log_probs for every segment")
    rows = batch.token_log_probs
    lengths = np.array([len(row) for row in rows], np.int64)
    if (lengths == 0).any():
        at = int(np.argmin(lengths))
        raise InputError("log-prob-mismatch", "token_log_probs needs at least one number", ("segments", at, "token_log_probs"))
    flat = np.array([value for row in rows for value in row], np.float64)
    begins = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
    total = np.add.reduceat(flat, begins) if len(rows) else np.zeros(0)
    mean = total / np.maximum(lengths, 1)
    segment = np.repeat(np.arange(len(rows)), lengths)
    ordered = flat[np.lexsort((flat, segment))]
    centred = flat - mean[segment]
    spread = np.sqrt(np.bincount(segment, weights=centred**2, minlength=len(rows)) / np.maximum(lengths, 1))
    columns = {
        "nmt.mean": mean,
        "nmt.sum": total,
        "nmt.min": ordered[begins],
        "nmt.max": ordered[begins + lengths - 1],
        "nmt.std": spread,
        "nmt.below_1": np.bincount(segment, weights=flat < -1, minlength=len(rows)) / np.maximum(lengths, 1),
        "nmt.below_2": np.bincount(segment, weights=flat < -2, minlength=len(rows)) / np.maximum(lengths, 1),
        "nmt.last": flat[begins + lengths - 1],
        "nmt.percentile_10": _percentile(ordered, begins, lengths, 0.10),
        "nmt.percentile_25": _percentile(ordered, begins, lengths, 0.25),
    }
    return {name: column for name, column in columns.items() if name in wanted}


def _percentile(ordered: Float64s, begins: np.ndarray, lengths: np.ndarray, share: float) -> Float64s:
    place = share * (lengths - 1)
    low = np.floor(place).astype(np.int64)
    high = np.minimum(low + 1, lengths - 1)
    a, b = ordered[begins + low], ordered[begins + high]
    return np.asarray(a + (b - a) * (place - low))
