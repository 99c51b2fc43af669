"""Preferences between translations, learned from differences of features: ``python -m benchmarks.preferences DATA [--sources 100]``.

DATA holds ``wmt-mqm`` (TED talks) and ``bio-mqm`` (medical abstracts), as in `benchmarks.selection`. A pair is two machines' translations
of a source with unequal MQM penalties. Each chooser learns from the training folds. Accuracy is the share of held-out pairs whose better
translation it chooses; sources have equal weights. `penalty` predicts the penalty of each translation (svr), `linear penalty` by ridge
regression. `difference` is a logistic regression of the difference of both translations' features, and `difference, svc` a machine of
the RBF kernel. `da` is the shipped predictor of any pair. The gain is that over `penalty`, with a 95 % interval of 1,000 draws of sources.
"""

import argparse
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from app.engine import Engine
from app.settings import Settings
from benchmarks.judged_systems import ANY_PAIR, JudgedTranslations, abstracts, features_of, pairs_of_abstracts, talks
from benchmarks.selection import MQM, fitted

DRAWS = 1000
# A support vector machine takes the square of its rows.
SVC_PAIRS = 5000


def pairs_of(data: JudgedTranslations, rows: np.ndarray) -> np.ndarray:
    """Places (p, 2) of the better and the worse translation of each source."""
    places_of: dict[str, list[int]] = {}
    for place in np.flatnonzero(rows):
        places_of.setdefault(str(data.sources[place]), []).append(int(place))
    pairs = [pair for places in places_of.values() for pair in combinations(places, 2)]
    penalties = np.array([[data.penalties[a], data.penalties[b]] for a, b in pairs])
    differing = penalties[:, 0] != penalties[:, 1]
    table: np.ndarray = np.array(pairs)[differing]
    is_swapped = penalties[differing, 0] > penalties[differing, 1]
    table[is_swapped] = table[is_swapped][:, ::-1]
    return table


def choices_of_fold(
    data: JudgedTranslations, values: np.ndarray, train: np.ndarray, test_pairs: np.ndarray, seed: int
) -> dict[str, np.ndarray]:
    """Choices of held-out pairs (p,): 1 for the better translation, 0.5 for a tie, 0 for the worse one."""
    general = fitted(values[train], data.penalties[train], data.sources[train], MQM, "svr", seed)
    scaler = StandardScaler().fit(values[train])
    columns = scaler.transform(values)
    ridge = RidgeCV(np.logspace(-1, 5, 13)).fit(columns[train], data.penalties[train])
    pairs = pairs_of(data, train)
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1.0, 1.0], len(pairs))
    differences = (columns[pairs[:, 0]] - columns[pairs[:, 1]]) * signs[:, None]
    linear = LogisticRegression(C=0.01, fit_intercept=False, max_iter=2000).fit(differences, signs)
    selection = rng.permutation(len(pairs))[:SVC_PAIRS]
    machine = SVC(C=1.0).fit(differences[selection], signs[selection])
    test = columns[test_pairs[:, 0]] - columns[test_pairs[:, 1]]

    def by_penalty(penalties: np.ndarray) -> np.ndarray:
        return _choices(penalties[test_pairs[:, 1]] - penalties[test_pairs[:, 0]])

    return {
        "penalty": by_penalty(np.asarray(general.predict(values).mean)),
        "linear penalty": by_penalty(ridge.predict(columns)),
        "difference": _choices(linear.decision_function(test)),
        # A preference must not depend on the order of both translations.
        "difference, svc": _choices(machine.decision_function(test) - machine.decision_function(-test)),
    }


def _choices(gains: np.ndarray) -> np.ndarray:
    return (np.sign(np.round(gains, 9)) + 1) / 2


def measured(data: JudgedTranslations, values: np.ndarray, da: np.ndarray, seed: int) -> dict[str, list[float]]:
    """Accuracy of each chooser, its gain over `penalty` and the bounds of the gain."""
    machine = data.systems != data.reference
    choices: dict[str, list[np.ndarray]] = {}
    sources: list[np.ndarray] = []
    for fold in np.unique(data.folds[data.folds >= 0]):
        test_pairs = pairs_of(data, machine & (data.folds == fold))
        parts = choices_of_fold(data, values, machine & (data.folds != fold), test_pairs, seed)
        parts["da"] = _choices(da[test_pairs[:, 0]] - da[test_pairs[:, 1]])
        for name, part in parts.items():
            choices.setdefault(name, []).append(part)
        sources.append(data.sources[test_pairs[:, 0]])
    _, source = np.unique(np.concatenate(sources), return_inverse=True)
    counts = np.bincount(source)
    shares = {name: np.bincount(source, np.concatenate(part)) / counts for name, part in choices.items()}
    draws = np.random.default_rng(seed).integers(0, len(counts), (DRAWS, len(counts)))
    table = {}
    for name, share in shares.items():
        gain = share - shares["penalty"]
        low, high = np.percentile(gain[draws].mean(1), [2.5, 97.5])
        table[name] = [float(share.mean()), float(gain.mean()), float(low), float(high)]
    return table


def print_table(title: str, table: Mapping[str, list[float]]) -> None:
    print(f"\n{title}\n\n| Chooser | Accuracy | Gain |\n| --- | --- | --- |")
    for name, (accuracy, gain, low, high) in table.items():
        print(f"| {name} | {accuracy:.3f} | {gain:+.3f} ({low:+.3f} to {high:+.3f}) |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.preferences", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--sources", type=int, default=100, help="sources of a pair of abstracts, for training and dev")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=Path, help="folder of features, which are stored and read again")
    options = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
    da_model = engine.models[ANY_PAIR]
    tables = []
    for pair in ("en-de", "zh-en"):
        data = talks(options.data, pair)
        values = features_of(engine, data, options.save)
        print_table(f"TED talks, {pair}", measured(data, values, np.asarray(da_model.predict(values).mean), options.seed))
    for pair in pairs_of_abstracts(options.data):
        data = abstracts(options.data, pair, options.sources, options.seed)
        values = features_of(engine, data, options.save)
        tables.append(measured(data, values, np.asarray(da_model.predict(values).mean), options.seed))
    means = {name: np.mean([table[name] for table in tables], axis=0).tolist() for name in tables[0]}
    print_table(f"Abstracts, mean of {len(tables)} pairs (of the bounds too)", means)


if __name__ == "__main__":
    main()
