"""Metrics of word order against the worked examples of the thesis on permutation trees."""

from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InputError
from app.metrics import metric_named
from app.metrics.word_order.matching import match_words


def sentence(name: str, system: str, reference: str) -> float:
    metric = metric_named(f"{name}|tok:none")
    return float(metric.segment_scores(metric.prepare([[reference]]).statistics([system]))[0]) / 100


def test_sentence_scores_of_the_digest() -> None:
    swapped = {"kendall": 0.7, "hamming": 0.5, "spearman": 0.6142857, "ulam": 0.7, "fuzzy": 0.9, "pet-size": 1.0,
               "pet-arity": 1.0, "pet-count": 0.5365854, "recpet": 0.7, "recpef": 0.7}  # fmt: skip
    for name, expected in swapped.items():
        assert sentence(f"order:{name}", "on the mat the cat sat", "the cat sat on the mat") == pytest.approx(expected, abs=1e-7)
    for name, expected in {"kendall": 0.5394763, "recpef": 0.4903524, "recpet": 0.4821652}.items():
        assert sentence(f"order:{name}", "on the mat sat a cat", "the cat sat on the mat") == pytest.approx(expected, abs=1e-7)
    assert sentence("order:kendall|alpha:0", "a b", " ".join(["a b", *["x"] * 18])) == pytest.approx(exp(-9))


def test_corpus_score_is_weighted_by_reference_length() -> None:
    metric = metric_named("order:kendall")
    rows = np.array([[6 * 0.7, 6], [20 * 0.4, 20]])
    assert metric.score(rows.sum(0, keepdims=True))[0] / 100 == pytest.approx(12.2 / 26)


def test_stems_match_where_words_do_not() -> None:
    plain, stemmed = (sentence(f"order:kendall{o}", "cats sitting", "cat sits") for o in ("", "|stem:en"))
    assert (plain, stemmed) == (0, 1)


@given(st.lists(st.integers(0, 4), max_size=12), st.lists(st.integers(0, 4), max_size=12))
def test_matching_is_one_to_one_and_largest(a: list[int], b: list[int]) -> None:
    ours, theirs = np.array(a, np.int64), np.array(b, np.int64)
    ends = [np.array([0, len(each)], np.int64) for each in (a, b)]
    links = match_words(ours, ends[0], theirs, ends[1], np.zeros(1, np.int64), ours, theirs)
    linked = links[links >= 0].tolist()
    assert len(set(linked)) == len(linked) == sum(min(a.count(v), b.count(v)) for v in set(a))
    assert all(a[i] == b[j] for i, j in enumerate(links.tolist()) if j >= 0)


def test_very_long_segments_are_refused_with_their_place() -> None:
    with pytest.raises(InputError) as refused:
        metric_named("order:recpef").prepare([["a"]]).statistics(["w " * 1001])
    assert refused.value.where == ("systems", 0)
