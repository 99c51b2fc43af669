"""Weights files: JSON with weights by feature, and a card with their origin.

``{"format": "assay-weights", "version": 1, "weights": {"d": [0.2, -0.1], "lm": [0.7]}, "card": {…}}``. The answer of a tuning
contains the same object as ``weights``; the reader accepts both.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from types import MappingProxyType
from typing import Any, Final

from app import __version__
from app.errors import InputError
from app.metrics import Metric
from app.smt.tuning.tune import TuningRuns
from app.smt.tuning.weight_spread import spread_of
from app.smt.tuning.weights import FeatureWeights
from app.text.n_best import NBestLists
from app.text.reading.checking import check_segments
from app.text.reading.encodings import MARKS

__all__ = [
    "FORMAT",
    "LOCAL_FORMAT",
    "VERSION",
    "TunedWeightsFile",
    "card_of",
    "checked_weights",
    "checksum",
    "in_utf8",
    "invalid_weights",
    "read_object",
    "read_weights",
    "write_weights",
]

FORMAT: Final = "assay-weights"
LOCAL_FORMAT: Final = "assay-local-weights"
VERSION: Final = 1
LARGEST_FILE: Final = 1 << 27
NO_CARD: Final[Mapping[str, Any]] = MappingProxyType({})
# Least largest weight of a file: sums of smaller weights lose the order of hypotheses.
SMALLEST: Final = 1e-30


@dataclass(frozen=True)
class TunedWeightsFile:
    """Weights and their card; unknown fields of a card are kept."""

    weights: FeatureWeights
    card: Mapping[str, Any] = field(default_factory=lambda: NO_CARD)


def read_weights(raw: bytes, name: str = "weights") -> TunedWeightsFile:
    """Read a weights file, or the answer of a tuning; InputError (`invalid-weights`) names the fault.

    Every weight must be a finite number, and at least one must differ from 0.
    """
    content, place = read_object(raw, name), tuple[str, ...]((name,))
    if "format" not in content and isinstance(inner := content.get("weights"), dict) and "format" in inner:
        content, place = inner, (name, "weights")
    if content.get("format") == LOCAL_FORMAT:
        detail = "this file has weights for single sentences, by assay nbest tune-local; use it with assay nbest rerank --weights"
        raise invalid_weights(detail, (*place, "format"))
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise invalid_weights(f"expected the format {FORMAT}, version {VERSION}", (*place, "format"))
    card = content.get("card", {})
    if not isinstance(card, dict):
        raise invalid_weights("card must be an object", (*place, "card"))
    return TunedWeightsFile(checked_weights(content.get("weights"), (*place, "weights")), card)


def checked_weights(values: Any, place: tuple[str | int, ...]) -> FeatureWeights:
    """Check weights by feature, at `place` in a file; InputError if they are not valid."""
    if not isinstance(values, dict):
        raise invalid_weights("weights are an object", place)
    weights = {feature: _components(row, (*place, feature)) for feature, row in values.items()}
    _check(weights, place)
    return FeatureWeights(weights)


def write_weights(file: TunedWeightsFile) -> bytes:
    """Return the bytes of a file; equal weights and card give equal bytes. InputError if `read_weights` would refuse them."""
    weights = {feature: tuple(map(float, row)) for feature, row in file.weights.values.items()}
    _check(weights, ("weights",))
    content = {"format": FORMAT, "version": VERSION, "weights": weights, "card": dict(file.card)}
    try:
        return (json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode()
    except ValueError:
        raise invalid_weights("names must be text, and numbers finite", ("weights",)) from None


def signature_of(metric: Metric, references: Collection[Sequence[str]]) -> str:
    """Signature of a metric; statistics without references tell neither their number nor the tokens."""
    return metric.signature(len(references)) if references else f"{metric.name}|statistics"


def card_of(result: TuningRuns, metric: Metric, lists: NBestLists, references: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the card of tuned weights: data, method and settings, and development scores."""
    return {
        "method": result.method,
        "metric": signature_of(metric, references),
        "features": list(dict.fromkeys(result.names)),
        "constant": list(result.constant),
        "data": {
            "sha256": checksum(lists, references),
            "segments": len(lists),
            "without_hypotheses": int((lists.lengths == 0).sum()),
            "hypotheses": len(lists.scores),
        },
        "take": result.take,
        "dev_score": result.selection.score,
        "interval": [result.interval.low, result.interval.high],
        "first": result.first,
        "start": result.start,
        "seed": result.selection.seed,
        "seeds": [run.seed for run in result.runs],
        "runs": [
            {"seed": run.seed, "dev_score": run.score, "held_out": run.held_out}
            | {"weights": FeatureWeights.of(result.names, run.weights).values}
            for run in result.runs
        ],
        "spread": spread_of(result.names, result.selection.weights, result.units, [run.weights for run in result.runs]),
        "assay": __version__,
    }


