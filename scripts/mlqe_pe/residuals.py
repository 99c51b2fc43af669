"""Store the signed residuals of the calibration of shipped predictors; the models stay unchanged.

``python -m scripts.mlqe_pe.residuals DATA`` updates existing models; a rebuild writes residuals with its models.
"""

import sys
from pathlib import Path

import numpy as np

from app.arrays import Float64s
from app.engine import Engine
from app.engine.segments import Segments
from app.features import FeatureMatrix, Resource, exact_set
from app.predictors import Model, load_model
from app.predictors.artifact import save_residuals
from app.settings import Settings
from app.text.languages import LanguagePair
from app.text.side_information import SideInformation
from scripts.mlqe_pe.everything import Split, language_pairs, split_of
from scripts.mlqe_pe.provenance import TRAINING_TAGGER

__all__ = ["record_residuals", "residuals_of"]


def record_residuals(data: Path, resources: Path, models: Path) -> int:
    """Write the residuals of all predictors on the dev segments of their pair, and return the number of predictors."""
    folder, pairs = language_pairs(data)
    engine, count = Engine.open(resources, models, tagging=TRAINING_TAGGER), 0
    for pair in pairs:
        # Predictors with a network keep the residuals that were written with it.
        pair_models = [model for model in engine.models.values() if model.card.pair == str(pair)]
        predictors = [model for model in pair_models if Resource.CROSS_ENCODER not in model.needs]
        dev = split_of(folder, pair, "dev")
        feature_names = sorted({name for model in predictors for name in model.card.features})
        matrix = engine.features(_segments(pair, dev), exact_set(f"dev of {pair}", feature_names))
        for model in predictors:
            save_residuals(residuals_of(model, matrix, dev.labels(model.card.label)), models / model.card.id)
            # Loading fails unless these are the residuals of the calibration.
            load_model(models / model.card.id)
            count += 1
    return count


def _segments(pair: LanguagePair, dev: Split) -> Segments:
    side_information = SideInformation(token_log_probs=dev.log_probs())
    return Segments(pair, dev.column("source"), dev.column("translation"), side_information)


def residuals_of(model: Model, matrix: FeatureMatrix, labels: Float64s) -> Float64s:
    """Sorted (label - prediction) / standard deviation of segments; shape (n,)."""
    ids = [feature.id for feature in matrix.features]
    values = matrix.values[:, [ids.index(name) for name in model.card.features]]
    mean, variance = model.regressor.predict(model.standardise(values))
    scaled_labels = (labels - model.label_centre) / model.label_scale
    return np.sort((scaled_labels - mean) / np.sqrt(variance))


if __name__ == "__main__":
    print(f"{record_residuals(Path(sys.argv[1]), Settings().resources_dir, Settings().models_dir)} predictors")
