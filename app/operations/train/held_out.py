"""The held-out rows of a training: enough of them to choose and calibrate on."""

from math import ceil

from app.errors import InputError
from app.predictors.training import TrainingSet
from app.predictors.training.adaptation import FEWEST_ROWS

__all__ = ["check_held_out"]


def check_held_out(train: TrainingSet, held_out: TrainingSet, field: str, documents: bool, has_base: bool) -> None:
    """InputError that names the field for more held-out rows, and a share that suffices; if all rows are too few, it names none.

    No share of whole `documents` is sure to suffice. A training that `has_base` needs no advice to name one.
    """
    rows, training_rows = len(held_out.labels), len(train.labels)
    if rows >= FEWEST_ROWS or training_rows < FEWEST_ROWS:
        return
    detail = f"{held_out.name}: {rows} rows; at least {FEWEST_ROWS} are needed to choose and calibrate on"
    if field == "held_out_share":
        percent = ceil(100 * FEWEST_ROWS / (rows + training_rows))
        remedy = f"hold out a share of {percent / 100:g}" if percent <= 50 else f"send {2 * FEWEST_ROWS} rows or more"
        base = "" if has_base else f", or name a base: {FEWEST_ROWS} rows are enough to correct one"
        detail += f"; {'send more documents' if documents else remedy}{base}"
    raise InputError("invalid-training-data", detail, (field,))