def checksum(lists: NBestLists, references: Sequence[Sequence[str]]) -> str:
    """Return the SHA-256 of the content of lists and references, independent of file forms."""
    digest = hashlib.sha256()
    sparse = lists.sparse
    names = [lists.names, () if sparse is None else sparse.names]
    digest.update(json.dumps([names, list(map(list, references))]).encode())
    for part in lists.content():
        digest.update(part)
    return digest.hexdigest()


def invalid_weights(detail: str, place: tuple[str | int, ...]) -> InputError:
    """Return the error about weights in a file."""
    return InputError("invalid-weights", detail, place)


def in_utf8(raw: bytes, name: str) -> bytes:
    """Convert a file with byte-order mark (UTF-8, UTF-16, UTF-32) to plain UTF-8; other bytes stay as they are."""
    mark, codec = next(((mark, codec) for mark, codec in MARKS if raw.startswith(mark)), (b"", "utf-8"))
    if codec == "utf-8":
        return raw.removeprefix(mark)
    try:
        return raw[len(mark) :].decode(codec).encode()
    except UnicodeDecodeError:
        raise invalid_weights(f"the byte-order mark means {codec}, but the text is not; save the file as UTF-8", (name,)) from None


def read_object(raw: bytes, name: str) -> Mapping[str, Any]:
    """Parse a weights file; InputError for duplicate names, infinite numbers, or anything but an object."""
    if len(raw) > LARGEST_FILE:
        raise InputError("document-too-large", f"a weights file has at most {LARGEST_FILE} bytes", (name,))
    try:
        content = json.loads(in_utf8(raw, name).decode(), object_pairs_hook=_unique_members, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        double = isinstance(error, _DoubleError)
        raise invalid_weights("a name stands twice" if double else "expected JSON with finite numbers", (name,)) from None
    if not isinstance(content, dict):
        raise invalid_weights("expected an object, as assay nbest tune --out writes it", (name,))
    return content


class _DoubleError(ValueError):
    """Error: an object repeats a name."""


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise _DoubleError
    return content


def _refused(constant: str) -> float:
    raise ValueError(constant)


def _components(row: Any, place: tuple[str | int, ...]) -> tuple[float, ...]:
    if not isinstance(row, list) or not row:
        raise invalid_weights("weights of a feature must be a list of numbers, one per component", place)
    for k, value in enumerate(row):
        if type(value) not in (int, float) or not isfinite(_float(value)):
            raise invalid_weights("a weight must be a finite number", (*place, k))
    return tuple(map(float, row))


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _check(weights: Mapping[str, Sequence[float]], place: tuple[str | int, ...]) -> None:
    """Raise InputError if all weights are 0, or a name cannot be encoded."""
    for feature, row in weights.items():
        try:
            check_segments([feature], len(feature), place)
        except InputError:
            raise invalid_weights("a feature's name contains a character that UTF-8 cannot encode", place) from None
        for k, value in enumerate(row):
            if not isfinite(value):
                raise invalid_weights("a weight must be a finite number", (*place, feature, k))
    if max((abs(value) for row in weights.values() for value in row), default=0.0) < SMALLEST:
        raise invalid_weights("all weights are 0; at least one must differ", place)
