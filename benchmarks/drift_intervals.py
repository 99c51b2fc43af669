"""Whether intervals fail far from the training rows: ``python -m benchmarks.drift_intervals [--rows 3000] [--label hter] [--learner blend]``.

From the rows that ship with the predictors of each pair (numbers and labels, no other data). Rows are put into five kinds by
their features (k-means on standardised features); of each kind in turn a predictor is trained on the other four, which also calibrate
its intervals of 90 %, and is asked about the one left out. The same for the fifth of segments with the longest and the
shortest sources. How far a segment is from the rows of training is measured in three ways: Mahalanobis's distance, the share of
features outside the middle 99 % of training, and the predictor's own deviation, of which the interval is made. A segment's distance
is told as the share of calibrating rows that are nearer. Then an interval that is wider by a factor where the distance is beyond 99 %
of them, the factor learnt on the other pairs.
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
class Asked:
    """Segments of a part that was left out: distances by measure as shares of calibrating rows, and the error in half widths."""

    pair: str
    part: str
    drift: float
    bias: float
    places: dict[str, np.ndarray]
    errors: np.ndarray


def distances(model: Model, train: np.ndarray) -> dict[str, Distance]:
    """Measures of how far features (n, k) are from the rows of training."""
    seen = model.standardise(train)
    covariance = np.cov(seen.T) + 0.1 * np.eye(seen.shape[1])
    centre, inverse = seen.mean(0), np.linalg.inv(covariance)
    low, high = np.quantile(train, (0.005, 0.995), axis=0)

    def mahalanobis(values: np.ndarray) -> np.ndarray:
        apart = model.standardise(values) - centre
        return np.sqrt(np.einsum("ij,jk,ik->i", apart, inverse, apart))

    def outside(values: np.ndarray) -> np.ndarray:
        return ((values < low) | (values > high)).mean(1)

    return {"Mahalanobis": mahalanobis, "features outside": outside, "own deviation": lambda values: model.predict(values).std}


def parts(values: np.ndarray, names: list[str]) -> Iterator[tuple[str, np.ndarray]]:
    """What is left out, by name: rows (n,) as a mask."""
    scaled = np.clip((values - values.mean(0)) / np.where(values.std(0) > 0, values.std(0), 1.0), -4, 4)
    kinds = KMeans(KINDS, n_init=3, random_state=SEED).fit_predict(scaled)
    for kind in range(KINDS):
        yield f"kind {kind + 1}", kinds == kind
    length = values[:, names.index("1001")]
    yield "longest fifth", length > np.quantile(length, 0.8)
    yield "shortest fifth", length < np.quantile(length, 0.2)


def left_out(engine: Engine, pair: str, label: str, rows: int, learner: str) -> Iterator[Asked]:
    """Every part of a pair as one sees it who has learned from the others; first a fifth that was drawn by chance."""
    kept = engine.registry.rows(engine.models[f"{pair}-{label}-blend-95"])
    names = list(engine.models[f"{pair}-{label}-blend-95"].card.features)
    values, gold = kept.of(names, label)
    chosen = np.random.default_rng(SEED).permutation(len(gold))[:rows]
    values, gold = values[chosen], gold[chosen]
    by_chance = np.random.default_rng(SEED).random(len(gold)) < 1 / KINDS
    for part, apart in (("by chance", by_chance), *parts(values, names)):
        train, held = split_held_out(TrainingSet(values[~apart], gold[~apart], pair, ""), 0.2, 1)
        model = train_model(train, held, pair, label, SET, names, learner)
        places = {}
        for name, measure in distances(model, train.values).items():
            usual = np.sort(measure(held.values))
            places[name] = np.searchsorted(usual, measure(values[apart]), "left") / len(usual)
        p = model.predict(values[apart])
        width = model.calibration[min(len(model.calibration) - 1, int(np.ceil(0.9 * (len(model.calibration) + 1))) - 1)]
        drift = float(stability(model.usual, model.usual.counts(values[apart])).mean())
        bias = abs(float((gold[apart] - p.mean).mean())) / float(np.std(gold))
        yield Asked(pair, part, drift, bias, places, np.abs(gold[apart] - p.mean) / (width * p.std))


def coverage_table(asked: list[Asked], measures: list[str]) -> None:
    """Coverage of parts, and over all parts left out by how far segments are."""
    print("| Left out | pairs' mean | lowest | beyond 99 %, Mahalanobis |\n| --- | --- | --- | --- |")
    for part in dict.fromkeys(one.part for one in asked):
        held = [(one.errors <= 1).mean() for one in asked if one.part == part]
        far = np.concatenate([one.places["Mahalanobis"] > FAR for one in asked if one.part == part])
        print(f"| {part} | {np.mean(held):.3f} | {min(held):.3f} | {far.mean():.1%} |")
    print("\n| Held by 90 % at a distance | " + " | ".join(BINS) + " |\n|" + " --- |" * (len(BINS) + 1))
    shifted = [one for one in asked if one.part != "by chance"]
    errors = np.concatenate([one.errors for one in shifted])
    for name in measures:
        places = np.concatenate([one.places[name] for one in shifted])
        bins = np.digitize(places, CUTS[:-1]) + (places >= 1.0)
        cells = [
            f"{(errors[bins == b] <= 1).mean():.3f} ({(bins == b).sum()})" if (bins == b).any() else "-" for b in range(len(BINS))
        ]
        print(f"| {name} | " + " | ".join(cells) + " |")


def whole_parts(asked: list[Asked]) -> None:
    """What goes with the coverage of parts: how far their features have drifted, and how far the mean is off that was said."""
    shifted = [one for one in asked if one.part != "by chance"]
    held = [(one.errors <= 1).mean() for one in shifted]
    drift, bias = (spearmanr([getattr(one, name) for one in shifted], held).statistic for name in ("drift", "bias"))
    print(
        f"\n{len(shifted)} parts left out: rank correlation of coverage with drift {drift:+.2f}, with the bias of the mean {bias:+.2f}"
    )


def widening_table(asked: list[Asked], measures: list[str]) -> None:
    """What a factor for far segments does that was learnt on the other pairs."""
    print("\n| Wider where beyond 99 % by | factor, other pairs | far, before | far, after | parts' lowest before | after |")
    print("| --- | --- | --- | --- | --- | --- |")
    shifted = [one for one in asked if one.part != "by chance"]
    for name in measures:
        factors, before, after, lowest, lifted = [], [], [], [], []
        for pair in dict.fromkeys(one.pair for one in shifted):
            others = np.concatenate([one.errors[one.places[name] > FAR] for one in shifted if one.pair != pair])
            factor = next((f for f in FACTORS if (others <= f).mean() >= 0.9), FACTORS[-1])
            ours = [one for one in shifted if one.pair == pair]
            far = np.concatenate([one.errors[one.places[name] > FAR] for one in ours])
            factors.append(factor)
            before.append((far <= 1).mean())
            after.append((far <= factor).mean())
            lowest.append(min((one.errors <= 1).mean() for one in ours))
            lifted.append(min((one.errors <= np.where(one.places[name] > FAR, factor, 1)).mean() for one in ours))
        span = f"{min(factors):.2f}-{max(factors):.2f}"
        cells = [f"{np.mean(column):.3f} ({min(column):.3f})" for column in (before, after, lowest, lifted)]
        print(f"| {name} | {span} | " + " | ".join(cells) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--label", default="hter")
    parser.add_argument("--learner", default="blend")
    options = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir)
    asked = [one for pair in PAIRS for one in left_out(engine, pair, options.label, options.rows, options.learner)]
    measures = list(asked[0].places)
    coverage_table(asked, measures)
    whole_parts(asked)
    widening_table(asked, measures)


PAIRS = ("ro-en", "et-en", "ne-en", "si-en", "ru-en", "en-de", "en-zh")

if __name__ == "__main__":
    main()
