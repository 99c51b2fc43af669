"""Learning curves on a new language pair: ``python -m benchmarks.adaptation DATA FEATURES [PAIR ...]``.

``python -m scripts.mlqe_pe DATA --features FEATURES`` fills FEATURES. The benchmark holds one pair out and adapts with 50, 200 and
1,000 of its training rows (two draws). The table has Pearson and MAE with HTER on dev. Features are standardised within each pair,
those of the new pair by all its rows, which need no labels. Labels in HTER are standardised by the labelled rows.

* base: a Gaussian process of 12,000 rows of the other pairs
* fine-tuned: base and a correction (`fit_correction`, as ``adapt``)
* multi-task: a process of two tasks, 3,000 rows of the other pairs and the new rows
* scratch: the new rows alone
"""

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.linear_model import BayesianRidge

from app.features import feature_set
from app.predictors.learners.gp.evidence import TaskRows
from app.predictors.learners.gp.fitting import FitSettings, fit_process
from app.predictors.learners.gp.process import GaussianProcess
from app.predictors.model import standardise
from scripts.mlqe_pe.everything import WIDEST, language_pairs, read_features, split_of

SIZES = (50, 200, 1000)
SEEDS = (1, 2)
LABEL = "hter"


def load(data: Path, features: Path, pair) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # type: ignore[no-untyped-def]
    labels, gold = (split_of(data, pair, name).labels(LABEL) for name in ("train", "dev"))
    ids, values, dev = read_features(features, pair, len(labels))
    columns = [ids.index(f.id) for f in feature_set(WIDEST).features]
    centre, scale = values[:, columns].mean(0), values[:, columns].std(0)
    scale[scale == 0] = 1
    return standardise(values[:, columns], centre, scale), labels, standardise(dev[:, columns], centre, scale), gold


def fine_tune(base: GaussianProcess, x: np.ndarray, y: np.ndarray):  # type: ignore[no-untyped-def]
    residuals = y - base.means(x)
    shift = residuals.mean()
    correction = fit_process(TaskRows.single(x, residuals - shift), FitSettings(ard=False, inducing=0), 1).process()
    return lambda new: base.means(new) + shift + correction.means(new)


def _by_own_units(base: GaussianProcess, x: np.ndarray, y: np.ndarray, dev: np.ndarray) -> np.ndarray:
    spread = np.where(x.std(0) > 0, x.std(0), 1.0)
    return fine_tune(base, np.clip((x - x.mean(0)) / spread, -4, 4), y)(np.clip((dev - x.mean(0)) / spread, -4, 4))  # type: ignore[no-any-return]


def multi_task(rest: TaskRows, x: np.ndarray, y: np.ndarray, sharing: str, rank: int = 1):  # type: ignore[no-untyped-def]
    rows = TaskRows(np.vstack([rest.x, x]), np.concatenate([rest.y, y]), np.repeat([0, 1], [len(rest.y), len(y)]))
    process = fit_process(rows, FitSettings(inducing=300, sharing=sharing, rank=rank, iterations=(20, 40)), 1, 2).process(1)
    return process.means


def main() -> None:
    data, pairs = language_pairs(Path(sys.argv[1]))
    tables = {str(pair): load(data, Path(sys.argv[2]), pair) for pair in pairs}
    for new in sys.argv[3:] or ["ro-en", "en-de"]:
        rng = np.random.default_rng(0)
        rest = [name for name in tables if name != new]
        x = np.vstack([tables[name][0] for name in rest])
        y = np.concatenate([(tables[name][1] - tables[name][1].mean()) / tables[name][1].std() for name in rest])
        order = rng.permutation(len(y))
        base = fit_process(TaskRows.single(x[order[:12_000]], y[order[:12_000]]), FitSettings(), 1).process()
        shared = TaskRows.single(x[order[:3000]], y[order[:3000]])
        own_x, own_y, dev, gold = tables[new]
        results: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
        for size in SIZES:
            for seed in SEEDS:
                rows = np.random.default_rng(seed).permutation(len(own_y))[:size]
                x_labelled, labels = own_x[rows], own_y[rows]
                centre, scale = labels.mean(), labels.std()
                z = (labels - centre) / scale
                predictions = {
                    "base, no new labels but mean and spread": base.means(dev),
                    "base, fine-tuned (adapt)": fine_tune(base, x_labelled, z)(dev),
                    "the same, features standardised by the labelled rows": _by_own_units(base, x_labelled, z, dev),
                    "multi-task, combined": multi_task(shared, x_labelled, z, "combined")(dev),
                    "multi-task, rank 1": multi_task(shared, x_labelled, z, "rank")(dev),
                    "pooled": multi_task(shared, x_labelled, z, "pooled")(dev),
                    "scratch, ridge": BayesianRidge().fit(x_labelled, z).predict(dev),
                    "scratch, process, one length": fit_process(
                        TaskRows.single(x_labelled, z), FitSettings(ard=False, inducing=0), 1
                    )
                    .process()
                    .means(dev),
                }
                for name, prediction in predictions.items():
                    score = np.clip(prediction * scale + centre, 0, 1)
                    results[name, size].append((float(np.corrcoef(prediction, gold)[0, 1]), float(np.abs(score - gold).mean())))
        print(f"\n{new}, {LABEL}: Pearson / MAE on dev, mean of {len(SEEDS)} draws\n")
        print("| | " + " | ".join(f"{size} rows" for size in SIZES) + " |\n| --- |" + " --- |" * len(SIZES))
        for name in dict.fromkeys(name for name, _ in results):
            cells = [np.mean(results[name, size], axis=0) for size in SIZES]
            print(f"| {name} | " + " | ".join(f"{r:.3f} / {mae:.3f}" for r, mae in cells) + " |", flush=True)


if __name__ == "__main__":
    main()
