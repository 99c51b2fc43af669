"""Features of a cross-encoder, which reads a source and its translation together in one pass."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.features.declaration import Column, Family, FeatureGroup
from app.features.needs import Resource, required
from app.features.view import View
from app.resources.pieces.reader import PairReading

__all__ = ["CROSS_GROUP", "computed_readings", "cross_cut_rows", "cross_readings", "reading_columns"]

CROSS_GROUP: Final = FeatureGroup(
    "What a cross-encoder reads in both texts", "Devlin et al. 2019, BERT; Rei et al. 2022, CometKiwi"
)
NAMES: Final = (
    ("da", "Direct assessment as a cross-encoder expects it, in standard deviations of a pair"),
    ("hter", "HTER as a cross-encoder expects it, in standard deviations of a pair"),
    ("mqm", "MQM points per 100 words as a cross-encoder expects them, in standard deviations of their logarithm"),
    ("critical", "Log odds of a critical error by a cross-encoder"),
    ("target.wrong", "Share of pieces of the translation that a cross-encoder takes for wrong"),
    ("target.gaps", "Share of pieces of the translation before which a cross-encoder misses words"),
    ("target.errors", "Share of pieces of the translation in errors of MQM, by a cross-encoder"),
    ("target.major", "Share of pieces of the translation in major errors of MQM, by a cross-encoder"),
    ("source.wrong", "Share of source pieces that a cross-encoder takes for wrongly translated"),
)


def cross_readings(view: View) -> Sequence[PairReading]:
    """Readings of all segments; InputError without a cross-encoder."""
    reader = required(view.resources.cross_encoder, Resource.CROSS_ENCODER)
    pairs = list(zip(*view.texts, strict=True))
    # Equal pairs are read once.
    distinct = list(dict.fromkeys(pairs))
    results = reader.spreading.results(lambda number: reader.reading(view.batch.pair, *distinct[number]), len(distinct))
    readings = dict(zip(distinct, results, strict=True))
    return [readings[pair] for pair in pairs]


def cross_cut_rows(view: View) -> frozenset[int]:
    """Rows of segments that the cross-encoder has read only in part; none if nothing of the view asked it."""
    if not view.is_cached(cross_readings):
        return frozenset()
    return frozenset(row for row, reading in enumerate(view.cached(cross_readings)) if reading.is_cut)


def cross_columns(view: View) -> Float64s:
    """Columns of NAMES (n, 9) of all segments."""
    return reading_columns(view.cached(cross_readings))


def computed_readings(view: View) -> Mapping[str, Float64s] | None:
    """Columns by feature id, and the numbers of pieces `source` and `target`; None if nothing of the view has asked the network."""
    if not view.is_cached(cross_readings):
        return None
    readings = view.cached(cross_readings)
    lengths = {side: np.array([len(getattr(reading, side)) for reading in readings], float) for side in ("source", "target")}
    return {f"cross.{name}": column for (name, _), column in zip(NAMES, view.cached(cross_columns).T, strict=True)} | lengths


def reading_columns(readings: Sequence[PairReading]) -> Float64s:
    """Columns of NAMES (n, 9) of readings; shares of a side without pieces are 0."""
    out = np.zeros((len(readings), len(NAMES)))
    for row, reading in enumerate(readings):
        out[row, :4] = reading.labels
        if len(reading.target):
            out[row, 4:8] = reading.target.mean(0)
        if len(reading.source):
            out[row, 8] = reading.source.mean()
    return out


def _column(k: int) -> Column:
    return lambda view: view.cached(cross_columns)[:, k]


for _k, (_name, _description) in enumerate(NAMES):
    _id = f"cross.{_name}"
    CROSS_GROUP.add(_id, _id.replace(".", "_"), _description, Family.ADEQUACY, _column(_k), Resource.CROSS_ENCODER)
