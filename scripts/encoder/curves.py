"""Learning curves of new pairs: ``python -m scripts.encoder.curves DATA``.

Each pair in turn is new. The base is the predictor of any pair, with a cross-encoder, both trained without that pair. Between
20 and 1,000 labels of the pair adapt the base as ``assay train --base`` does. The curve compares it on dev rows with the unadapted
base and with a predictor trained from these labels alone.

The means over pairs are written on the cards of the predictors of any pair, and appear in answers; ``--json`` stores all draws.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.predictors import Model
from app.predictors.artifact import read_card
from app.predictors.evaluation import evaluate_predictions
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.predictors.training.adaptation import adapt_model
from app.settings import Settings
from app.text.languages import ANY_PAIR
from scripts.encoder.left_out import LABELS, SEED, LeftOutRows, left_out_rows
from scripts.encoder.shipped import CREATED, LICENCE
from scripts.mlqe_pe.everything import tell
from scripts.mlqe_pe.provenance import write_fields

__all__ = ["measure_curves"]

# Number of random subsets of the training rows by size; small subsets vary more.
DRAWS: Final[Mapping[int, int]] = {20: 5, 50: 5, 100: 5, 200: 5, 400: 2, 1000: 1}
# Limit on draws of predictors from scratch, and their smallest number of rows.
SCRATCH_DRAWS: Final = 2
MINIMUM_SCRATCH_ROWS: Final = 100
LEARNER: Final = "ridge"
HELD_OUT: Final = 0.2


@dataclass(frozen=True)
class Point:
    """Accuracy on dev of a model trained with a draw of labels; `method` is ``base``, ``adapted`` or ``scratch``."""

    pair: str
    label: str
    method: str
    labels: int
    pearson: float
    mae: float
    holds_90: float
    width_90: float

    def as_json(self) -> dict[str, object]:
        """Fields of the file of draws."""
        return {"learned" if name == "method" else name: value for name, value in vars(self).items()}


def measure_curves(data: LeftOutRows, tell: Callable[[str], None]) -> list[Point]:
    """All draws of all pairs and labels. The result is deterministic."""
    points = []
    for number, row in enumerate(data.rows):
        for model, label in zip(data.without(number), LABELS, strict=True):
            rows = TrainingSet(row.values, row.train.labels(label), f"{row.pair}", "0" * 64)
            pair_points = list(_pair_points(model, rows, row.dev_values, row.dev.labels(label)))
            tell(f"{row.pair} {label}: " + ", ".join(f"{row[0]} {np.mean(row[1]):.3f}" for row in _pearsons(pair_points)))
            points += pair_points
    return points


def _pair_points(base: Model, rows: TrainingSet, dev_values: Float64s, gold: Float64s) -> Sequence[Point]:
    """Points of the unadapted base (0 labels), and of each draw with and without the base."""

    def point(method: str, model: Model, labels: int) -> Point:
        prediction = model.predict(dev_values)
        accuracy = evaluate_predictions(gold, prediction.mean, model.label.higher_is_better)
        inside = float(((gold >= prediction.low) & (gold <= prediction.high)).mean())
        width = float((prediction.high - prediction.low).mean())
        return Point(rows.name, base.card.label, method, labels, accuracy.pearson, accuracy.mae, inside, width)

    points = [point("base", base, 0)]
    for size, draws in DRAWS.items():
        for draw in range(draws):
            subset = rows.select(_draw_rows(len(rows.labels), size, draw))
            points.append(point("adapted", adapt_model(base, subset, LICENCE, created=CREATED, pair=rows.name), size))
            if draw < SCRATCH_DRAWS and size >= MINIMUM_SCRATCH_ROWS:
                points.append(point("scratch", _from_scratch(base, subset), size))
    return points


def _draw_rows(rows: int, size: int, draw: int) -> Int64s:
    return np.sort(np.random.default_rng([draw, size]).permutation(rows)[:size])


def _from_scratch(base: Model, subset: TrainingSet) -> Model:
    parts = split_held_out(subset, HELD_OUT, SEED)
    card = base.card
    return train_model(*parts, subset.name, base.label, card.feature_set, card.features, LEARNER, LICENCE, created=CREATED)


def _pearsons(points: Sequence[Point]) -> list[tuple[str, list[float]]]:
    kinds = dict.fromkeys((point.method, point.labels) for point in points)
    return [(f"{kind[0]} {kind[1]}", [p.pearson for p in points if (p.method, p.labels) == kind]) for kind in kinds]


def curve_of(points: Sequence[Point], label: str) -> list[dict[str, float]]:
    """Curve of a label on a card: means over pairs of the means over draws, by the number of labels."""
    rows = []
    for labels in (0, *DRAWS):
        row: dict[str, float] = {"labels": labels}
        size_points = [point for point in points if point.label == label and point.labels == labels]
        for prefix, methods in (("", ("base", "adapted")), ("scratch_", ("scratch",))):
            method_points = [point for point in size_points if point.method in methods]
            pairs = dict.fromkeys(point.pair for point in method_points)
            # The base's intervals were calibrated on these rows; the card has their coverage of left-out pairs.
            for name in ("pearson", "mae", *(("holds_90", "width_90") if labels else ())) if method_points else ():
                means = [np.mean([getattr(point, name) for point in method_points if point.pair == pair]) for pair in pairs]
                row[prefix + name] = round(float(np.mean(means)), 4)
        rows.append(row)
    return rows


def write_curves(points: Sequence[Point], models: Path) -> None:
    """Write the curve of each label on the card of the predictor of any pair; the model stays unchanged."""
    for folder in sorted(models.glob(f"{ANY_PAIR}-*")):
        card = read_card(folder)
        accuracy = {**card.accuracy, "curve": curve_of(points, card.label)}
        write_fields(folder / "card.json", replace(card, accuracy=accuracy).as_json())


def table(points: Sequence[Point], label: str) -> str:
    """Markdown table of Pearson / MAE / coverage of 90 % intervals, by pair and number of labels."""
    sizes = (0, *DRAWS)
    lines = [f"| {label} | " + " | ".join(map(str, sizes)) + " |", "| --- |" + " --- |" * len(sizes)]
    label_points = [point for point in points if point.label == label]
    for pair in dict.fromkeys(point.pair for point in label_points):
        cells = []
        for size in sizes:
            size_points = [p for p in label_points if p.pair == pair and p.labels == size and p.method != "scratch"]
            measures = ("pearson", "mae", "holds_90") if size else ("pearson", "mae")
            cells.append(" / ".join(f"{np.mean([getattr(p, name) for p in size_points]):.3f}" for name in measures))
        lines.append(f"| {pair} | " + " | ".join(cells) + " |")
    curve = curve_of(label_points, label)
    for title, prefix in (("mean", ""), ("mean, from these labels alone", "scratch_")):
        names = [prefix + name for name in ("pearson", "mae", "holds_90")]
        cells = [" / ".join(f"{row[name]:.3f}" for name in names if name in row) or "–" for row in curve]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Read the command line, measure, print and write."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.curves", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("--resources", type=Path, default=settings.resources_dir, help="folder of resources")
    parser.add_argument("--models", type=Path, default=settings.models_dir, help="folder of models, whose cards get the curves")
    parser.add_argument("--json", type=Path, help="file to write every draw to")
    arguments = parser.parse_args()
    points = measure_curves(left_out_rows(arguments.data, arguments.resources, arguments.models), tell)
    if arguments.json:
        arguments.json.write_text(json.dumps([point.as_json() for point in points], indent=0), encoding="utf-8")
    for label in LABELS:
        print(f"{table(points, label)}\n")
    write_curves(points, arguments.models)


if __name__ == "__main__":
    main()
