"""The rows that a model was trained on, kept so that the next version can learn from them too.

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

__all__ = ["ROWS_FILE", "KeptRows", "read_rows", "write_rows"]

ROWS_FILE: Final = "rows.npz"
# Beyond this many deviations a model cuts features anyway.
CUT: Final = 8.0
MOST_NAMED: Final = 5
INSTEAD: Final = "the method adapt corrects it by new rows alone, and a training without base learns from segments of your own"
# What damaged archives raise.
ARCHIVE_FAULTS: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, SyntaxError)


@dataclass(frozen=True)
class KeptRows:
    """Feature ids, values (n, k), and labels (n,) by name."""

    features: tuple[str, ...]
    values: Float64s
    labels: Mapping[str, Float64s]

    def missing(self, features: Sequence[str]) -> list[str]:
        """Those features that were not kept."""
        return [name for name in features if name not in self.features]

    def of(self, features: Sequence[str], label: str) -> tuple[Float64s, Float64s]:
        """The columns and labels that a model needs; InputError where they were not kept."""
        if label not in self.labels:
            raise InputError("invalid-job", f"the rows kept of this model have no label {label}; {INSTEAD}", ("base",))
        if missing := self.missing(features):
            named = ", ".join(missing[:MOST_NAMED]) + (
                f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
            )
            detail = f"the rows kept of this model lack its features {named}, and no texts are kept to compute them from; {INSTEAD}"
            raise InputError("invalid-job", detail, ("base",))
        return self.values[:, [self.features.index(name) for name in features]], self.labels[label]


def write_rows(path: Path, rows: KeptRows) -> None:
    """Write the file; the same rows give the same bytes."""
    centre, scale = rows.values.mean(0), rows.values.std(0)
    scale = np.where(scale > 0, scale, 1.0)
    standard = np.clip((rows.values - centre) / scale, -CUT, CUT).astype(np.float16)
    labels: dict[str, Any] = {f"label.{name}": values.astype(np.float32) for name, values in sorted(rows.labels.items())}
    path.parent.mkdir(parents=True, exist_ok=True)
    # Columns one after the other: like numbers stand together, and take less room.
    np.savez_compressed(path, features=np.array(rows.features), centre=centre, scale=scale, values=standard.T.copy(), **labels)


def read_rows(path: Path) -> KeptRows:
    """Read and check the file; nothing that runs code is read. InputError where it is damaged."""
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
    return KeptRows(features, values, labels)
