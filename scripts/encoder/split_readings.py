"""Readings of the rows of a file by a cross-encoder, and their agreement with its labels."""

from collections.abc import Sequence

import numpy as np

from app.arrays import Float64s
from app.features import feature_set
from app.features.cross_encoder import reading_columns
from app.predictors.cross_encoder import CrossEncoder
from scripts.mlqe_pe.everything import LABEL_COLUMNS, Split

__all__ = ["READING_NAMES", "agreement", "read_split"]

READING_NAMES = tuple(feature.id for feature in feature_set("cross").features)


def read_split(split: Split, reader: CrossEncoder, rows: Sequence[int] | None = None) -> Float64s:
    """Columns of READING_NAMES (n, 9) of the rows, all by default."""
    texts = [split.column(name) for name in ("source", "translation")]
    sources, translations = texts if rows is None else ([side[row] for row in rows] for side in texts)
    return reading_columns(list(reader.read(split.pair, sources, translations)))


def agreement(split: Split, columns: Float64s) -> str:
    """Pearson of the readings with the labels of all rows, as text."""
    read = {label: columns[:, READING_NAMES.index(f"cross.{label}")] for label in LABEL_COLUMNS}
    correlations = (f"{label} {np.corrcoef(column, split.labels(label))[0, 1]:.3f}" for label, column in read.items())
    return f"{split.name}: Pearson of readings with {', '.join(correlations)}"
