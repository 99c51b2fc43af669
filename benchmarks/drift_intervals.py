"""Coverage of intervals far from the training rows: ``python -m benchmarks.drift_intervals [--rows 3000] [--label hter] [--learner blend]``.

The rows are those shipped with the predictors of each pair (numbers and labels, no other data), in five kinds by their features
(k-means on standardised features). For each kind a predictor learns from the other four, which also calibrate its 90 %
intervals, and predicts that kind. The fifths of segments with the longest and the shortest sources are parts too. Three measures give
the distance of a segment from the training rows. They are Mahalanobis's distance, the share of features outside the middle 99 % of
training, and the predictor's own deviation, the base of the interval. The unit is the share of calibrating rows that are nearer. The last
table widens intervals by a factor for distances beyond 99 % of these rows, with the factor learnt on the other pairs.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr
from sklearn.cluster import KMeans

from app.engine import Engine
from app.predictors import Model
from app.predictors.distribution import stability
from app.predictors.training import TrainingSet, split_held_out, train_model
from app.settings import Settings

KINDS = 5
SEED = 12345
SET = "text-only+words"
CUTS = (0.5, 0.9, 0.99, 1.0)
BINS = ("nearest half", "50-90 %", "90-99 %", "99-100 %", "beyond all")
FAR = 0.99
FACTORS = np.round(np.arange(1.0, 3.01, 0.02), 2)
Distance = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class PartErrors:
    """Segments of a part left out: distances by measure as shares of calibrating rows, and errors in half widths."""

    pair: str
    part: str
    drift: float
    bias: float
    places: dict[str, np.ndarray]
    errors: np.ndarray


def distances(model: Model, train: np.ndarray) -> dict[str, Distance]:
    """Measures of the distance of features (n, k) from the training rows."""
    rows = model.standardise(train)
    covariance = np.cov(rows.T) + 0.1 * np.eye(rows.shape[1])
    centre, inverse = rows.mean(0), np.linalg.inv(covariance)
    low, high = np.quantile(train, (0.005, 0.995), axis=0)

    def mahalanobis(values: np.ndarray) -> np.ndarray:
        difference = model.standardise(values) - centre
        return np.sqrt(np.einsum("ij,jk,ik->i", difference, inverse, difference))

    def outside(values: np.ndarray) -> np.ndarray:
        return ((values < low) | (values > high)).mean(1)

    return {"Mahalanobis": mahalanobis, "features outside": outside, "own deviation": lambda values: model.predict(values).std}


def parts(values: np.ndarray, names: list[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Names of parts to leave out, with masks of their rows (n,)."""
    unit_values = np.clip((values - values.mean(0)) / np.where(values.std(0) > 0, values.std(0), 1.0), -4, 4)
    kinds = KMeans(KINDS, n_init=3, random_state=SEED).fit_predict(unit_values)
    for kind in range(KINDS):
        yield f"kind {kind + 1}", kinds == kind
    length = values[:, names.index("1001")]
    yield "longest fifth", length > np.quantile(length, 0.8)
    yield "shortest fifth", length < np.quantile(length, 0.2)


def errors_of_pair(engine: Engine, pair: str, label: str, rows: int, learner: str) -> Iterator[PartErrors]:
    """Errors of every part of a pair by a predictor of the rest; the first part is a random fifth."""
    stored_rows = engine.registry.rows(engine.models[f"{pair}-{label}-blend-95"])
    names = list(engine.models[f"{pair}-{label}-blend-95"].card.features)
    values, gold = stored_rows.of(names, label)
    sample = np.random.default_rng(SEED).permutation(len(gold))[:rows]
    values, gold = values[sample], gold[sample]
    by_chance = np.random.default_rng(SEED).random(len(gold)) < 1 / KINDS
    for part, mask in (("by chance", by_chance), *parts(values, names)):
        train, calibration = split_held_out(TrainingSet(values[~mask], gold[~mask], pair, ""), 0.2, 1)
        model = train_model(train, calibration, pair, label, SET, names, learner)
        places = {}
        for name, measure in distances(model, train.values).items():
            usual = np.sort(measure(calibration.values))
            places[name] = np.searchsorted(usual, measure(values[mask]), "left") / len(usual)
        p = model.predict(values[mask])
        width = model.calibration[min(len(model.calibration) - 1, int(np.ceil(0.9 * (len(model.calibration) + 1))) - 1)]
        drift = float(stability(model.usual, model.usual.counts(values[mask])).mean())
        bias = abs(float((gold[mask] - p.mean).mean())) / float(np.std(gold))
        yield PartErrors(pair, part, drift, bias, places, np.abs(gold[mask] - p.mean) / (width * p.std))


