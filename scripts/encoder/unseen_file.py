"""The file of readings of networks that have not seen a row's pair."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s

__all__ = ["PARTS", "UNSEEN_FILE", "UnseenReadings", "read_unseen"]

UNSEEN_FILE: Final = "unseen.npz"
PARTS: Final = ("train", "dev")


@dataclass(frozen=True)
class UnseenReadings:
    """Readings of the training rows (n, 9) and dev rows (m, 9) of a pair."""

    train: Float64s
    dev: Float64s


def read_unseen(path: Path) -> UnseenReadings:
    """Readings of a file of this script."""
    with np.load(path, allow_pickle=False) as stored:
        return UnseenReadings(*(stored[part].T.astype(np.float64) for part in PARTS))
