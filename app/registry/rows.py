"""Training rows of a model, stored so that its next version can learn from them too.

Numbers only, no texts: standardised features in half precision, which is finer than any learner needs.
"""

import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.predictors.model import Card

__all__ = ["ROWS_FILE", "TrainingRows", "read_rows", "rows_file", "write_columns", "write_rows"]

ROWS_FILE: Final = "rows.npz"
# Models cut features at this many standard deviations.
CUT: Final = 8.0
FEATURE_LIMIT: Final = 5
REMEDY: Final = "the method adapt corrects it by new rows alone, and a training without base learns from segments of your own"
# Errors of damaged archives.
ARCHIVE_FAULTS: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, SyntaxError)


@dataclass(frozen=True)
class TrainingRows:
    """Feature ids, values (n, k), and labels (n,) by name."""

    features: tuple[str, ...]
    values: Float64s
    labels: Mapping[str, Float64s]

    def missing(self, features: Sequence[str]) -> list[str]:
        """Features without a stored column."""
        return [name for name in features if name not in self.features]

    def of(self, features: Sequence[str], label: str) -> tuple[Float64s, Float64s]:
        """Columns and labels for a model; InputError for a feature or label that is not stored."""
        if label not in self.labels:
            raise InputError("invalid-job", f"the rows kept of this model have no label {label}; {REMEDY}", ("base",))
        if missing := self.missing(features):
            names = ", ".join(missing[:FEATURE_LIMIT]) + (
                f" and {len(missing) - FEATURE_LIMIT} more" if len(missing) > FEATURE_LIMIT else ""
            )
            detail = f"the rows kept of this model lack its features {names}, and no texts are kept to compute them from; {REMEDY}"
            raise InputError("invalid-job", detail, ("base",))
        return self.values[:, [self.features.index(name) for name in features]], self.labels[label]


def rows_file(card: Card, trained_folder: Path | None, shipped_folder: Path | None) -> Path | None:
    """File of a model's training rows among trained models, or beside shipped ones; None if they were not stored."""
    own_file = None if trained_folder is None else trained_folder / card.id / ROWS_FILE
    if own_file is not None and own_file.is_file():
        return own_file
    pair_file = None if shipped_folder is None or card.parent is not None else shipped_folder / f"{card.pair}-rows" / ROWS_FILE
    return pair_file if pair_file is not None and pair_file.is_file() else None


def write_rows(path: Path, rows: TrainingRows) -> None:
    """Write the file; equal rows give equal bytes."""
    labels: dict[str, Any] = {f"label.{name}": values.astype(np.float32) for name, values in sorted(rows.labels.items())}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, features=np.array(rows.features), **_standardised(rows.values), **labels)


def write_columns(path: Path, names: Sequence[str], values: Float64s) -> tuple[str, ...]:
    """Write features (n, k) into a file of rows, in the place of those of these names, and return the names of all its features.

    Other columns keep their bits.
    """
    with np.load(path, allow_pickle=False) as stored:
        arrays: dict[str, Any] = {name: stored[name] for name in stored.files}
    rest = [k for k, name in enumerate(arrays["features"].tolist()) if name not in names]
    features = np.array([*arrays["features"][rest].tolist(), *names])
    columns = {name: np.concatenate([arrays[name][rest], column]) for name, column in _standardised(values).items()}
    np.savez_compressed(path, **{**arrays, "features": features, **columns})
    return tuple(features.tolist())


def _standardised(values: Float64s) -> dict[str, Any]:
    """Centre and scale of features, and their values (k, n): columns put similar numbers together, which compresses better."""
    centre, scale = values.mean(0), values.std(0)
    scale = np.where(scale > 0, scale, 1.0)
    standard = np.clip((values - centre) / scale, -CUT, CUT).astype(np.float16)
    return {"centre": centre, "scale": scale, "values": standard.T.copy()}


def read_rows(path: Path) -> TrainingRows:
    """Read and check the file without running code; InputError for a damaged file."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        values = arrays["values"].T.astype(np.float64) * arrays["scale"] + arrays["centre"]
        labels = {name.removeprefix("label."): arrays[name].astype(np.float64) for name in arrays if name.startswith("label.")}
        features = tuple(map(str, arrays["features"]))
        sizes = {len(column) for column in labels.values()} | {len(values)}
        if values.shape[1] != len(features) or len(sizes) != 1 or not np.isfinite(values).all():
            raise ValueError
    except (OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, ArithmeticError, *ARCHIVE_FAULTS):
        place = f"{path.parent.name}/{path.name}"
        raise InputError("unknown-model", f"{place} does not hold readable training rows", ("base",)) from None
    return TrainingRows(features, values, labels)