def coverage_table(results: list[PartErrors], measures: list[str]) -> None:
    """Print the coverage of parts, and that of all parts by distance."""
    print("| Left out | pairs' mean | lowest | beyond 99 %, Mahalanobis |\n| --- | --- | --- | --- |")
    for part in dict.fromkeys(row.part for row in results):
        coverages = [(row.errors <= 1).mean() for row in results if row.part == part]
        far = np.concatenate([row.places["Mahalanobis"] > FAR for row in results if row.part == part])
        print(f"| {part} | {np.mean(coverages):.3f} | {min(coverages):.3f} | {far.mean():.1%} |")
    print("\n| Held by 90 % at a distance | " + " | ".join(BINS) + " |\n|" + " --- |" * (len(BINS) + 1))
    parts_left_out = [row for row in results if row.part != "by chance"]
    errors = np.concatenate([row.errors for row in parts_left_out])
    for name in measures:
        places = np.concatenate([row.places[name] for row in parts_left_out])
        bins = np.digitize(places, CUTS[:-1]) + (places >= 1.0)
        cells = [
            f"{(errors[bins == b] <= 1).mean():.3f} ({(bins == b).sum()})" if (bins == b).any() else "-" for b in range(len(BINS))
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")


def print_correlations(results: list[PartErrors]) -> None:
    """Print rank correlations of the coverage of parts with the drift of features and the bias of the mean."""
    parts_left_out = [row for row in results if row.part != "by chance"]
    coverages = [(row.errors <= 1).mean() for row in parts_left_out]
    drift, bias = (spearmanr([getattr(row, name) for row in parts_left_out], coverages).statistic for name in ("drift", "bias"))
    print(
        f"\n{len(parts_left_out)} parts left out: rank correlation of coverage with drift {drift:+.2f}, with the bias of the mean {bias:+.2f}"
    )


def widening_table(results: list[PartErrors], measures: list[str]) -> None:
    """Print the effect of a wider interval for far segments, with the factor learnt on the other pairs."""
    print("\n| Wider where beyond 99 % by | factor, other pairs | far, before | far, after | parts' lowest before | after |")
    print("| --- | --- | --- | --- | --- | --- |")
    parts_left_out = [row for row in results if row.part != "by chance"]
    for name in measures:
        factors, before, after, lowest, lowest_after = [], [], [], [], []
        for pair in dict.fromkeys(row.pair for row in parts_left_out):
            errors = np.concatenate([row.errors[row.places[name] > FAR] for row in parts_left_out if row.pair != pair])
            factor = next((f for f in FACTORS if (errors <= f).mean() >= 0.9), FACTORS[-1])
            pair_rows = [row for row in parts_left_out if row.pair == pair]
            far = np.concatenate([row.errors[row.places[name] > FAR] for row in pair_rows])
            factors.append(factor)
            before.append((far <= 1).mean())
            after.append((far <= factor).mean())
            lowest.append(min((row.errors <= 1).mean() for row in pair_rows))
            lowest_after.append(min((row.errors <= np.where(row.places[name] > FAR, factor, 1)).mean() for row in pair_rows))
        span = f"{min(factors):.2f}-{max(factors):.2f}"
        cells = [f"{np.mean(column):.3f} ({min(column):.3f})" for column in (before, after, lowest, lowest_after)]
        print(f"| {name} | {span} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--label", default="hter")
    parser.add_argument("--learner", default="blend")
    options = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir)
    results = [row for pair in PAIRS for row in errors_of_pair(engine, pair, options.label, options.rows, options.learner)]
    measures = list(results[0].places)
    coverage_table(results, measures)
    print_correlations(results)
    widening_table(results, measures)


PAIRS = ("ro-en", "et-en", "ne-en", "si-en", "ru-en", "en-de", "en-zh")

if __name__ == "__main__":
    main()
