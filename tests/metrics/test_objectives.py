"""Training objectives against the digest's numbers and finite differences; overlap kernels against plain Python and SciPy."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import maximum_bipartite_matching

from app.metrics.learnt.objectives import (
    CorpusPair,
    corpus_loss,
    difference_vectors,
    fit_joint,
    fit_logistic_ranking,
    fit_output,
    fit_ranking,
    fit_regression,
    joint_loss,
    label_by_model,
    sentence_loss,
)
from app.metrics.learnt.overlap_kernels import match_mixed, match_skips

# One feature that is the forward score itself: weight 1, bias 0.
WEIGHTS = np.array([1.0, 0.0])
WINNER, LOSER = np.array([[1.0], [0.0]]), np.array([[0.5], [-1.0]])


def test_losses_of_the_digest() -> None:
    assert corpus_loss(WEIGHTS, CorpusPair(WINNER, LOSER, 0.3))[0] == pytest.approx(0.130171, abs=1e-6)
    assert corpus_loss(WEIGHTS, CorpusPair(WINNER, LOSER, 0.1))[0] == 0
    assert sentence_loss(WEIGHTS, WINNER - LOSER)[0] == pytest.approx(0.25)
    assert joint_loss(WEIGHTS, WINNER - LOSER, [CorpusPair(WINNER, LOSER, 0.3)])[0] == pytest.approx(0.190086, abs=1e-6)


def test_gradients_are_the_slopes() -> None:
    rng = np.random.default_rng(1)
    pair = CorpusPair(rng.normal(size=(7, 3)), rng.normal(size=(5, 3)), 0.9)
    differences = rng.normal(size=(11, 3))
    for _ in range(5):
        at = rng.normal(size=4)
        for loss in (
            lambda w: corpus_loss(w, pair),
            lambda w: sentence_loss(w, differences),
            lambda w: joint_loss(w, differences, [pair]),
        ):
            assert check_grad(lambda w, f=loss: f(w)[0], lambda w, f=loss: f(w)[1], at) < 1e-5


def test_ranks_with_a_tie_give_nine_constraints() -> None:
    # Ranks 1, 2, 2, 4, 5 turned round: ten pairs, one of them tied.
    values = np.arange(10.0).reshape(5, 2)
    found = difference_vectors(values, np.array([5.0, 4, 4, 2, 1]), np.zeros(5, np.int64))
    assert len(found) == 9 and (found < 0).all()
    assert len(difference_vectors(values, np.array([1.0, 2, 3, 4, 5]), np.array([0, 0, 1, 1, 2]))) == 2


def test_every_learner_recovers_an_order() -> None:
    rng = np.random.default_rng(2)
    values, truth = rng.normal(size=(60, 4)), np.array([2.0, -1.0, 0.5, 0.0])
    labels = values @ truth + 0.05 * rng.normal(size=60)
    differences = difference_vectors(values, labels, np.arange(60) // 6)
    pairs = [CorpusPair(values[:30] + truth / 9, values[30:], 0.05)]
    found = [fit_ranking(differences, 1.0), fit_logistic_ranking(differences), fit_regression(values, labels, 1.0, 0.05)[0],
             fit_joint(differences, pairs, np.zeros(5))[0]]  # fmt: skip
    for weights in found:
        assert np.corrcoef(values @ weights, labels)[0, 1] > 0.99
    slope, intercept = fit_output(labels, 3 * labels + 1, 1)
    assert (slope, intercept) == (pytest.approx(3, abs=0.1), pytest.approx(1, abs=0.1))


def test_self_training_labels_by_the_model() -> None:
    weights = np.array([1.0, 0.0])
    found = label_by_model(weights, np.array([[1.0, 5.0], [0.0, 5.0]]), np.array([[0.0, 0.0], [1.0, 0.0]]))
    assert found.tolist() == [[1.0, 5.0], [1.0, -5.0]]


WORDS = st.lists(st.integers(0, 3), max_size=9)


def ends(words: list[int]) -> np.ndarray:
    return np.array([0, len(words)], np.int64)


@given(WORDS, WORDS, st.sampled_from([0, 1, 2, 1_000_000]))
def test_skip_bigrams_are_counted_pair_by_pair(a: list[int], b: list[int], skip: int) -> None:
    def pairs(words: list[int]) -> Counter[tuple[int, int]]:
        return Counter((x, y) for i, x in enumerate(words) for y in words[i + 1 : i + skip + 2])

    found = match_skips(np.array(a, np.int64), ends(a), np.array(b, np.int64), ends(b), np.zeros(1, np.int64), skip)[0]
    assert found.tolist() == [(pairs(a) & pairs(b)).total(), pairs(a).total(), pairs(b).total()]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=8),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=8),
)
def test_mixed_ngrams_are_a_maximum_matching(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> None:
    columns = [np.array([t[k] for t in side], np.int64) for side in (a, b) for k in (0, 1)]
    found = match_mixed(
        columns[0], columns[1], np.array([0, len(a)]), columns[2], columns[3], np.array([0, len(b)]), np.zeros(1, np.int64), 3
    )[0]
    for n in (1, 2, 3):
        rows, wanted = [a[i : i + n] for i in range(len(a) - n + 1)], [b[i : i + n] for i in range(len(b) - n + 1)]
        fits = [[all(x[0] == y[0] or x[1] == y[1] for x, y in zip(r, w, strict=True)) for w in wanted] for r in rows]
        best = (maximum_bipartite_matching(csr_matrix(np.array(fits, int))) >= 0).sum() if rows and wanted else 0
        assert found[n - 1] == best
