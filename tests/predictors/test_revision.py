"""Revised tags of words: against scikit-learn's logistic regression, and pieces against the words they are cut from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from app.predictors.cross_encoder.revision import TagRevision, words_of_pieces, wrong_words
from app.predictors.word_tags import WordTags
from app.predictors.word_tags.marks import Mark, Marks

WORD = st.text("abßéцω漢", min_size=1, max_size=6)


@given(st.lists(WORD, max_size=8), st.randoms(use_true_random=False))
def test_pieces_are_found_in_the_words_they_are_cut_from(words: list[str], random) -> None:  # type: ignore[no-untyped-def]
    pieces, owners = [], []
    for place, word in enumerate(words):
        cut = random.randint(1, len(word))
        for number, part in enumerate(part for part in (word[:cut], word[cut:]) if part):
            pieces.append(part if number else f"▁{part}")
            owners.append([place])
    assert [list(of_piece) for of_piece in words_of_pieces(pieces, words)] == owners


def test_pieces_over_several_words_and_of_none() -> None:
    assert [list(part) for part in words_of_pieces(["▁", "▁it", "'s", "▁so", "<unk>", "▁far"], ["it", "'", "s", "so", "far"])] == [
        [],
        [0],
        [1, 2],
        [3],
        [],
        [4],
    ]


def test_a_word_is_as_wrong_as_its_worst_piece() -> None:
    said = wrong_words(["▁un", "known", "▁w", "ord"], np.array([0.2, 0.7, 0.1, 0.4], np.float32), ["unknown", "…", "word"])
    assert said[[0, 2]] == pytest.approx([0.7, 0.4]) and np.isnan(said[1])


def test_probabilities_are_those_of_logistic_regression() -> None:
    rng = np.random.default_rng(1)
    field, network = rng.uniform(0.01, 0.99, (2, 400))
    gold = field + network + rng.normal(scale=0.3, size=400) > 1
    odds = np.stack([np.log(p / (1 - p)) for p in (field, network)], axis=1)
    fitted = LogisticRegression().fit(odds, gold)
    revision = TagRevision(float(fitted.intercept_[0]), *fitted.coef_[0].tolist(), 0.4)
    expected = fitted.predict_proba(odds)[:, 1]
    offsets = np.array([0, 400])
    marks = Marks(Mark(0.7, 0.6, 0.5, 0.4))
    revised = revision.revised(WordTags(field, offsets, np.zeros(1), offsets, 0.5, 0.5), network, marks)
    assert revised.wrong_words.tolist() == (revised.words >= 0.7).tolist() and not revised.possible_words.any()
    assert revised.words == pytest.approx(expected) and revised.word_threshold == 0.4 and revised.gap_threshold == 0.5
    # A word that the network does not see is judged as if both said the same.
    unseen = revision.probabilities(field, np.full(400, np.nan))
    assert unseen == pytest.approx(fitted.predict_proba(np.stack([odds[:, 0]] * 2, axis=1))[:, 1])


@given(st.floats(0, 1), st.floats(0, 1))
def test_probabilities_stay_probabilities(field: float, network: float) -> None:
    (said,) = TagRevision(-1.0, 0.7, 0.6, 0.5).probabilities(np.array([field]), np.array([network]))
    assert 0 <= said <= 1
