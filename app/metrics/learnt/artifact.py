"""A trained linear metric: features by name, weights, scaling. It is stored as one JSON file without code."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.text.reading.stored_json import as_kind, read_object

__all__ = ["OUTPUTS", "PARSER", "TABLES", "TrainedMetric", "load_trained_metrics", "read_trained_metric", "save_trained_metric"]

SCHEMA_VERSION: Final = 1
TAG_FEATURE: Final = re.compile(r"(pos|mixed)\d")
ALIGNED_FEATURE: Final = re.compile(r"matched|order\.")
TABLES, PARSER = "tables", "parser"
LARGEST_FILE: Final = 1_000_000
# Kinds of conversion of a raw score into the reported score.
OUTPUTS: Final = ("linear", "logistic", "ratio")


@dataclass(frozen=True)
class TrainedMetric:
    """A linear metric, ``raw = weights · (features - low) / (high - low) + bias``, and the conversion of raw scores.

    `output` is ``linear`` (slope × raw + intercept), ``logistic`` (σ of the linear output) or ``ratio``. The ratio is
    2 σ(raw - raw'), with the raw score raw' of the reference against itself (Stanojević's thesis, equation 6.4).
    Then `clip` bounds the output and `scale` multiplies it. `resources` are the first digits of the checksums of METEOR's tables
    and of the parser in training, by `TABLES` and `PARSER`.
    """

    id: str
    kind: str
    language: str
    features: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float = 0.0
    output: str = "linear"
    slope: float = 1.0
    intercept: float = 0.0
    clip: tuple[float | None, float | None] = (None, None)
    scale: float = 1.0
    unit: str = "points"
    tokenise: str = "13a"
    lowercase: bool = False
    function_words: tuple[str, ...] = ()
    stem: str | None = None
    resources: Mapping[str, str] = field(default_factory=dict)
    card: Mapping[str, Any] = field(default_factory=dict)
    checksum: str = ""

    @property
    def needs_tags(self) -> bool:
        """Return True if a feature reads parts of speech."""
        return any(TAG_FEATURE.match(name) for name in self.features)

    @property
    def aligns(self) -> bool:
        """Return True if a feature reads the alignment of words."""
        return any(ALIGNED_FEATURE.match(name) for name in self.features)

    @property
    def needs_tables(self) -> bool:
        """Return True if the alignment reads METEOR's tables."""
        return TABLES in self.resources

    @property
    def needs_trees(self) -> bool:
        """Return True if a feature reads dependency trees."""
        return any(name.startswith("arcs.") for name in self.features)

    def raw_scores(self, values: Float64s) -> Float64s:
        """Raw scores of rows of k features; (n, k) to (n,)."""
        low, high = np.array(self.low), np.array(self.high)
        return np.asarray((values - low) / (high - low) @ np.array(self.weights) + self.bias)

    def scores(self, values: Float64s, reference_values: Float64s | None = None) -> Float64s:
        """Reported scores; (n, k) to (n,). The output ``ratio`` needs the features of the references against themselves."""
        raw = self.raw_scores(values)
        if self.output == "ratio":
            if reference_values is None:
                raise ValueError("the output ratio needs features of the references against themselves")
            result = 2.0 * _logistic(raw - self.raw_scores(reference_values))
        else:
            result = self.slope * raw + self.intercept
            if self.output == "logistic":
                result = _logistic(result)
        low, high = self.clip
        return np.asarray(self.scale * np.clip(result, -np.inf if low is None else low, np.inf if high is None else high))


MEMBERS: Final = frozenset(TrainedMetric.__dataclass_fields__)


def _logistic(x: Float64s) -> Float64s:
    # This form overflows for no x.
    return np.asarray(np.where(x >= 0, 1.0, np.exp(-np.abs(x))) / (1.0 + np.exp(-np.abs(x))))


def save_trained_metric(metric: TrainedMetric, path: Path) -> None:
    """Write a metric as a JSON file; equal metrics give equal bytes."""
    values = {"schema_version": SCHEMA_VERSION, **asdict(metric)}
    del values["checksum"]
    if not metric.resources:
        del values["resources"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values, indent=1, ensure_ascii=False, allow_nan=False) + "\n", "utf-8")


def read_trained_metric(path: Path) -> TrainedMetric:
    """Read a file of `save_trained_metric`; InputError (``unknown-model``) if it is damaged or no such file."""
    try:
        values = read_object(path, LARGEST_FILE)
        if values.pop("schema_version", None) != SCHEMA_VERSION or not values.keys() <= MEMBERS:
            raise ValueError("not this format")
        metric = as_kind(TrainedMetric, {**values, "checksum": hashlib.sha256(path.read_bytes()).hexdigest()}, path.name)
        _check(metric)
    except (OSError, ValueError, ArithmeticError) as error:
        reason = (error.strerror or "it cannot be read") if isinstance(error, OSError) else error
        raise InputError("unknown-model", f"{path.name} is not a trained metric: {reason}") from None
    return metric


def _check(metric: TrainedMetric) -> None:
    count = len(metric.features)
    numbers = (*metric.low, *metric.high, *metric.weights, metric.bias, metric.slope, metric.intercept, metric.scale)
    if not count or any(len(vector) != count for vector in (metric.low, metric.high, metric.weights)):
        raise ValueError("features, bounds and weights differ in number")
    if not all(isfinite(number) for number in numbers) or any(a == b for a, b in zip(metric.low, metric.high, strict=True)):
        raise ValueError("a number is not finite or a feature has no width")
    if metric.output not in OUTPUTS:
        raise ValueError(f"the output is one of {', '.join(OUTPUTS)}")
    card_texts = (metric.card.get("licence", ""), metric.card.get("created") or "")
    if not metric.id or not metric.id.isprintable() or not all(isinstance(text, str) for text in card_texts):
        raise ValueError("its id is no printable name, or licence or time of its card is no text")
    if not isinstance(metric.card.get("accuracy", {}), Mapping):
        raise ValueError("the accuracy of its card is no object")


def load_trained_metrics(*folders: Path) -> dict[str, TrainedMetric]:
    """All trained metrics of the folders by id, in the order of file names."""
    paths = [path for folder in folders if folder.is_dir() for path in sorted(folder.glob("*.json"))]
    metrics = [read_trained_metric(path) for path in paths]
    return {metric.id: metric for metric in metrics}
