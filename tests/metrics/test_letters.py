"""Letters of significance: the definition, and Piepho's own small example by hand."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.metrics import Significance, metrics_named, score_systems
from app.metrics.significance.letters import GROUP_LIMIT, maximal_groups, significance_letters


def test_by_hand() -> None:
    assert significance_letters(list("ab"), {}) == {"a": "a", "b": "a"}
    assert significance_letters(list("abc"), {("a", "c"): True}) == {"a": "a", "b": "ab", "c": "b"}
    differ = dict.fromkeys((("a", "c"), ("a", "d"), ("b", "d")), True)
    assert significance_letters(list("abcd"), differ) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}
    assert significance_letters(list("abc"), dict.fromkeys(combinations("abc", 2), True)) == {"a": "a", "b": "b", "c": "c"}


@given(st.integers(1, 7), st.data())
def test_two_share_a_letter_if_and_only_if_they_do_not_differ(count: int, data: st.DataObject) -> None:
    names = [f"s{k}" for k in range(count)]
    differ = {pair: data.draw(st.booleans()) for pair in combinations(names, 2)}
    letters = significance_letters(names, differ)
    assert all(letters.values())
    for one, other in combinations(names, 2):
        assert bool(set(letters[one]) & set(letters[other])) != differ[one, other]


def test_two_in_each_of_many_pairs_differ() -> None:
    """Every choice of one from each pair could have a letter of its own: 4,096 of them for 24 systems."""
    names = [f"s{k}" for k in range(24)]
    apart = {frozenset(pair) for pair in zip(names[::2], names[1::2], strict=True)}
    groups = maximal_groups(names, apart)
    assert len(groups) <= GROUP_LIMIT
    for pair in map(frozenset, combinations(names, 2)):
        assert any(pair <= group for group in groups) == (pair not in apart)


@pytest.mark.parametrize("most", [0, 1, 3])
@given(st.integers(1, 7), st.data())
def test_few_groups_say_the_same_as_all(most: int, count: int, data: st.DataObject) -> None:
    names = [f"s{k}" for k in range(count)]
    apart = {frozenset(pair) for pair in combinations(names, 2) if data.draw(st.booleans())}
    groups = maximal_groups(names, apart, most)
    assert set(names) == {name for group in groups for name in group}
    for pair in map(frozenset, combinations(names, 2)):
        assert any(pair <= group for group in groups) == (pair not in apart)


def test_systems_that_are_far_apart_have_their_own() -> None:
    reference = [f"the house number {k} is very big" for k in range(60)]
    systems = {"good": reference, "same": list(reference), "bad": [f"{k} of house" for k in range(60)]}
    rows = score_systems(metrics_named(["bleu", "ter"], {}), systems, {"r": reference}, significance=Significance(letters=True))
    assert {(row.metric, row.system): row.letters for row in rows} == {
        ("bleu", "good"): "a", ("bleu", "same"): "a", ("bleu", "bad"): "b", ("ter", "good"): "a", ("ter", "same"): "a", ("ter", "bad"): "b",
    }  # fmt: skip
