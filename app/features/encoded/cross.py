"""Features of a cross-encoder, which reads a source and its translation together in one pass."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.features.declaration import Column, Family, FeatureGroup
from app.features.needs import Resource, required
from app.features.view import PairReading, View

__all__ = ["CROSS_GROUP", "cross_columns", "cross_cut_rows", "cross_readings"]

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
    ("target.worst", "Highest probability of a cross-encoder that a piece of the translation is wrong"),
    ("source.wrong", "Share of source pieces that a cross-encoder takes for wrongly translated"),
    ("source.worst", "Highest probability of a cross-encoder that a source piece is wrongly translated"),
)


def cross_readings(view: View) -> Sequence[PairReading]:
    """Readings of all segments; InputError without a cross-encoder for the encoder."""
    reader = required(view.resources.cross_encoder, Resource.CROSS_ENCODER)
    table = required(required(view.resources.encoder, Resource.ENCODER).table, Resource.CROSS_ENCODER)
    return list(reader.read(view.batch.pair, table, *view.texts))


def cross_cut_rows(view: View) -> frozenset[int]:
    """Rows of segments that the cross-encoder has read only in part; none if nothing of the view asked it."""
    if not view.is_cached(cross_readings):
        return frozenset()
    return frozenset(row for row, reading in enumerate(view.cached(cross_readings)) if reading.is_cut)


def cross_columns(view: View) -> Float64s:
    """Columns of NAMES (n, 11); shares of a side without pieces are 0."""
    out = np.zeros((len(view), len(NAMES)))
    for row, reading in enumerate(view.cached(cross_readings)):
        out[row, :4] = reading.labels
        if len(reading.target):
            out[row, 4:8], out[row, 8] = reading.target.mean(0), reading.target[:, 0].max()
        if len(reading.source):
            out[row, 9:] = reading.source.mean(), reading.source.max()
    return out


def _column(k: int) -> Column:
    return lambda view: view.cached(cross_columns)[:, k]


for _k, (_name, _description) in enumerate(NAMES):
    _id = f"cross.{_name}"
    CROSS_GROUP.add(
        _id, _id.replace(".", "_"), _description, Family.ADEQUACY, _column(_k), Resource.ENCODER, Resource.CROSS_ENCODER
    )
