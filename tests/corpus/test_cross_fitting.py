"""A fold's features come from resources that never saw it."""

import numpy as np

from app.corpus.cross_fitting import TokenisedCorpus, fold_features, folds_of
from app.features import feature_set
from app.text import LanguagePair


def test_equal_sources_are_in_one_fold() -> None:
    folds = folds_of(["a", "b", "a", "c", "b"], 5)
    assert folds[0] == folds[2]
    assert folds[1] == folds[4]


def test_words_of_the_fold_alone_are_unseen() -> None:
    source = [["common", f"only{i}"] for i in range(12)]
    corpus = TokenisedCorpus(LanguagePair("en", "de"), source, source, source, [[-0.1]] * 12, np.array([0, 1] * 6))
    rows, values = fold_features([corpus], 0, feature_set("quest-baseline-17"))[corpus.pair]
    assert list(rows) == [0, 2, 4, 6, 8, 10]
    # 1058: share of distinct source unigrams that the corpus holds more than twice.
    names = [feature.id for feature in feature_set("quest-baseline-17").features]
    assert (values[:, names.index("1058")] == 0.5).all()
