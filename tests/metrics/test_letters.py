"""Letters of significance: the definition, and Piepho's own small example by hand."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from app.metrics import Significance, metrics_named, score_systems
from app.metrics.significance.letters import significance_letters


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


def test_systems_that_are_far_apart_have_their_own() -> None:
    reference = [f"the house number {k} is very big" for k in range(60)]
    systems = {"good": reference, "same": list(reference), "bad": [f"{k} of house" for k in range(60)]}
    rows = score_systems(metrics_named(["bleu", "ter"], {}), systems, {"r": reference}, significance=Significance(letters=True))
    assert {(row.metric, row.system): row.letters for row in rows} == {
        ("bleu", "good"): "a", ("bleu", "same"): "a", ("bleu", "bad"): "b", ("ter", "good"): "a", ("ter", "same"): "a", ("ter", "bad"): "b",
    }  # fmt: skip
