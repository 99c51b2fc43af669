"""Shares of dev labels within intervals of 90 %, by band and by length: ``python -m benchmarks.interval_coverage DATA``.

DATA has ``mlqe-pe``. Dev calibrates the intervals of a predictor as a whole, so a share of all rows is near .90 by construction. Shares
of thirds are not: those with the worst, middle and best predictions, and with the shortest, middle and longest sources.
"""

import argparse
from pathlib import Path

import numpy as np

from app.arrays import Bools, Float64s
from app.engine import Engine
from app.engine.segments import Options, Segments
from app.settings import Settings
from app.text import LanguagePair
from scripts.encoder.rows import QUALITY_PAIRS
from scripts.mlqe_pe.everything import split_of

THIRDS = 3


def shares(within: Bools, order: Float64s) -> list[float]:
    """Shares of the thirds by ascending `order`."""
    return [float(within[part].mean()) for part in np.array_split(np.argsort(order, kind="stable"), THIRDS)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interval_coverage", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with mlqe-pe")
    parser.add_argument("--set", default="blend-104", help="end of the names of the predictors")
    arguments = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
    print("| Pair and label | all | worst | middle | best | short | middle | long |\n|" + " --- |" * 8)
    for name in QUALITY_PAIRS:
        pair = LanguagePair.parse(name)
        split = split_of(arguments.data / "mlqe-pe", pair, "dev")
        segments = Segments(pair, split.column("source"), split.column("translation"))
        for label in ("da", "hter"):
            answer = engine.quality(segments, model=f"{name}-{label}-{arguments.set}", options=Options(interval=0.9))
            labels, prediction = split.labels(label), answer.prediction
            within = (prediction.low <= labels) & (labels <= prediction.high)
            goodness = prediction.mean if label == "da" else -prediction.mean
            cells = [float(within.mean()), *shares(within, goodness), *shares(within, np.asarray(answer.source_words, float))]
            print(f"| {name}, {label.upper()} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
