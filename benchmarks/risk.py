"""Quality of segments that skip review, beside the stated risk: ``python -m benchmarks.risk DATA`` (the folder of the MLQE-PE data).

For each pair, residuals of one half of dev replace the shipped ones for the other half, both ways. So residuals of other segments judge
every segment once. The table has signed residuals beside magnitudes alone, which older predictors have.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.arrays import Bools, Float64s
from app.engine import Engine
from app.engine.segments import Segments
from app.planning.acceptance import acceptance_threshold, bad_probability
from app.predictors import Model, Prediction
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.mlqe_pe.everything import language_pairs, split_of

HALVES = 2
SEED = 7
RISKS = (0.05, 0.1, 0.2)


def cross_fitted(model: Model, prediction: Prediction, gold: Float64s, at_worst: float, signed: bool) -> Float64s:
    """Probability of each segment (n,) of being worse than `at_worst`, by residuals of the other half."""
    half = np.random.default_rng(SEED).permutation(len(gold)) % HALVES
    residuals = (gold - prediction.mean) / prediction.std
    bad = np.empty(len(gold))
    for part in range(HALVES):
        rows, residuals_of_rest = half == part, np.sort(residuals[half != part])
        calibrated = replace(model, calibration=np.sort(np.abs(residuals_of_rest)), residuals=residuals_of_rest if signed else None)
        bad[rows] = bad_probability(calibrated, prediction.mean[rows], prediction.std[rows], at_worst)
    return bad


def row(bad: Float64s, wrong: Bools) -> str:
    """Mean probability and share of bad segments, Brier score, and for each risk the passing share and its share of bad segments."""
    cells = [f"{bad.mean():.2f} {wrong.mean():.2f}", f"{np.mean((bad - wrong) ** 2):.3f}"]
    for risk in RISKS:
        threshold = acceptance_threshold(bad, risk)
        passing = np.zeros(len(bad), bool) if threshold is None else bad <= threshold
        share = f"{wrong[passing].mean():.1%}" if passing.any() else "-"
        cells.append(f"{passing.mean():.0%} {share}")
    return " | ".join(cells)


def main() -> None:
    """Print the table: pair, residuals, stated and measured probability, Brier score, and a column for each risk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--at-worst", type=float, default=0.3)
    options = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir)
    folder, pairs = language_pairs(options.data)
    print("| pair | residuals | stated, measured | Brier | " + " | ".join(f"{risk:.0%}" for risk in RISKS) + " |")
    print("| --- | --- | --- | --- | " + " | ".join("---" for _ in RISKS) + " |")
    for pair in pairs:
        model, prediction, gold = evaluate(engine, folder, pair)
        for name, signed in (("magnitudes", False), ("signed", True)):
            print(
                f"| {pair} | {name} | {row(cross_fitted(model, prediction, gold, options.at_worst, signed), gold > options.at_worst)} |"
            )


def evaluate(engine: Engine, folder: Path, pair: LanguagePair) -> tuple[Model, Prediction, Float64s]:
    """Predictor of HTER from the texts, its prediction for dev, and the labels."""
    dev = split_of(folder, pair, "dev")
    answer = engine.quality(Segments(pair, dev.column("source"), dev.column("translation")), label="hter")
    return answer.model, answer.prediction, dev.labels("hter")


if __name__ == "__main__":
    main()
