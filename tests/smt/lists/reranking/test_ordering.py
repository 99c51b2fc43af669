"""Orders, votes, scales and recipes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import metric_named
from app.smt.lists.reranking.columns import with_features
from app.smt.lists.reranking.evidence import RerankingResources
from app.smt.lists.reranking.ordering import of_votes, reorder, unused_weights
from app.smt.tuning.pool import pool_of
from app.smt.tuning.weights import FeatureWeights
from app.text.n_best import NBestLists
from benchmarks.smt.lists.rerankers import RERANKERS, scaling_of, train_reranker, uniform_weights
from tests.smt.lists.reranking.test_list_features import lists_of

REFERENCES = ["the house is big", "he goes home now", "we see the sea"]
TEXTS = [
    ["the house is large", "the house is big", "house big"],
    ["he go home", "he goes home now", "goes he home now"],
    ["we see a sea", "see the sea we", "we see the sea"],
]


@pytest.fixture(scope="module")
def lists() -> NBestLists:
    plain = lists_of([[(text, -float(k)) for k, text in enumerate(row)] for row in TEXTS])
    rng = np.random.default_rng(3)
    decoder = replace(plain, names=("d", "d", "lm"), features=rng.normal(size=(9, 3)) * [1.0, 100.0, 0.01])
    return with_features(decoder, ["len", "mbr", "words"], RerankingResources())


@given(st.lists(st.lists(st.integers(-4, 4), min_size=1, max_size=5), min_size=1, max_size=4), st.integers(1, 4))
def test_orders_are_those_of_sorting(rows: list[list[int]], factor: int) -> None:
    plain = lists_of([[("a", 0.0)] * len(row) for row in rows])
    values = np.array([[float(value)] for row in rows for value in row])
    ordered = reorder(replace(plain, names=("x",), features=values), FeatureWeights({"x": (float(factor),)}))
    begin = 0
    for row in rows:
        expected = [begin + k for k in sorted(range(len(row)), key=lambda k: -row[k])]
        assert ordered.order[begin : begin + len(row)].tolist() == expected
        begin += len(row)
    assert ordered.contributions[:, 0].tolist() == ordered.scores.tolist()


def test_features_that_are_missing_or_in_vain_are_told(lists: NBestLists) -> None:
    with pytest.raises(InputError, match="feature len has no weight"):
        reorder(lists, FeatureWeights({"d": (1.0, 1.0), "lm": (1.0,), "mbr": (1.0,), "words": (1.0,)}))
    assert unused_weights(lists, FeatureWeights({"d": (1.0, 1.0), "other": (1.0,)})) == ["other"]


def test_most_votes_win_and_the_first_decides_between_equals(lists: NBestLists) -> None:
    names = dict.fromkeys(lists.names)
    zero = {name: (0.0,) * len(lists.columns(name)) for name in names}
    one, two, three = (FeatureWeights({**zero, name: (sign,)}) for name, sign in (("words", 1.0), ("words", -1.0), ("len", -1.0)))
    by_one, by_two = reorder(lists, one).first, reorder(lists, two).first
    assert of_votes(lists, [one, two]).first.tolist() == by_one.tolist()
    assert of_votes(lists, [one, two, two]).first.tolist() == by_two.tolist()
    assert of_votes(lists, [three, one, one]).scores.max() >= 2
    with pytest.raises(InputError, match="a vote needs weights"):
        of_votes(lists, [])


@pytest.mark.parametrize("kind", ["deviation", "standard", "none"])
def test_weights_of_scaled_features_choose_the_same(lists: NBestLists, kind: str) -> None:
    pool = pool_of(lists, metric_named("bleu|tok:none|smooth:none"), [REFERENCES])
    scaling = scaling_of(pool, kind)
    rng = np.random.default_rng(4)
    for _ in range(20):
        weights = rng.normal(size=pool.features.width)
        assert scaling.scaled(pool).best_hypotheses(weights).tolist() == pool.best_hypotheses(scaling.back(weights)).tolist()
        assert scaling.back(scaling.onto(weights)) == pytest.approx(weights)


@pytest.mark.parametrize("recipe", [*RERANKERS, "mira"])
def test_recipes_give_weights_of_the_features_as_they_are(lists: NBestLists, recipe: str) -> None:
    start = FeatureWeights({"d": (0.2, 0.3), "lm": (1.0,)})
    reranker = train_reranker(lists, [REFERENCES], recipe, start=start, average=True, seeds=(1, 2))
    pool = pool_of(lists, metric_named("bleu|tok:none|smooth:none"), [REFERENCES])
    assert pool.score(reranker.weights.of_columns(lists.names)) == reranker.score
    if recipe == "rerank-mert":
        best = train_reranker(lists, [REFERENCES], recipe, start=start)
        assert best.tuning is not None
        assert best.score >= best.tuning.start - 1e-9


def test_uniform_weights_by_hand() -> None:
    weights = uniform_weights(["d", "lm3", "ppl3", "e"], np.array([0.5, 0.0, 0.0, -1.5]))
    assert weights.tolist() == [0.5, 1.0, -1.0, -1.5]


def test_centred_features_are_not_rescored(lists: NBestLists) -> None:
    with pytest.raises(InputError, match="scaled, not centred"):
        train_reranker(lists, [REFERENCES], "rerank-bprod", scaling="standard")
    with pytest.raises(InputError, match="scalings are"):
        train_reranker(lists, [REFERENCES], scaling="none at all")
