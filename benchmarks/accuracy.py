"""Pearson correlation of the shipped predictors on the dev split, as README's table: ``python -m benchmarks.accuracy DATA``."""

import sys
from pathlib import Path

import numpy as np

from app.engine import Engine, Segments
from app.settings import Settings
from app.shipping import language_pairs
from app.text.tables import read_column

COLUMNS = {"da": "da_z", "hter": "hter"}
MODELS = ("da-blend-97", "da-blend-87", "da-gp-27", "hter-blend-97", "hter-blend-87", "hter-gp-27")


def main() -> None:
    settings = Settings()
    engine = Engine.load(settings.resources_dir, settings.models_dir)
    folder, pairs = language_pairs(Path(sys.argv[1]))
    for pair in pairs:
        dev = folder / str(pair) / "dev.tsv.gz"
        log_probs = [[float(x) for x in line.split()] for line in read_column(str(folder / str(pair) / "dev.nmt.logprobs.gz"))]
        sent = Segments(pair, read_column(f"{dev}:source"), read_column(f"{dev}:translation"), log_probs)
        gold = {label: np.array([float(x) for x in read_column(f"{dev}:{column}")]) for label, column in COLUMNS.items()}
        cells = [
            engine.evaluate(sent, list(gold[name.partition("-")[0]]), f"{pair}-{name}", None)[1].accuracy.pearson for name in MODELS
        ]
        print(f"| {pair} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")


if __name__ == "__main__":
    main()
