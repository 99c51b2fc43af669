"""Features without weights: one rule, whether lists keep a feature dense or sparse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import metric_named
from app.smt.lists.diagnosis.feature_comparison import compare_features
from app.smt.lists.diagnosis.report import COMPARISON_LIMIT, diagnose
from app.smt.lists.reranking.ordering import of_votes, reorder
from app.smt.operations.tune.same_columns import in_columns_of
from app.smt.tuning.pool import matrix_of, names_of, pool_of
from app.smt.tuning.weights import FeatureWeights
from app.text.feature_columns.sparse import SparseColumns
from app.text.n_best import NBestLists

REFERENCES = [["a b c d", "e f g h"]]
SBLEU = metric_named("sbleu")


def dense_lists() -> NBestLists:
    """Every hypothesis has `lm`; one of each segment `rare`, one has two components of `pair_x`."""
    return NBestLists.from_json(
        [
            [
                {"text": "a b x y", "score": 0.0, "features": {"lm": [1.0], "rare": [2.0]}},
                {"text": "a b c y", "score": 0.0, "features": {"lm": [0.5], "pair_x": [1.0, -1.0]}},
                {"text": "a b c d", "score": 0.0, "features": {"lm": [0.25]}},
            ],
            [
                {"text": "e f g h", "score": 0.0, "features": {"lm": [-1.0]}},
                {"text": "e f", "score": 0.0, "features": {"lm": [3.0], "rare": [-1.0]}},
            ],
        ]
    )


def as_sparse(lists: NBestLists, kept: int) -> NBestLists:
    """The same lists, the columns from `kept` on being sparse, as a reader keeps them where lists are large."""
    rows, columns = np.nonzero(~np.isnan(lists.features[:, kept:]))
    values = lists.features[:, kept:][rows, columns]
    sparse = SparseColumns.of_entries(lists.names[kept:], len(lists.scores), rows, columns, values)
    return NBestLists(
        lists.offsets, lists.texts, lists.scores, lists.names[:kept], np.ascontiguousarray(lists.features[:, :kept]), sparse=sparse
    )


BOTH = [dense_lists(), as_sparse(dense_lists(), 1)]


@pytest.mark.parametrize("lists", BOTH, ids=["dense", "sparse"])
def test_a_feature_without_a_weight_is_named_or_counts_zero(lists: NBestLists) -> None:
    weights = FeatureWeights({"lm": (1.0,), "rare": (-2.0,), "not-there": (4.0,)})
    for call in (lambda: reorder(lists, weights), lambda: of_votes(lists, [weights]), lambda: weights.of_columns(names_of(lists))):
        with pytest.raises(InputError, match="feature pair_x has no weight; missing-weights zero") as refused:
            call()
        assert refused.value.code == "missing-weights" and refused.value.where == ("weights", "pair_x")
    with pytest.raises(InputError, match="rare and 1 more features have no weights"):
        reorder(lists, FeatureWeights({"lm": (1.0,)}))
    assert weights.of_columns(names_of(lists), zero_missing=True).tolist() == [1.0, -2.0, 0.0, 0.0]
    ordered = reorder(lists, weights, zero_missing=True)
    assert ordered.scores.tolist() == [-3.0, 0.5, 0.25, -1.0, 5.0]
    assert ordered.first.tolist() == [1, 4] and of_votes(lists, [weights], True).first.tolist() == [1, 4]
    contributions = ordered.contributions_of(0)
    assert {name: value for name, value in contributions.items() if value} == {"lm": 1.0, "rare": -4.0}
    # Weights of another number of components are wrong in any case.
    for zero in (False, True):
        with pytest.raises(InputError, match="feature pair_x has 2 components, but 1 weights"):
            reorder(lists, FeatureWeights({"lm": (1.0,), "rare": (1.0,), "pair_x": (1.0,)}), zero)


@pytest.mark.parametrize("lists", BOTH, ids=["dense", "sparse"])
def test_lists_that_are_measured_may_not_have_features_that_nobody_tunes(lists: NBestLists) -> None:
    metric = metric_named("chrf")
    held = pool_of(lists, metric, REFERENCES)
    plain = NBestLists.from_json([[{"text": "a", "score": 0.0, "features": {"rare": [1.0], "lm": [0.0]}}]])
    tuned = pool_of(plain, metric, [["a"]])
    with pytest.raises(InputError, match="feature pair_x has no weight") as refused:
        in_columns_of(held, tuned)
    assert refused.value.code == "missing-weights"
    taken = in_columns_of(held, tuned, zero_missing=True)
    assert taken.names == ("rare", "lm")
    assert taken.features.array().tolist() == [[2.0, 1.0], [0.0, 0.5], [0.0, 0.25], [0.0, -1.0], [-1.0, 3.0]]


def test_oracles_are_compared_by_sparse_features_too() -> None:
    answers = [diagnose(lists, REFERENCES, {"chrf": metric_named("chrf")}, SBLEU) for lists in BOTH]
    assert answers[0]["features"] == answers[1]["features"]
    table = {(row["feature"], row["component"]): row for row in answers[1]["features"]}
    assert set(table) == {("lm", 0), ("rare", 0), ("pair_x", 0), ("pair_x", 1)}
    # Of the first segment the third hypothesis is the oracle, of the second the first.
    rare = table["rare", 0]
    assert (rare["oracle"], rare["first"], rare["equal"], rare["mean_oracle"], rare["mean_first"]) == (0.0, 0.5, 0.5, 0.0, 1.0)
    assert answers[1]["features_left_out"] == 0


@given(st.integers(0, 1000), st.integers(0, 6), st.integers(0, 7))
@settings(max_examples=30, deadline=None)
def test_shares_are_those_counted_one_by_one(seed: int, dense: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(-1, 2, (9, 6)).astype(float)
    values[values == 0] = np.nan
    whole = NBestLists.from_json([[{"text": "x", "score": 0.0}] * 3] * 3)
    lists = NBestLists(whole.offsets, whole.texts, whole.scores, tuple("abcdef"), values)
    lists = lists if dense == 6 else as_sparse(lists, dense)
    first = np.array([0, 3, 6], np.int64)
    oracle = first + rng.integers(0, 3, 3)
    plain = np.nan_to_num(values)
    counted = [
        (name, (plain[oracle, k] > plain[first, k]).mean(), (plain[oracle, k] < plain[first, k]).mean())
        for k, name in enumerate("abcdef")
    ]
    shares = [(row.feature, row.oracle, row.first) for row in compare_features(names_of(lists), matrix_of(lists), oracle, first)]
    for (feature, oracle_share, first_share), (name, more, less) in zip(shares, counted, strict=True):
        assert feature == name and [oracle_share, first_share] == pytest.approx([more, less])
    kept = [row.feature for row in compare_features(names_of(lists), matrix_of(lists), oracle, first, most)]
    assert len(kept) == min(most, 6) and kept == sorted(kept)
    gaps = {name: round(abs(more - less), 9) for name, more, less in counted}
    assert min((gaps[name] for name in kept), default=9.0) >= max(
        (gap for name, gap in gaps.items() if name not in kept), default=0.0
    )


def test_very_many_components_are_left_out_and_counted() -> None:
    entries = [
        {"text": "a", "score": 0.0, "features": {"lm": [float(k)], **{f"f_{k}{j}": [1.0] for j in range(80)}}} for k in range(2)
    ]
    told = diagnose(NBestLists.from_json([entries]), [["a"]], {"chrf": metric_named("chrf")}, SBLEU)
    assert (len(told["features"]), told["features_left_out"]) == (COMPARISON_LIMIT, 161 - COMPARISON_LIMIT)
