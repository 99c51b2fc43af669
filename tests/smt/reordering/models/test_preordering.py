"""Orders of sentences: permutations for any input, and parts of long sentences as the sentences that they are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.smt.reordering.decoding import distribution_of, parse
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import LABELS, Layout
from app.smt.reordering.models.preordering import LONGEST_PART, preorder
from app.smt.reordering.trees import tree_of
from tests.smt.reordering.enumeration import random_grammar

GRAMMAR = random_grammar(Layout(2, 1), ("", "a", "b", ",", "a b"), LABELS, 6)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "c", ",", "d e"]), max_size=130), st.integers(1, 5))
def test_orders_are_distinct_permutations(words: list[str], count: int) -> None:
    result = preorder([GRAMMAR], words, count=count, samples=50)
    orders = result.orders.tolist()
    assert all(sorted(order) == list(range(len(words))) for order in orders)
    assert 1 <= len(orders) == len(set(map(tuple, orders))) <= count
    assert np.all(np.diff(result.risks) >= -1e-12)
    assert [end for _, end in result.parts[:-1]] == [begin for begin, _ in result.parts[1:]]
    assert all(end - begin <= LONGEST_PART for begin, end in result.parts)
    assert np.isfinite(result.log_probability) and result.entropy >= 0


def test_short_sentences_are_one_part() -> None:
    words = list("abab")
    result = preorder([GRAMMAR], words, count=3, samples=500, seed=4)
    distribution = distribution_of(parse(GRAMMAR, words).sample(500, 4))
    assert result.parts == ((0, 4),)
    assert np.array_equal(result.orders, distribution.orders[:3])
    assert result.risks == pytest.approx(distribution.risks[:3])
    assert result.probabilities == pytest.approx(distribution.probabilities[:3])
    assert result.entropy == pytest.approx(distribution.entropy)


def test_several_grammars_are_a_mixture() -> None:
    words = list("abab")
    rival = random_grammar(GRAMMAR.layout, GRAMMAR.words, LABELS, 7)
    result = preorder([GRAMMAR, rival], words, count=3, samples=1000, seed=4)
    charts = [parse(grammar, words) for grammar in (GRAMMAR, rival)]
    samples = np.concatenate([chart.sample(500, seed) for seed, chart in enumerate(charts, 4)])
    assert np.array_equal(result.orders, distribution_of(samples).orders[:3])
    assert np.exp(result.log_probability) == pytest.approx(np.mean(np.exp([chart.log_probability for chart in charts])))


@pytest.mark.parametrize(("grammars", "count", "samples"), [([], 1, 1), ([GRAMMAR], 0, 1), ([GRAMMAR], 1, 0)])
def test_orders_need_a_grammar_and_samples(grammars: list[Grammar], count: int, samples: int) -> None:
    with pytest.raises(ValueError, match="needs a grammar"):
        preorder(grammars, ["a", "b"], count=count, samples=samples)


def test_no_word_and_a_single_word() -> None:
    empty, single = preorder([GRAMMAR], []), preorder([GRAMMAR], ["never"])
    assert empty.orders.tolist() == [[]] and empty.parts == ()
    assert single.orders.tolist() == [[0]] and single.parts == ((0, 1),)


def test_long_sentences_are_cut_after_punctuation() -> None:
    words = ["a"] * 40 + [","] + ["b"] * 41
    assert preorder([GRAMMAR], words, samples=20).parts == ((0, 41), (41, 82))
    assert preorder([GRAMMAR], ["a"] * 82, samples=20).parts == ((0, 41), (41, 82))


def test_parts_are_ordered_as_sentences_of_their_own() -> None:
    first, second = ["a", "b"] * 20 + [","], ["b", "a"] * 21
    results = [preorder([GRAMMAR], words, count=5, samples=300, seed=2) for words in (first, second)]
    joined = preorder([GRAMMAR], first + second, count=5, samples=300, seed=2)
    assert joined.orders[0].tolist() == results[0].orders[0].tolist() + (results[1].orders[0] + len(first)).tolist()
    assert joined.log_probability == pytest.approx(sum(result.log_probability for result in results))
    # The risk of each order by the definition: expected share of pairs in another order.
    for order, risk in zip(joined.orders, joined.risks, strict=True):
        gain = sum(joined.pairs[u, v] for k, u in enumerate(order) for v in order[k + 1 :])
        assert risk == pytest.approx(1 - gain / (len(order) * (len(order) - 1) / 2))


def test_sentences_without_a_tree_are_cut() -> None:
    # The smallest tree of twelve words needs a rule below the root, whose probability leaves the range of numbers.
    tiny = Grammar(GRAMMAR.layout, GRAMMAR.words, GRAMMAR.roots * 1e-300, GRAMMAR.rules * 1e-200, GRAMMAR.emissions)
    result = preorder([tiny], list("abababababab"), samples=20)
    assert len(result.parts) > 1
    assert sorted(result.orders[0].tolist()) == list(range(12))


def test_two_hundred_words_have_a_tree() -> None:
    order = preorder([GRAMMAR], ["a", "b"] * 100, samples=20).orders[0]
    assert tree_of(np.argsort(order)).order() == order.tolist()
