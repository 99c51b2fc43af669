"""Whether what passes unseen is as good as was stated: ``python -m benchmarks.risk DATA`` (the folder of the MLQE-PE data).

For each pair residuals of one half of dev take the place of those that ship, and the other half is judged; both ways, so that
every segment is judged once by residuals of others. Signed residuals stand beside magnitudes alone, which is what predictors
without them have.
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


def crossed(model: Model, predicted: Prediction, gold: Float64s, at_worst: float, signed: bool) -> Float64s:
    """Of every segment (n,) the probability that it is worse, by residuals of the other half."""
    half = np.random.default_rng(SEED).permutation(len(gold)) % HALVES
    residuals = (gold - predicted.mean) / predicted.std
    bad = np.empty(len(gold))
    for part in range(HALVES):
        ours, theirs = half == part, np.sort(residuals[half != part])
        known = replace(model, calibration=np.sort(np.abs(theirs)), residuals=theirs if signed else None)
        bad[ours] = bad_probability(known, predicted.mean[ours], predicted.std[ours], at_worst)
    return bad


def row(bad: Float64s, wrong: Bools) -> str:
    """How far probabilities are off on the mean and by the square, and per risk how many pass and which share of them is worse."""
    cells = [f"{bad.mean():.2f} {wrong.mean():.2f}", f"{np.mean((bad - wrong) ** 2):.3f}"]
    for risk in RISKS:
        threshold = acceptance_threshold(bad, risk)
        passing = np.zeros(len(bad), bool) if threshold is None else bad <= threshold
        share = f"{wrong[passing].mean():.1%}" if passing.any() else "-"
        cells.append(f"{passing.mean():.0%} {share}")
    return " | ".join(cells)


def main() -> None:
    """Print a table: pair, residuals, probability stated and measured, Brier score, and per risk what passes and what of it is worse."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--at-worst", type=float, default=0.3)
    asked = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir)
    folder, pairs = language_pairs(asked.data)
    print("| pair | residuals | stated, measured | Brier | " + " | ".join(f"{risk:.0%}" for risk in RISKS) + " |")
    print("| --- | --- | --- | --- | " + " | ".join("---" for _ in RISKS) + " |")
    for pair in pairs:
        model, predicted, gold = judged(engine, folder, pair)
        for name, signed in (("magnitudes", False), ("signed", True)):
            print(f"| {pair} | {name} | {row(crossed(model, predicted, gold, asked.at_worst, signed), gold > asked.at_worst)} |")


def judged(engine: Engine, folder: Path, pair: LanguagePair) -> tuple[Model, Prediction, Float64s]:
    """The predictor of HTER from the two texts, what it says of dev, and the truth."""
    dev = split_of(folder, pair, "dev")
    answer = engine.quality(Segments(pair, dev.column("source"), dev.column("translation")), label="hter")
    return answer.model, answer.prediction, dev.labels("hter")


if __name__ == "__main__":
    main()
