"""The continuous-space language model: derivatives against finite differences, windows, mixtures, and what it learns."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.errors import InputError
from app.resources.language_models import open_language_model
from app.smt.lists.reranking.columns import with_features
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.neural.continuous_space import ContinuousSpaceModel, slopes_of, windows_of
from app.smt.lists.reranking.neural.continuous_space_training import train_continuous_space
from app.smt.lists.reranking.neural.network import UNKNOWN
from app.text.batch import pack_lines
from tests.smt.lists.reranking.test_list_features import lists_of

TEXT = pack_lines(["the dog sleeps", "the cat sleeps", "a dog barks", "a cat runs"] * 40)


@pytest.fixture(scope="module")
def model() -> ContinuousSpaceModel:
    return train_continuous_space(TEXT, 3, 8)


def test_windows_by_hand() -> None:
    # Two segments, the second without words; 2 is the end, 0 what is before a segment.
    windows = windows_of(np.array([5, 6]), np.array([0, 2, 2]), 2)
    assert windows.tolist() == [[0, 0, 5], [0, 5, 6], [5, 6, 2], [0, 0, 2]]


def test_derivatives_are_those_of_finite_differences() -> None:
    rng = np.random.default_rng(2)
    weights: dict[str, Any] = {"input": rng.normal(size=(8, 3)), "hidden": rng.normal(size=(5, 6)), "hidden0": rng.normal(size=5)}
    windows, wanted = rng.integers(0, 8, (7, 3)), rng.normal(size=(7, 5))

    def loss() -> float:
        joined = weights["input"][windows[:, :-1]].reshape(7, -1)
        return float((np.tanh(joined @ weights["hidden"].T + weights["hidden0"]) * wanted).sum())

    slopes = slopes_of(weights, windows, wanted)
    rows, sums = slopes["input"]
    slopes["input"] = np.zeros_like(weights["input"])
    slopes["input"][rows] = sums
    for name, slope in slopes.items():
        for place in np.ndindex(slope.shape):
            kept, both = weights[name][place], []
            for step in (1e-5, -1e-5):
                weights[name][place] = kept + step
                both.append(loss())
            weights[name][place] = kept
            assert slope[place] == pytest.approx((both[0] - both[1]) / 2e-5, abs=1e-6), name


def test_probabilities_of_all_words_are_one(model: ContinuousSpaceModel) -> None:
    column = pack_lines([f"the {word}" for word in ("the", "dog", "cat", "a", "sleeps", "barks", "runs", "zebra")])
    log_probs, there = model.log_probs(column)
    ends = 3 * np.arange(len(column))
    assert there[ends + 1].tolist() == [True] * 7 + [False]
    # The end after one word, and what stands before a text, which nothing is trained towards.
    end = model.log_probs(pack_lines(["the"]))[0][1]
    total = (10.0 ** log_probs[ends + 1]).sum() + 10.0**end
    assert 0.98 < total < 1.0


def test_it_learns_what_follows_what(model: ContinuousSpaceModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    resources = RerankingResources(continuous_space=ContinuousSpaceModel.load(tmp_path / "model"))
    lists = lists_of([[("the dog sleeps", 0.0), ("dog the sleeps", 0.0), ("the dog sleeps zebra", 0.0), ("", 0.0)]])
    values = with_features(lists, ["cslm"], resources).features[:, 0]
    assert values[0] > values[1] + 1
    again = train_continuous_space(TEXT, 3, 8)
    assert all(again.weights[name].tobytes() == array.tobytes() for name, array in model.weights.items())


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_mixture_is_one_of_probabilities(model: ContinuousSpaceModel, tmp_path: Path, share: float) -> None:
    write_kenlm_trie(estimate_language_model(TEXT, 3), tmp_path / "lm")
    backing = open_language_model(tmp_path / "lm")
    resources = RerankingResources({3: backing}, continuous_space=model)
    text = "the cat barks zebra"
    value = with_features(lists_of([[(text, 0.0)]]), [f"cslm|with:3|share:{share}"], resources).features[0, 0]
    column = pack_lines([text])
    network, words = 10.0 ** model.log_probs(column)[0], 10.0 ** backing.score_both(column)[1].log_prob
    expected = sum(np.log10(share * network[k] + (1 - share) * words[k]) for k in (0, 1, 2, 4))
    assert value == pytest.approx(expected, rel=1e-12)


def test_what_cannot_be_is_refused(model: ContinuousSpaceModel, tmp_path: Path) -> None:
    lists = lists_of([[("the dog", 0.0)]])
    with pytest.raises(InputError, match="a continuous-space language model is needed"):
        with_features(lists, ["cslm"], RerankingResources())
    with pytest.raises(InputError, match="of order 4 is needed"):
        with_features(lists, ["cslm|with:4"], RerankingResources(continuous_space=model))
    with pytest.raises(InputError, match="needs text"):
        train_continuous_space(pack_lines([""]))
    ContinuousSpaceModel(model.words[:-1], model.weights).save(tmp_path / "model")
    with pytest.raises(InputError, match="words and weights differ in number"):
        ContinuousSpaceModel.load(tmp_path / "model")
    assert UNKNOWN == 1
