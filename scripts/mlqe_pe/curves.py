"""What labels of a new pair are worth: ``python -m scripts.mlqe_pe.curves DATA --encoded FOLDER``.

Each pair in turn is new: the base is the predictor of any pair trained without it (and without it in the judge of sentences),
which 20 to 1,000 labels of that pair correct as ``assay train --base`` does. Measured on the pair's dev rows, beside the base as it
is and a predictor of the same features from those labels alone. FOLDER is that of ``scripts.mlqe_pe.sentences``, and keeps what the
encoder says.

The means over pairs are written on the cards of the predictors of any pair, from which answers have them; ``--json`` keeps draws.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.engine import Engine
from app.engine.segments import Segments
from app.features import exact_set, feature_set
from app.features.encoded import READ
from app.predictors import Model
from app.predictors.artifact import read_card
from app.predictors.evaluation import evaluate_predictions
from app.predictors.sentences.fitting import JudgeFitting, JudgeRows
from app.predictors.sentences.model import LABELS
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.predictors.training.adaptation import adapt_model
from app.registry.rows import read_rows
from app.resources.encoders import ChosenEncoder
from app.settings import Settings
from app.text.languages import ANY_PAIR, LanguagePair
from scripts.mlqe_pe.cross_fitting import folds_of
from scripts.mlqe_pe.everything import CREATED, FOLDS, LICENCE, Split, language_pairs, split_of
from scripts.mlqe_pe.left_out import SET, LeftOut, PairRows, read_left_out
from scripts.mlqe_pe.provenance import TAGGED_BY, write_fields
from scripts.mlqe_pe.sentences import SEED, centre_of, encoded, models_rows

__all__ = ["left_out_pairs", "measure_curves"]

# Random subsets of the training rows, by their size: more of the small ones, which differ more.
DRAWS: Final[Mapping[int, int]] = {20: 5, 50: 5, 100: 5, 200: 5, 400: 2, 1000: 1}
# From scratch there are measured so many draws at most, where rows are enough for the features.
SCRATCH: Final = 2
FEWEST_SCRATCH: Final = 100
LEARNER: Final = "ridge"
HELD_OUT: Final = 0.2


@dataclass(frozen=True)
class Point:
    """A draw of labels of a pair: how many, what learned from them, and what that is worth on dev."""

    pair: str
    label: str
    learned: str
    labels: int
    pearson: float
    mae: float
    holds_90: float
    width_90: float


def left_out_pairs(data: Path, resources: Path, models: Path, choice: str, folder: Path) -> LeftOut:
    """Rows of all pairs for predictors of any pair, from the rows that ship and what the encoder says."""
    encoder = ChosenEncoder(choice).required()
    data, pairs = language_pairs(data)
    trains, devs = [split_of(data, pair, "train") for pair in pairs], [split_of(data, pair, "dev") for pair in pairs]
    centre = centre_of(encoder, folder, trains)
    inputs, held = ([encoded(encoder, folder, split, centre) for split in splits] for splits in (trains, devs))
    labels = [np.stack([split.labels(label) for label in LABELS], axis=1) for split in trains]
    folds = [folds_of(split.column("source"), FOLDS) for split in trains]
    fitting = JudgeFitting([JudgeRows(*row) for row in zip(inputs, labels, folds, strict=True)], SEED)
    engine = Engine.open(resources, models, tagging=TAGGED_BY)
    said = [feature.id for feature in feature_set(SET).features if feature.id.startswith("enc.")]
    rows = []
    for pair, train, dev, path, *numbers in zip(pairs, trains, devs, models_rows(models, pairs), inputs, held, strict=True):
        kept = read_rows(path)
        ids = [feature.id for feature in feature_set(SET).features if feature.id in kept.features]
        values = kept.values[:, [kept.features.index(name) for name in ids]], _of_dev(engine, pair, dev, ids)
        # What the judge and the network say is filled in by who has not seen the pair.
        later = len(LABELS) + len(READ)
        whole, of_dev = (
            np.hstack([part, side.numbers, np.zeros((len(part), later))]) for part, side in zip(values, numbers, strict=True)
        )
        rows.append(PairRows(pair, (*ids, *said), whole, of_dev, train, dev))
    return LeftOut(rows, fitting, held, read_left_out(folder, pairs))


def _of_dev(engine: Engine, pair: LanguagePair, dev: Split, ids: Sequence[str]) -> Float64s:
    matrix = engine.features(Segments(pair, dev.column("source"), dev.column("translation")), exact_set(f"dev of {pair}", ids))
    there = [feature.id for feature in matrix.features]
    return np.asarray(matrix.values[:, [there.index(name) for name in ids]])


def measure_curves(left_out: LeftOut, tell: Callable[[str], None]) -> list[Point]:
    """All draws of all pairs and labels; the same in every run."""
    points = []
    for number, row in enumerate(left_out.rows):
        values, held = left_out.of_train(number, np.arange(len(row.values))), left_out.of_dev(number)
        for model, label in zip(left_out.without(number), LABELS, strict=True):
            rows = TrainingSet(values, row.train.labels(label), f"{row.pair}", "0" * 64)
            found = list(_of_pair(model, rows, held, row.dev.labels(label)))
            tell(f"{row.pair} {label}: " + ", ".join(f"{row[0]} {np.mean(row[1]):.3f}" for row in _pearsons(found)))
            points += found
    return points


def _of_pair(base: Model, rows: TrainingSet, held: Float64s, gold: Float64s) -> Sequence[Point]:
    """The base as it is (0 labels), and what each draw makes of it and without it."""

    def point(learned: str, model: Model, labels: int) -> Point:
        predicted = model.predict(held)
        accuracy = evaluate_predictions(gold, predicted.mean, model.label.higher_is_better)
        inside = float(((gold >= predicted.low) & (gold <= predicted.high)).mean())
        width = float((predicted.high - predicted.low).mean())
        return Point(rows.name, base.card.label, learned, labels, accuracy.pearson, accuracy.mae, inside, width)

    points = [point("base", base, 0)]
    for size, draws in DRAWS.items():
        for draw in range(draws):
            few = rows.select(_drawn(len(rows.labels), size, draw))
            points.append(point("adapted", adapt_model(base, few, LICENCE, created=CREATED, pair=rows.name), size))
            if draw < SCRATCH and size >= FEWEST_SCRATCH:
                points.append(point("scratch", _from_scratch(base, few), size))
    return points


def _drawn(rows: int, size: int, draw: int) -> Int64s:
    return np.sort(np.random.default_rng([draw, size]).permutation(rows)[:size])


def _from_scratch(base: Model, few: TrainingSet) -> Model:
    parts = split_held_out(few, HELD_OUT, SEED)
    card = base.card
    return train_model(*parts, few.name, base.label, card.feature_set, card.features, LEARNER, LICENCE, created=CREATED)


def _pearsons(points: Sequence[Point]) -> list[tuple[str, list[float]]]:
    kinds = dict.fromkeys((point.learned, point.labels) for point in points)
    return [(f"{kind[0]} {kind[1]}", [p.pearson for p in points if (p.learned, p.labels) == kind]) for kind in kinds]


def curve_of(points: Sequence[Point], label: str) -> list[dict[str, float]]:
    """Means over pairs of the means over draws, by the number of labels, as cards have them."""
    rows = []
    for labels in (0, *DRAWS):
        row: dict[str, float] = {"labels": labels}
        of_size = [point for point in points if point.label == label and point.labels == labels]
        for prefix, learned in (("", ("base", "adapted")), ("scratch_", ("scratch",))):
            chosen = [point for point in of_size if point.learned in learned]
            pairs = dict.fromkeys(point.pair for point in chosen)
            # Intervals of the base were calibrated on the very rows; what they hold of pairs left out is on the card.
            for name in ("pearson", "mae", *(("holds_90", "width_90") if labels else ())) if chosen else ():
                means = [np.mean([getattr(point, name) for point in chosen if point.pair == pair]) for pair in pairs]
                row[prefix + name] = round(float(np.mean(means)), 4)
        rows.append(row)
    return rows


def write_curves(points: Sequence[Point], models: Path) -> None:
    """Put the curve of each label on the card of the predictor of any pair; its numbers stay as they are."""
    for folder in sorted(models.glob(f"{ANY_PAIR}-*")):
        card = read_card(folder)
        accuracy = {**card.accuracy, "curve": curve_of(points, card.label)}
        write_fields(folder / "card.json", replace(card, accuracy=accuracy).as_json())


def table(points: Sequence[Point], label: str) -> str:
    """Pearson / MAE / share that intervals of 90 % hold, by pair and number of labels, as Markdown."""
    sizes = (0, *DRAWS)
    lines = [f"| {label} | " + " | ".join(map(str, sizes)) + " |", "| --- |" + " --- |" * len(sizes)]
    chosen = [point for point in points if point.label == label]
    for pair in dict.fromkeys(point.pair for point in chosen):
        cells = []
        for size in sizes:
            of_size = [p for p in chosen if p.pair == pair and p.labels == size and p.learned != "scratch"]
            told = ("pearson", "mae", "holds_90") if size else ("pearson", "mae")
            cells.append(" / ".join(f"{np.mean([getattr(p, name) for p in of_size]):.3f}" for name in told))
        lines.append(f"| {pair} | " + " | ".join(cells) + " |")
    curve = curve_of(chosen, label)
    for title, prefix in (("mean", ""), ("mean, from these labels alone", "scratch_")):
        names = [prefix + name for name in ("pearson", "mae", "holds_90")]
        cells = [" / ".join(f"{row[name]:.3f}" for name in names if name in row) or "–" for row in curve]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Read the command line, measure, print and write."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.mlqe_pe.curves", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("--resources", type=Path, default=settings.resources_dir, help="folder of resources")
    parser.add_argument("--models", type=Path, default=settings.models_dir, help="folder of models, whose cards get the curves")
    parser.add_argument("--encoder", default="auto", help="as ASSAY_ENCODER")
    parser.add_argument("--encoded", type=Path, required=True, help="folder that keeps what the encoder says of the texts")
    parser.add_argument("--json", type=Path, help="file to write every draw to")
    asked = parser.parse_args()
    points = measure_curves(left_out_pairs(asked.data, asked.resources, asked.models, asked.encoder, asked.encoded), _tell)
    if asked.json:
        asked.json.write_text(json.dumps([vars(point) for point in points], indent=0), encoding="utf-8")
    for label in LABELS:
        print(f"{table(points, label)}\n")
    write_curves(points, asked.models)


if __name__ == "__main__":
    main()
