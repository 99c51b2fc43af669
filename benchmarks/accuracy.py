"""Accuracy of the shipped predictors on the dev split: ``python -m benchmarks.accuracy DATA``.

Pearson correlations and the coverage of intervals, measured through the engine from the texts, as for callers of the API.
"""

import sys
from pathlib import Path

import numpy as np

from app.engine import Engine, load_engine
from app.engine.segments import Segments
from app.predictors import Evaluation, Model, evaluate_uncertainty
from app.settings import Settings
from app.text.reading.tables import read_column
from app.text.side_information import SideInformation
from scripts.mlqe_pe.everything import language_pairs

COLUMNS = {"da": "da_z", "hter": "hter"}
MODELS = ("blend-105", "blend-95", "gp-27", "gp-17", "svr-17")


def evaluated(engine: Engine, segments: Segments, gold: list[float], name: str) -> tuple[Model, Evaluation]:
    model, values = engine.models[name], engine.model_features(segments, name)
    labels, higher = np.array(gold, np.float64), model.label.higher_is_better
    return model, evaluate_uncertainty(labels, lambda coverage: model.predict(values, coverage), higher)


def main() -> None:
    settings = Settings()
    engine = load_engine(Engine.open(settings.resources_dir, settings.models_dir))
    folder, pairs = language_pairs(Path(sys.argv[1]))
    print("| Pair, label | " + " | ".join(f"`{name}`" for name in MODELS) + " | 95 % of the first | held by 80, 90, 95 % | NLPD |")
    print("| --- |" + " --- |" * (len(MODELS) + 3))
    for pair in pairs:
        dev = folder / str(pair) / "dev.tsv.gz"
        lines = {name: read_column(str(folder / str(pair) / f"dev.nmt.{name}.gz")) for name in ("logprobs", "tokens")}
        log_probs = [[float(x) for x in line.split()] for line in lines["logprobs"]]
        tokens = SideInformation(tokens=[line.split() for line in lines["tokens"]], token_log_probs=log_probs)
        segments = Segments(pair, read_column(f"{dev}:source"), read_column(f"{dev}:translation"), tokens)
        for label, column in COLUMNS.items():
            gold = [float(x) for x in read_column(f"{dev}:{column}")]
            evaluations = [
                evaluated(engine, segments, gold, f"{pair}-{label}-{name}")
                for name in MODELS
                if f"{pair}-{label}-{name}" in engine.models
            ]
            best, first = evaluations[0]
            shares = " ".join(f"{row['measured']:.1%}" for row in best.card.accuracy["intervals"])
            cells = " | ".join(f"{evaluation.accuracy.pearson:.3f}" for _, evaluation in evaluations)
            low, high = first.intervals["pearson"]
            print(f"| {pair}, {label} | {cells} | {low:.3f}-{high:.3f} | {shares} | {first.negative_log_density:.3f} |", flush=True)


if __name__ == "__main__":
    main()
