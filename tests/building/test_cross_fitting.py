"""A fold's features come from resources that never saw it."""

from pathlib import Path

import numpy as np

from app.features import extract_features, feature_set
from app.text import LanguagePair, SegmentBatch, pack_tokens
from app.text.side_information import SideInformation
from scripts.mlqe_pe.cross_fitting import TrainingCorpus, fold_resources, folds_of, read_fold, write_fold


def test_equal_sources_are_in_one_fold() -> None:
    folds = folds_of(["a", "b", "a", "c", "b"], 5)
    assert folds[0] == folds[2]
    assert folds[1] == folds[4]


def test_words_of_the_fold_alone_are_unseen(tmp_path: Path) -> None:
    tokens = pack_tokens([["common", f"only{i}"] for i in range(12)])
    batch = SegmentBatch(LanguagePair("en", "de"), tokens, tokens, SideInformation(token_log_probs=((-0.1,),) * 12))
    corpus = TrainingCorpus(batch, tokens, np.array([0, 1] * 6))
    known = fold_resources([corpus], 0, tmp_path, {})[corpus.pair]
    assert list(corpus.rows(0)) == [0, 2, 4, 6, 8, 10]
    matrix = extract_features(corpus.part(0), feature_set("quest-baseline-17"), known)
    # 1058: share of distinct source unigrams that the corpus holds more than twice.
    names = [feature.id for feature in feature_set("quest-baseline-17").features]
    assert (matrix.values[:, names.index("1058")] == 0.5).all()
    write_fold(known, tmp_path / "pair")
    again = extract_features(corpus.part(0), feature_set("text-only"), read_fold(tmp_path / "pair", tmp_path, known)).values
    assert (again == extract_features(corpus.part(0), feature_set("text-only"), known).values).all()
