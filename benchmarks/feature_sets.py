"""What each feature set is worth: ``python -m benchmarks.feature_sets DATA FEATURES``.

FEATURES is the folder that ``assay build DATA --features FEATURES`` keeps: cross-fitted features of the training rows, features
of dev. One support vector regression of fixed parameters (C 1, gamma 0.3 / number of features, epsilon 0.1) for each set, so that
nothing is chosen on dev; Pearson correlation on dev.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.svm import SVR

from app.features import feature_set
from app.text.reading.tables import read_column
from scripts.mlqe_pe.everything import LABEL_COLUMNS, language_pairs, read_features

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
        rows = len(read_column(f"{data / str(pair) / 'train'}.tsv.gz:source"))
        ids, train, dev = read_features(Path(sys.argv[2]), pair, rows)
        for label, column in LABEL_COLUMNS.items():
            gold = [
                np.array([float(cell) for cell in read_column(f"{data / str(pair) / split}.tsv.gz:{column}")])
                for split in ("train", "dev")
            ]
            cells = []
            for name in SETS:
                columns = [ids.index(feature.id) for feature in feature_set(name).features if feature.id in ids]
                centre, scale = train[:, columns].mean(0), train[:, columns].std(0)
                scale[scale == 0] = 1
                x, held = (np.clip((side[:, columns] - centre) / scale, -4, 4) for side in (train, dev))
                learner = SVR(C=1, gamma=0.3 / len(columns), epsilon=0.1, cache_size=500)
                learner.fit(x, (gold[0] - gold[0].mean()) / gold[0].std())
                cells.append(f"{np.corrcoef(learner.predict(held), gold[1])[0, 1]:.3f}")
            print(f"| {pair}, {label} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
