"""Learners beside the baseline system of WMT12 (en-es, 17 features, effort 1-5): ``python -m benchmarks.wmt12 FOLDER [LEARNER ...]``.

FOLDER holds ``train.features17.tsv.gz`` and ``train.effort.gz``, the task's training rows. Labels of its test set are not public.
Of ten folds, each uses a fifth of its training rows for choice and calibration. The task's baseline system was an SVR with an RBF kernel
on these 17 features and a grid: here `svr`, with a thinned grid of the task's range. The default beside it is a Gaussian process;
``all`` measures every learner. Published figures of the task's test set (baseline MAE 0.69, RMSE 0.82) are of other segments and not
comparable. The second table has each learner's difference from the baseline, with a 95 % interval from 2,000 resamples of the segments.
"""

import gzip
import sys
from pathlib import Path

import numpy as np

from app.predictors.evaluation import evaluate_predictions
from app.predictors.training import TrainingSet, split_held_out, train_model

BASELINE = "svr"
USUAL = (BASELINE, "gp")
LEARNERS = (
    BASELINE, "svr|search:halving", "svr|kernel:linear", "gp|inducing:0", "gp", "gp|kernel:matern52", "gp|kernel:rbf+linear",
    "gp|kernel:rq", "gp|inducing:0|warp:tanh", "gp|warp:logit", "ridge", "lasso", "trees", "blend",
)  # fmt: skip
FOLDS = 10
RESAMPLES = 2000


def predict(learner: str, values: np.ndarray, labels: np.ndarray, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Predictions for every row by a model without it, and a mask of labels inside its 90 % interval; shapes (n,)."""
    fold = np.random.default_rng(1).permutation(len(labels)) % FOLDS
    means, inside = np.empty(len(labels)), np.zeros(len(labels), bool)
    for number in range(FOLDS):
        test = fold == number
        train, choose = split_held_out(TrainingSet(values[~test], labels[~test], "wmt12", ""), 0.2, 1)
        p = train_model(train, choose, "en-es", "effort", "quest", names, learner).predict(values[test])
        means[test] = p.mean
        inside[test] = (labels[test] >= p.low) & (labels[test] <= p.high)
    return means, inside


def compare(labels: np.ndarray, means: np.ndarray, baseline: np.ndarray) -> str:
    """MAE and RMSE less the baseline's, with intervals."""
    rows = np.random.default_rng(1).integers(0, len(labels), (RESAMPLES, len(labels)))
    cells = []
    for power in (1, 2):
        a, b = np.abs(means - labels) ** power, np.abs(baseline - labels) ** power
        differences = a[rows].mean(1) ** (1 / power) - b[rows].mean(1) ** (1 / power)
        low, high = np.percentile(differences, [2.5, 97.5])
        cells.append(f"{a.mean() ** (1 / power) - b.mean() ** (1 / power):+.4f} ({low:+.4f} to {high:+.4f})")
    return " | ".join(cells)


def main() -> None:
    folder, choice = Path(sys.argv[1]), sys.argv[2:] or list(USUAL)
    learners = LEARNERS if choice == ["all"] else dict.fromkeys([BASELINE, *choice])
    with gzip.open(folder / "train.features17.tsv.gz", "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    with gzip.open(folder / "train.effort.gz", "rt", encoding="utf-8") as file:
        labels = np.array([float(line) for line in file if line.strip()])
    values = np.array([[float(cell) for cell in line if cell] for line in lines[-len(labels) :]])
    names = [f"f{k + 1}" for k in range(values.shape[1])]
    print(f"{len(labels)} rows of {len(names)} features, {FOLDS} folds, the same for all\n")
    print("| Learner | MAE | RMSE | Pearson | DeltaAvg | Held by 90 % |\n| --- | --- | --- | --- | --- | --- |")
    predictions = {}
    for learner in learners:
        predictions[learner], inside = predict(learner, values, labels, names)
        a = evaluate_predictions(labels, predictions[learner], True)
        cells = f"{a.mae:.4f} | {a.rmse:.4f} | {a.pearson:.4f} | {a.delta_avg:.4f} | {inside.mean():.1%}"
        print(f"| `{learner.replace('|', ' ')}` | {cells} |", flush=True)
    print(f"\n| Less `{BASELINE}` | MAE | RMSE |\n| --- | --- | --- |")
    for learner, means in predictions.items():
        if learner != BASELINE:
            print(f"| `{learner.replace('|', ' ')}` | {compare(labels, means, predictions[BASELINE])} |")


if __name__ == "__main__":
    main()
