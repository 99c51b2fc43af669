"""Active learning in rounds against random choice: ``python -m benchmarks.active_loop DATA [PAIR ...]``.

The pool has the training rows of MLQE-PE that ship with models (97 features, cross-fitted); accuracy is measured on dev. Each run
begins with 50 random labels and adds 20 at a time (Beck et al. 2013, section 4). Means of five seeds. A run would stop at a
plateau of its estimated error; the last column has the mean number of labels there, and the mean error on dev.
"""

import sys
from pathlib import Path
from typing import Final

import numpy as np

from app.engine import Engine
from app.engine.segments import Segments
from app.features import feature_set
from app.operations.learn.request import TOLERANCE, WINDOW
from app.predictors.training import TrainingSet
from app.predictors.training.active import has_plateau
from app.predictors.training.active_simulation import Point, simulate
from app.settings import Settings
from app.text import LanguagePair
from app.text.reading.tables import read_column

SET: Final = "text-only+words"
START, BATCH, LIMIT, SEEDS = 50, 20, 450, 5
SIZES: Final = (50, 90, 150, 250, 350, 450)
STRATEGIES: Final = {"random": None, "variance (β = 0)": 0.0, "β = 1": 1.0}


def rows_of(engine: Engine, data: Path, pair: str) -> tuple[TrainingSet, TrainingSet]:
    """Rows to choose from, and rows of dev."""
    model = engine.models[f"{pair}-hter-gp-17"]
    values, labels = engine.registry.rows(model).of([feature.id for feature in feature_set(SET).features], "hter")
    source, translation, hter = (read_column(f"{data / pair / 'dev'}.tsv.gz:{name}") for name in ("source", "translation", "hter"))
    dev = engine.features(Segments(LanguagePair.parse(pair), source, translation), SET).values
    return TrainingSet(values, labels, pair, "0" * 64), TrainingSet(dev, np.array([float(cell) for cell in hter]), "dev", "0" * 64)


def stop_of(points: list[Point]) -> Point | None:
    """The point at which a run would stop; None if it never does."""
    errors = [point.error for point in points]
    numbers = (number for number in range(len(points)) if has_plateau(errors[: number + 1], WINDOW, TOLERANCE))
    number = next(numbers, None)
    return None if number is None else points[number]


def main() -> None:
    data, engine = Path(sys.argv[1]), Engine.of_settings(Settings())
    print("| Pair, strategy | " + " | ".join(map(str, SIZES)) + " | stop: labels, MAE |")
    print("| --- |" + " --- |" * (len(SIZES) + 1))
    for pair in sys.argv[2:] or ("ro-en", "et-en", "en-de"):
        pool, dev = rows_of(engine, data, pair)
        for name, beta in STRATEGIES.items():
            runs = [simulate(pool, dev, beta, START, BATCH, LIMIT, seed) for seed in range(SEEDS)]
            table = {point.labels: np.mean([[run[k].pearson, run[k].mae] for run in runs], 0) for k, point in enumerate(runs[0])}
            stops = [stop for run in runs if (stop := stop_of(run)) is not None]
            cells = " | ".join(f"{table[size][0]:.3f}, {table[size][1]:.4f}" for size in SIZES)
            labels, error = (np.mean([getattr(stop, field) for stop in stops] or [np.nan]) for field in ("labels", "mae"))
            ending = f"{labels:.0f}, {error:.4f} ({len(stops)} of {SEEDS} runs)" if stops else "never"
            print(f"| {pair}, {name} | {cells} | {ending} |", flush=True)


if __name__ == "__main__":
    main()
