"""Predictors of DA and HTER that use readings of the cross-encoder: ``python -m scripts.encoder.predictors DATA``.

They learn from the shipped training rows, which ``python -m scripts.encoder.readings`` completes.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from app.engine import Engine
from app.engine.segments import Segments
from app.features import FeatureMatrix, exact_set, feature_set
from app.predictors.artifact import save_model
from app.predictors.training import TrainingSet, train_model
from app.registry.rows import ROWS_FILE, TrainingRows, read_rows
from app.resources.manifest import checksum
from app.settings import Settings
from app.text.languages import LanguagePair
from app.text.side_information import SideInformation
from scripts.encoder.shipped import CREATED, LICENCE
from scripts.mlqe_pe.everything import FOLDS, LABEL_COLUMNS, Split, language_pairs, split_of
from scripts.mlqe_pe.provenance import TRAINING_TAGGER, record_resources

__all__ = ["SETS"]

SETS: Final = ("text-only+words+cross", "text-only+nmt-glassbox-10+words+cross")


def train_pair(data: Path, resources: Path, models: Path, pair: LanguagePair) -> list[str]:
    """Train the predictors of a pair, and measure and calibrate them on dev."""
    train, dev = split_of(data, pair, "train"), split_of(data, pair, "dev")
    rows = read_rows(models / f"{pair}-rows" / ROWS_FILE)
    engine = Engine.open(resources, models, tagging=TRAINING_TAGGER, encoder="auto")
    segments = Segments(pair, dev.column("source"), dev.column("translation"), SideInformation(token_log_probs=dev.log_probs()))
    matrix = engine.features(segments, exact_set(f"dev of {pair}", rows.features))
    return [_train(train, rows, dev, matrix, label, name, models) for name in SETS for label in LABEL_COLUMNS]


def _train(train: Split, rows: TrainingRows, dev: Split, matrix: FeatureMatrix, label: str, set_name: str, models: Path) -> str:
    dev_ids = [feature.id for feature in matrix.features]
    features = [feature.id for feature in feature_set(set_name).features]
    values, labels = rows.of(features, label)
    of_dev = matrix.values[:, [dev_ids.index(name) for name in features]]
    model = train_model(
        TrainingSet(values, labels, train.name, checksum(train.path), f"cross-fitted in {FOLDS} folds, the cross-encoder in 2"),
        TrainingSet(of_dev, dev.labels(label), dev.name, checksum(dev.path)),
        pair=str(train.pair),
        label=label,
        feature_set=set_name,
        features=features,
        learner="blend",
        licence=LICENCE,
        created=CREATED,
    )
    save_model(model, models / model.card.id)
    ninety = next(row["measured"] for row in model.card.accuracy["intervals"] if row["coverage"] == 0.9)
    return f"models/{model.card.id} (Pearson {model.card.accuracy['pearson']:.3f}, intervals of 90 % hold {ninety:.3f})"


def main() -> None:
    """Read the command line and train."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.predictors", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    parser.add_argument("--resources", type=Path, default=settings.resources_dir, help="folder of resources")
    parser.add_argument("--models", type=Path, default=settings.models_dir, help="folder of models, with the rows")
    arguments = parser.parse_args()
    data, pairs = language_pairs(arguments.data)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(train_pair, data, arguments.resources, arguments.models, pair) for pair in pairs]
        for job in jobs:
            print("\n".join(job.result()), flush=True)
    print(f"resources on {record_resources(arguments.resources, arguments.models)} cards")


if __name__ == "__main__":
    main()
