"""WMT12 en-es, 17 features, effort 1-5: cross-validated error of every learner: ``python -m benchmarks.wmt12 FOLDER``.

FOLDER holds ``train.features17.tsv.gz`` and ``train.effort.gz``. Ten folds; in each, a fifth of the training rows chooses and
calibrates. The task's baseline system (SVR, grid) had MAE 0.69 and RMSE 0.82 on the test set.
"""

import gzip
import sys
from pathlib import Path

import numpy as np

from app.predictors.evaluation import evaluate_predictions
from app.predictors.training import TrainingSet, split_held_out, train_model

LEARNERS = (
    "svr", "svr|search:halving", "svr|kernel:linear", "gp|inducing:0", "gp", "gp|kernel:matern52", "gp|kernel:rbf+linear",
    "gp|kernel:rq", "gp|inducing:0|warp:tanh", "gp|warp:logit", "ridge", "lasso", "trees", "blend",
)  # fmt: skip
FOLDS = 10


def main() -> None:
    folder = Path(sys.argv[1])
    with gzip.open(folder / "train.features17.tsv.gz", "rt", encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    with gzip.open(folder / "train.effort.gz", "rt", encoding="utf-8") as file:
        labels = np.array([float(line) for line in file if line.strip()])
    values = np.array([[float(cell) for cell in line if cell] for line in lines[-len(labels) :]])
    names = [f"f{k + 1}" for k in range(values.shape[1])]
    fold = np.random.default_rng(1).permutation(len(labels)) % FOLDS
    print(
        f"{len(labels)} rows of {len(names)} features\n\n| Learner | MAE | RMSE | Pearson | Held by 90 % |\n| --- | --- | --- | --- | --- |"
    )
    for learner in LEARNERS:
        predicted, held = np.empty(len(labels)), np.zeros(len(labels), bool)
        for number in range(FOLDS):
            test = fold == number
            train, choose = split_held_out(TrainingSet(values[~test], labels[~test], "wmt12", ""), 0.2, 1)
            model = train_model(train, choose, "en-es", "effort", "quest", names, learner)
            p = model.predict(values[test])
            predicted[test] = p.mean
            held[test] = (labels[test] >= p.low) & (labels[test] <= p.high)
        a = evaluate_predictions(labels, predicted, True)
        print(f"| `{learner.replace('|', ' ')}` | {a.mae:.4f} | {a.rmse:.4f} | {a.pearson:.4f} | {held.mean():.1%} |", flush=True)


if __name__ == "__main__":
    main()
