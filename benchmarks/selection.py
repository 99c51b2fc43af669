"""Selection among systems by individual and pooled predictors: ``python -m benchmarks.selection DATA [--sources 100] [--seed 1]``.

DATA holds ``wmt-mqm`` (TED talks of thirteen systems) and ``bio-mqm`` (medical abstracts). Labels are MQM penalties, lower is better, at most
25. Features are those of the predictors of any pair. Of the talks, each is selected by models of the other four; of the abstracts, dev
by models of train. A fifth of the training sources tunes and calibrates. References are people's, so they train the classifier of
origins alone, and no chooser selects them. `da` is the shipped predictor of any pair, which saw none of this. `Difference` is that of
the penalty to the best system of training, with a 95 % interval of 1,000 draws of sources. ``--save FOLDER`` stores features and reads
stored ones.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from app.engine import Engine
from app.metrics import metrics_named
from app.planning.selection_accuracy import CandidatePool, accuracy_of
from app.predictors import Model, Scale
from app.predictors.labels import LABELS, Label, label_named
from app.predictors.training import TrainingSet, train_model
from app.settings import Settings
from benchmarks.judged_systems import ANY_PAIR, JudgedTranslations, abstracts, features_of, pairs_of_abstracts, talks

MQM = label_named("mqm", Scale(False, 0.0, 25.0))
HELD_OUT = 0.2
DRAWS = 1000


def held_out_mask(sources: np.ndarray, seed: int) -> np.ndarray:
    """Mask of the rows of a random fifth of the sources."""
    names = np.unique(sources)
    selection = np.random.default_rng(seed).permutation(names)[: round(HELD_OUT * len(names))]
    return np.isin(sources, selection)


def fitted(values: np.ndarray, labels: np.ndarray, sources: np.ndarray, label: Label, learner: str, seed: int) -> Model:
    mask = held_out_mask(sources, seed)
    parts = [TrainingSet(values[rows], labels[rows], "rows", "") for rows in (~mask, mask)]
    names = [f"f{k}" for k in range(values.shape[1])]
    return train_model(parts[0], parts[1], "any-any", label, "any", names, learner, seed=seed, created="2026-01-01")


def scores_of_fold(
    data: JudgedTranslations, values: np.ndarray, train: np.ndarray, test: np.ndarray, learner: str, seed: int
) -> dict[str, np.ndarray]:
    """Scores of test rows by each chooser, lower is better; one training for each system."""
    machine = data.systems != data.reference
    rows = train & machine
    pooled_model = fitted(values[rows], data.penalties[rows], data.sources[rows], MQM, learner, seed)
    means: dict[str, np.ndarray] = {}
    for system in np.unique(data.systems[rows]):
        system_rows = rows & (data.systems == system)
        part = values[system_rows], data.penalties[system_rows], data.sources[system_rows]
        means[system] = fitted(*part, MQM, learner, seed).predict(values[test]).mean
    origin = fitted(
        values[train], (~machine[train]).astype(float), data.sources[train], LABELS["origin"], "svc|weight:balanced", seed
    )
    by_penalty = {system: float(data.penalties[rows & (data.systems == system)].mean()) for system in means}
    best = min(by_penalty, key=lambda system: by_penalty[system])
    return {
        "pooled": pooled_model.predict(values[test]).mean,
        "individual, blind": np.mean(list(means.values()), axis=0),
        "individual, non-blind": np.array([means[system][k] for k, system in enumerate(data.systems[test])]),
        "origin (svc)": -origin.predict(values[test]).mean,
        "best system of training": (data.systems[test] != best).astype(float),
    }


def table_of(
    data: JudgedTranslations, scores: Mapping[str, np.ndarray], rows: np.ndarray, draws: np.ndarray
) -> dict[str, list[float]]:
    """Accuracy, penalty, its difference to the best system of training with a 95 % interval, BLEU and chrF of each chooser."""
    pool = CandidatePool.of(data.sources[rows].tolist(), data.systems[rows].tolist(), data.penalties[rows], False)
    at = np.flatnonzero(rows)[pool.rows]
    metrics = metrics_named(["bleu", "chrf"])
    texts, references = data.translations[at].tolist(), data.references[at].tolist()
    statistics = {name: metric.prepare([references]).statistics_of_systems([texts])[0] for name, metric in metrics.items()}
    selections = {name: pool.best(np.round(values[pool.rows], 6), False) for name, values in scores.items()}
    systems = {name: pool.of_system(name) for name in dict.fromkeys(pool.systems)}
    penalties = {name: accuracy_of(pool, selection, {}, {}).label for name, selection in systems.items()}
    selections["best system of test (hindsight)"] = systems[min(penalties, key=lambda name: penalties[name])]
    selections |= {"oracle": pool.oracle, "chance": pool.chance}
    by_source = {name: np.bincount(pool.source, selection * pool.labels, pool.sources) for name, selection in selections.items()}
    resamples = draws[:, : pool.sources] % pool.sources
    table = {}
    for name, selection in selections.items():
        accuracy = accuracy_of(pool, selection, metrics, statistics)
        gain = by_source[name] - by_source["best system of training"]
        low, high = np.percentile(gain[resamples].mean(1), [2.5, 97.5])
        table[name] = [accuracy.accuracy, accuracy.label, gain.mean(), low, high, *accuracy.scores.values()]
    return table


def measured(data: JudgedTranslations, values: np.ndarray, da_model: Model, learner: str, seed: int) -> dict[str, list[float]]:
    machine = data.systems != data.reference
    rows = machine & (data.folds >= 0)
    scores: dict[str, np.ndarray] = {"da": -da_model.predict(values).mean}
    for fold in np.unique(data.folds[data.folds >= 0]):
        test = rows & (data.folds == fold)
        for name, part in scores_of_fold(data, values, data.folds != fold, test, learner, seed).items():
            scores.setdefault(name, np.full(len(data.folds), np.nan))[test] = part
    draws = np.random.default_rng(seed).integers(0, 2**40, (DRAWS, int(rows.sum())))
    return table_of(data, {name: part[rows] for name, part in scores.items()}, rows, draws)


def print_table(title: str, table: Mapping[str, Sequence[float]]) -> None:
    print(f"\n{title}\n\n| Chooser | Accuracy | MQM penalty | Difference | BLEU | chrF |\n| --- | --- | --- | --- | --- | --- |")
    for name, (accuracy, penalty, gain, low, high, bleu, chrf) in table.items():
        difference = f"{gain:+.2f} ({low:+.2f} to {high:+.2f})"
        print(f"| {name} | {accuracy:.3f} | {penalty:.2f} | {difference} | {bleu:.1f} | {chrf:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sources", type=int, default=100, help="sources of a pair of abstracts, for training and dev")
    parser.add_argument("--learner", default="svr", help="learner of penalties")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", nargs="*", help="pairs of the abstracts; default: all")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")
    da_model = engine.models[ANY_PAIR]
    for pair in ("en-de", "zh-en"):
        data = talks(options.data, pair)
        table = measured(data, features_of(engine, data, options.save), da_model, options.learner, options.seed)
        print_table(f"TED talks, {pair}, {len(set(data.sources))} sources", table)
    tables = []
    for pair in options.pairs or pairs_of_abstracts(options.data):
        data = abstracts(options.data, pair, options.sources, options.seed)
        tables.append(measured(data, features_of(engine, data, options.save), da_model, options.learner, options.seed))
        print_table(f"Abstracts, {pair}, dev", tables[-1])
    means = {name: np.mean([table[name] for table in tables], axis=0).tolist() for name in tables[0]}
    print_table(f"Abstracts, mean of {len(tables)} pairs (of the ends of intervals too)", means)


if __name__ == "__main__":
    main()
