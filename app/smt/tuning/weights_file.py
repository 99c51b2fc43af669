"""Weights as the artifact that is kept: JSON with the weights by feature, and a card that says where they are from.

``{"format": "assay-weights", "version": 1, "weights": {"d": [0.2, -0.1], "lm": [0.7]}, "card": {…}}``, which also stands under
``weights`` in the answer of a tuning, and is read from there.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from app import __version__
from app.errors import InputError
from app.metrics import Metric
from app.smt.tuning.tune import Tuned
from app.smt.tuning.weight_spread import spread_of
from app.smt.tuning.weights import Weights
from app.text.n_best import NBestLists
from app.text.reading.checking import check_segments
from app.text.reading.encodings import MARKS

__all__ = [
    "FORMAT",
    "LOCAL_FORMAT",
    "VERSION",
    "WeightsFile",
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
# Smaller ones, where they are the largest of a file, are no weights: their order would be lost in sums.
SMALLEST: Final = 1e-30


@dataclass(frozen=True)
class WeightsFile:
    """Weights and their card; what a card says that this version does not know is kept as it is."""

    weights: Weights
    card: Mapping[str, Any] = field(default_factory=lambda: NO_CARD)


def read_weights(raw: bytes, name: str = "weights") -> WeightsFile:
    """A file of weights, or the answer of a tuning that has one; InputError (`invalid-weights`) names what is not as it should be.

    Every weight is a finite number, and at least one of them is not 0.
    """
    content, place = read_object(raw, name), tuple[str, ...]((name,))
    if "format" not in content and isinstance(answered := content.get("weights"), dict) and "format" in answered:
        content, place = answered, (name, "weights")
    if content.get("format") == LOCAL_FORMAT:
        detail = "each sentence has weights of its own, of assay nbest tune-local; assay nbest rerank --weights uses them"
        raise invalid_weights(detail, (*place, "format"))
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise invalid_weights(f"expected the format {FORMAT}, version {VERSION}", (*place, "format"))
    card = content.get("card", {})
    if not isinstance(card, dict):
        raise invalid_weights("the card is an object", (*place, "card"))
    return WeightsFile(checked_weights(content.get("weights"), (*place, "weights")), card)


def checked_weights(values: Any, place: tuple[str | int, ...]) -> Weights:
    """Weights by feature as they stand in a file at `place`; InputError where they are none."""
    if not isinstance(values, dict):
        raise invalid_weights("weights are an object", place)
    weights = {feature: _components(row, (*place, feature)) for feature, row in values.items()}
    _check(weights, place)
    return Weights(weights)


def write_weights(file: WeightsFile) -> bytes:
    """The file's bytes, the same for the same weights and card; InputError where these are none that could be read again."""
    weights = {feature: tuple(map(float, row)) for feature, row in file.weights.values.items()}
    _check(weights, ("weights",))
    content = {"format": FORMAT, "version": VERSION, "weights": weights, "card": dict(file.card)}
    try:
        return (json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode()
    except ValueError:
        raise invalid_weights("names are text, and numbers finite", ("weights",)) from None


def card_of(tuned: Tuned, metric: Metric, lists: NBestLists, references: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What is to be said of tuned weights: of what, how, and how good they are on what they were tuned on."""
    return {
        "method": tuned.method,
        "metric": metric.signature(len(references)),
        "features": list(dict.fromkeys(tuned.names)),
        "constant": list(tuned.constant),
        "data": {
            "sha256": checksum(lists, references),
            "segments": len(lists),
            "without_hypotheses": int((lists.lengths == 0).sum()),
            "hypotheses": len(lists.scores),
        },
        "take": tuned.take,
        "dev_score": tuned.taken.score,
        "interval": [tuned.interval.low, tuned.interval.high],
        "first": tuned.first,
        "start": tuned.start,
        "seed": tuned.taken.seed,
        "seeds": [run.seed for run in tuned.runs],
        "runs": [
            {"seed": run.seed, "dev_score": run.score, "held_out": run.held_out}
            | {"weights": Weights.of(tuned.names, run.weights).values}
            for run in tuned.runs
        ],
        "spread": spread_of(tuned.names, tuned.taken.weights, tuned.units, [run.weights for run in tuned.runs]),
        "assay": __version__,
    }


def checksum(lists: NBestLists, references: Sequence[Sequence[str]]) -> str:
    """SHA-256 of what lists and references say, whatever the form of the files that they came in."""
    digest = hashlib.sha256()
    sparse = lists.sparse
    names = [lists.names, () if sparse is None else sparse.names]
    digest.update(json.dumps([names, list(map(list, references))]).encode())
    arrays: list[Any] = [lists.offsets, lists.texts.offsets, lists.texts.data, lists.scores, lists.values]
    for array in (*arrays, *(() if sparse is None else (sparse.offsets, sparse.columns, sparse.values))):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def invalid_weights(detail: str, place: tuple[str | int, ...]) -> InputError:
    """The error about weights in a file."""
    return InputError("invalid-weights", detail, place)


def in_utf8(raw: bytes, name: str) -> bytes:
    """A file's text as UTF-8 without a byte-order mark, by which UTF-16 and UTF-32 are told; bytes without one as they are."""
    mark, codec = next(((mark, codec) for mark, codec in MARKS if raw.startswith(mark)), (b"", "utf-8"))
    if codec == "utf-8":
        return raw.removeprefix(mark)
    try:
        return raw[len(mark) :].decode(codec).encode()
    except UnicodeDecodeError:
        raise invalid_weights(f"its byte-order mark says {codec}, which it is not; save it as UTF-8", (name,)) from None


def read_object(raw: bytes, name: str) -> Mapping[str, Any]:
    """The object of a file of weights; InputError where names stand twice, numbers are not finite, or it is something else."""
    if len(raw) > LARGEST_FILE:
        raise InputError("document-too-large", f"weights have at most {LARGEST_FILE} bytes", (name,))
    try:
        content = json.loads(in_utf8(raw, name).decode(), object_pairs_hook=_once, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        double = isinstance(error, _DoubleError)
        raise invalid_weights("a name stands twice" if double else "this is not JSON of finite numbers", (name,)) from None
    if not isinstance(content, dict):
        raise invalid_weights("expected an object, as assay nbest tune --out writes it", (name,))
    return content


class _DoubleError(ValueError):
    """An object has a name twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        raise _DoubleError
    return content


def _refused(constant: str) -> float:
    raise ValueError(constant)


def _components(row: Any, place: tuple[str | int, ...]) -> tuple[float, ...]:
    if not isinstance(row, list) or not row:
        raise invalid_weights("weights of a feature are a list of numbers, one for each component", place)
    for k, value in enumerate(row):
        if type(value) not in (int, float) or not isfinite(_float(value)):
            raise invalid_weights("a weight is a finite number", (*place, k))
    return tuple(map(float, row))


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _check(weights: Mapping[str, Sequence[float]], place: tuple[str | int, ...]) -> None:
    """InputError for weights that nothing could be chosen by, or whose names no file could hold."""
    for feature, row in weights.items():
        try:
            check_segments([feature], len(feature), place)
        except InputError:
            raise invalid_weights("a feature's name holds a character that text cannot hold", place) from None
        for k, value in enumerate(row):
            if not isfinite(value):
                raise invalid_weights("a weight is a finite number", (*place, feature, k))
    if max((abs(value) for row in weights.values() for value in row), default=0.0) < SMALLEST:
        raise invalid_weights("all weights are 0: they would choose nothing", place)
