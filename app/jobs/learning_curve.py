"""How accuracy grows with rows, measured while a training job runs and written where others can follow it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.predictors import Model
from app.predictors.training import TrainingSet

__all__ = ["add_point", "curve_file", "draw_curve", "read_curve"]

Json = dict[str, Any]
# Parts of the rows that are learned from before all of them; fewer rows than this are not worth a point.
PARTS: Final = (0.05, 0.1, 0.2, 0.4, 0.7)
FEWEST: Final = 40
MEASURES: Final = ("pearson", "mae")


def curve_file(job: str) -> str:
    """The name of the file of a job's curve, in the folder of trained models."""
    return f".curve-{job}.json"


def read_curve(folder: Path, job: str) -> list[Json]:
    """The points so far, the fewest rows first."""
    try:
        points: list[Json] = json.loads((folder / curve_file(job)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return points


def add_point(path: Path, rows: int, model: Model) -> None:
    """Write a point behind those that are there; a reader sees all of it or nothing."""
    job = path.name.removeprefix(".curve-").removesuffix(".json")
    points = [each for each in read_curve(path.parent, job) if each["rows"] < rows]
    points.append({"rows": rows, **{name: round(float(model.card.accuracy[name]), 6) for name in MEASURES}})
    scratch = path.with_suffix(".new")
    scratch.write_text(json.dumps(points), encoding="utf-8")
    scratch.replace(path)


def draw_curve(path: Path, train: TrainingSet, learn: Callable[[TrainingSet], Model], seed: int) -> None:
    """Learn from growing random parts of the rows; each part holds the one before it."""
    order = np.random.default_rng(seed).permutation(len(train.labels))
    path.unlink(missing_ok=True)
    for share in PARTS:
        size = round(share * len(order))
        if size >= FEWEST:
            add_point(path, size, learn(train.select(np.sort(order[:size]))))
