"""Accuracy of each feature set: ``python -m benchmarks.feature_sets DATA FEATURES``.

``python -m scripts.mlqe_pe DATA --features FEATURES`` fills FEATURES: cross-fitted features of the training rows, features of dev.
Each set has a support vector regression of fixed parameters (C 1, gamma 0.3 / number of features, epsilon 0.1), so that nothing
is fitted to dev. The table has Pearson correlations on dev.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.svm import SVR

from app.features import feature_set
from scripts.mlqe_pe.everything import LABEL_COLUMNS, language_pairs, read_features, split_of

SETS = (
    "quest-baseline-17",
    "blackbox-79",
    "text-only",
    "all-blackbox",
    "nmt-glassbox-10",
    "quest-baseline-17+nmt-glassbox-10",
    "text-only+nmt-glassbox-10",
    "all-blackbox+nmt-glassbox-10",
    "text-only+words",
    "text-only+nmt-glassbox-10+words",
)


def main() -> None:
    data, pairs = language_pairs(Path(sys.argv[1]))
    print("| Pair, label | " + " | ".join(f"`{name}`" for name in SETS) + " |")
    print("| --- |" + " --- |" * len(SETS))
    for pair in pairs:
        splits = [split_of(data, pair, name) for name in ("train", "dev")]
        ids, train, dev = read_features(Path(sys.argv[2]), pair, len(splits[0].column("source")))
        for label in LABEL_COLUMNS:
            gold = [split.labels(label) for split in splits]
            cells = []
            for name in SETS:
                columns = [ids.index(feature.id) for feature in feature_set(name).features if feature.id in ids]
                centre, scale = train[:, columns].mean(0), train[:, columns].std(0)
                scale[scale == 0] = 1
                x, x_dev = (np.clip((side[:, columns] - centre) / scale, -4, 4) for side in (train, dev))
                learner = SVR(C=1, gamma=0.3 / len(columns), epsilon=0.1, cache_size=500)
                learner.fit(x, (gold[0] - gold[0].mean()) / gold[0].std())
                cells.append(f"{np.corrcoef(learner.predict(x_dev), gold[1])[0, 1]:.3f}")
            print(f"| {pair}, {label} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
