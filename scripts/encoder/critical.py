"""Predictors of critical errors from readings of the cross-encoder: ``python -m scripts.encoder.critical DATA``.

The network has learned from the training rows, so that its readings of these are too good. Predictors learn from one half of the
dev rows, and are calibrated and measured on the other half; a source is in one half only.
"""

import argparse
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.metrics import roc_auc_score

from app.engine import Engine
from app.engine.segments import Segments
from app.features import feature_set
from app.planning.acceptance import acceptance_threshold
from app.predictors import Scale
from app.predictors.artifact import save_model
from app.predictors.labels import label_named
from app.predictors.training import TrainingSet, train_model
from app.resources.manifest import checksum
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.encoder.rows import critical_rows
from scripts.encoder.shipped import CREATED, LICENCE
from scripts.mlqe_pe.cross_fitting import folds_of
from scripts.mlqe_pe.provenance import record_resources

__all__ = ["LABEL", "PAIRS"]

SET: Final = "cross"
LABEL: Final = label_named("critical", Scale(False, 0.0, 1.0, (0.0, 1.0), "probability of a critical error"))
# In en-ja and en-zh, such a predictor finds hardly an error of held-out rows.
PAIRS: Final = ("en-cs", "en-de")

# Expected shares of errors among accepted segments.
RATES: Final = (0.02, 0.05, 0.1)


def train_pair(data: Path, models: Path, engine: Engine, pair: str) -> None:
    """Train on one half of the sources, measure on the other half, and write the predictor."""
    rows, name = critical_rows(data, pair, "dev"), f"mlqe-pe-critical/{pair}/dev.tsv.gz"
    sources = [row.source for row in rows]
    segments = Segments(LanguagePair.parse(pair), sources, [row.translation for row in rows])
    matrix, gold = engine.features(segments, feature_set(SET)), np.array([row.labels["critical"] for row in rows])
    fold, sha256 = folds_of(sources, 2), checksum(data / name)
    first, second = (
        TrainingSet(matrix.values[fold == k], gold[fold == k], f"{name}, {half} half of the sources", sha256)
        for k, half in enumerate(("first", "second"))
    )
    model = train_model(
        first,
        second,
        pair=pair,
        label=LABEL,
        feature_set=SET,
        features=[feature.id for feature in matrix.features],
        learner="gp",
        licence=LICENCE,
        created=CREATED,
    )
    save_model(model, models / model.card.id)
    probabilities, has_error = model.predict(second.values).mean, second.labels > 0
    area, findings = roc_auc_score(has_error, probabilities), probabilities >= 0.5
    recall, precision = findings[has_error].mean(), has_error[findings].mean()
    pearson = model.card.accuracy["pearson"]
    print(
        f"{model.card.id}: area under the curve {area:.3f}, Pearson {pearson:.3f}, recall {recall:.0%}, precision {precision:.0%}"
    )
    for rate in RATES:
        threshold = acceptance_threshold(probabilities, rate)
        passes = probabilities <= (-1.0 if threshold is None else threshold)
        errors = f", {has_error[passes].mean():.1%} with an error" if passes.any() else ""
        print(f"  accepted at {rate:.0%}: {passes.mean():.0%} of {len(passes)} segments{errors}")


def main() -> None:
    """Read the command line and train."""
    settings = Settings()
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.critical", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with mlqe-pe-critical")
    arguments = parser.parse_args()
    engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
    for pair in PAIRS:
        train_pair(arguments.data, settings.models_dir, engine, pair)
    print(f"resources on {record_resources(settings.resources_dir, settings.models_dir)} cards")


if __name__ == "__main__":
    main()
