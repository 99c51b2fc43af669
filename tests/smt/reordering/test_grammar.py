"""Reordering Grammars: expectation maximisation worked by hand (digest 4.8), and charts against all derivations."""

import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest

from app.arrays import Float64s, Int64s
from app.smt.reordering.decoding import distribution_of, parse
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import LABELS, OPERATORS, Layout
from app.smt.reordering.learning import expected_counts, improve, initial_grammar, smoothed, split_grammar, steps
from app.smt.reordering.treebank import Treebank, Trees, build_treebank
from tests.smt.reordering.enumeration import derivations, random_grammar

MONOTONE = np.array([(0, 0), (1, 1), (2, 2)])


def worked_grammar(treebank: Treebank) -> Grammar:
    """P12 alone; both its children choose among itself and two words, each with a third."""
    layout = Layout(1, 1)
    rules, emissions = np.zeros((int(layout.slots[-1]), int(layout.symbols[-1]))), np.zeros((4, int(layout.slots[-1])))
    numbers = {word: number for number, word in enumerate(treebank.words)}
    rules[:2, 0] = 1 / 3
    for slot, words in enumerate(("ab", "bc")):
        for word in words:
            emissions[numbers[word], slot] = 1 / 3
    return Grammar(layout, treebank.words, np.eye(int(layout.symbols[-1]))[0], rules, emissions)


def slot_of(grammar: Grammar, slot: int) -> list[float]:
    numbers = [grammar.words.index(word) for word in "abc"]
    return [grammar.rules[slot, 0], *grammar.emissions[numbers, slot]]


def test_both_bracketings_of_three_words() -> None:
    treebank = build_treebank([(["a", "b", "c"], MONOTONE)], rare=0)
    first = improve(worked_grammar(treebank), treebank)
    assert np.exp(first.log_likelihood) == pytest.approx(2 / 81, abs=1e-12)
    assert np.exp(-first.log_likelihood / 3) == pytest.approx(3.434143, abs=1e-6)
    assert slot_of(first.grammar, 0) == pytest.approx([0.25, 0.5, 0.25, 0])
    assert slot_of(first.grammar, 1) == pytest.approx([0.25, 0, 0.25, 0.5])
    second = improve(first.grammar, treebank)
    assert np.exp(second.log_likelihood) == pytest.approx(1 / 32, abs=1e-12)
    assert slot_of(second.grammar, 0) == pytest.approx(slot_of(first.grammar, 0))


def test_the_left_tree_alone() -> None:
    treebank = build_treebank([(["a", "b", "c"], MONOTONE)], "left", rare=0)
    first = improve(worked_grammar(treebank), treebank)
    assert np.exp(first.log_likelihood) == pytest.approx(1 / 81, abs=1e-12)
    assert slot_of(first.grammar, 0) == pytest.approx([0.5, 0.5, 0, 0])
    assert slot_of(first.grammar, 1) == pytest.approx([0, 0, 0.5, 0.5])
    assert np.exp(improve(first.grammar, treebank).log_likelihood) == pytest.approx(1 / 16, abs=1e-12)


def test_posterior_of_splits() -> None:
    treebank = build_treebank([(["a", "b"], np.array([(0, 1), (1, 0)]))], rare=0)
    layout = Layout(2, 1)
    first, second = (treebank.words.index(word) for word in "ab")
    slot, symbol = int(layout.slots[1]), int(layout.symbols[1])
    roots, emissions = np.zeros(int(layout.symbols[-1])), np.zeros((3, int(layout.slots[-1])))
    roots[symbol : symbol + 2] = 0.6, 0.4
    emissions[first, slot : slot + 2] = 0.7, 0.1
    emissions[second, slot + 2 : slot + 4] = 0.8, 0.5
    grammar = Grammar(layout, treebank.words, roots, np.zeros((int(layout.slots[-1]), len(roots))), emissions)
    step = improve(grammar, treebank)
    assert np.exp(step.log_likelihood) == pytest.approx(0.356, abs=1e-12)
    assert step.grammar.roots[symbol] == pytest.approx(0.943820, abs=1e-6)


def random_sentences(count: int, seed: int) -> list[tuple[list[str], Int64s]]:
    """Sentences of few words in random order, some of them unaligned or linked twice."""
    rng = np.random.default_rng(seed)
    sentences = []
    for _ in range(count):
        length = int(rng.integers(2, 9))
        links = np.column_stack([np.arange(length), rng.permutation(length)])[rng.random(length) < 0.85]
        extra = np.column_stack([rng.integers(0, length, 1), rng.integers(0, length, 1)])
        sentences.append(([str(word) for word in rng.integers(0, 5, length)], np.concatenate([links, extra])))
    return sentences


@pytest.mark.parametrize("trees", ["forest", "itg", "left", "right"])
def test_the_likelihood_never_falls(trees: Trees) -> None:
    treebank = build_treebank(random_sentences(60, 7), trees, rare=0)
    grammar = split_grammar(initial_grammar(treebank), Layout(4, 2), 1, 0.5)
    logs = [step.log_likelihood for step in steps(grammar, treebank, 12, threads=2)]
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(logs))


@pytest.mark.parametrize("length", [47, 50])
def test_long_sentences_of_many_rare_words_do_not_underflow(length: int) -> None:
    """Under uniform rules each of the Catalan number of bracketings has one root and a rule or word for each of 2n - 2 children."""
    count = 300
    links = np.column_stack([np.arange(length), np.arange(length)])
    treebank = build_treebank([([f"w{row}.{k}" for k in range(length)], links) for row in range(count)], rare=0)
    layout, words = Layout(1, 1), len(treebank.words)
    labels, slots = int(layout.symbols[-1]), int(layout.slots[-1])
    share = 1 / (labels + words)
    uniform = Grammar(
        layout, treebank.words, np.full(labels, 1 / labels), np.full((slots, labels), share), np.full((words, slots), share)
    )
    bracketings = math.comb(2 * length - 2, length - 1) // length
    expected = count * (math.log(bracketings) - math.log(labels) + (2 * length - 2) * math.log(share))
    # The naive product is below the smallest double.
    assert expected / count < math.log(5e-324)
    counts = expected_counts(uniform, treebank)
    assert counts.logs.sum() == pytest.approx(expected, rel=1e-12)
    assert counts.emissions.sum() == pytest.approx(count * length)
    assert counts.rules.sum() == pytest.approx(count * (length - 2))
    for step in steps(split_grammar(initial_grammar(treebank), Layout(2, 1), 1, 0.5), treebank, 3):
        assert np.isfinite(step.log_likelihood) and np.isfinite(step.grammar.rules).all()


def test_slots_and_roots_are_distributions() -> None:
    treebank = build_treebank(random_sentences(60, 3), rare=1)
    grammar = split_grammar(initial_grammar(treebank), Layout(3, 2), 1, 0.5)
    for step in steps(grammar, treebank, 3):
        totals = step.grammar.rules.sum(1) + step.grammar.emissions.sum(0)
        assert np.all(np.isclose(totals, 1) | (totals == 0))
        assert step.grammar.roots.sum() == pytest.approx(1)


@pytest.mark.parametrize("share", [0, 0.03, 1])
def test_smoothing_moves_splits_towards_the_mean_of_their_child(share: float) -> None:
    grammar = random_grammar(Layout(3, 2), ("", "a", "b"), LABELS, 5)
    result = smoothed(grammar, share)
    slot = 0
    for operator in OPERATORS:
        splits = 3 if len(operator) == 2 else 2
        for _ in operator:
            rows = list(range(slot, slot + splits))
            for row in rows:
                for table, before in ((result.rules, grammar.rules), (result.emissions.T, grammar.emissions.T)):
                    mean = sum(before[sibling] for sibling in rows) / splits
                    assert table[row] == pytest.approx((1 - share) * before[row] + share * mean)
            slot += splits
    assert result.rules.sum(1) + result.emissions.sum(0) == pytest.approx(1)


def test_counts_equal_finite_differences() -> None:
    # The expected number of uses of a rule is the derivative of the log-likelihood by the logarithm of its probability.
    treebank = build_treebank(random_sentences(8, 5), rare=0)
    layout = Layout(2, 1)
    grammar = random_grammar(layout, treebank.words, LABELS, 11)
    step = 1e-6
    rng = np.random.default_rng(0)
    counts = expected_counts(grammar, treebank)
    tables = (grammar.roots, grammar.rules, grammar.emissions)
    for which, table in enumerate(tables):
        for _ in range(40):
            place = tuple(int(rng.integers(0, size)) for size in table.shape)
            logs = []
            for sign in (-1, 1):
                changed = [part.copy() for part in tables]
                changed[which][place] *= np.exp(sign * step)
                logs.append(expected_counts(Grammar(layout, grammar.words, *changed), treebank).logs.sum())
            derivative = (logs[1] - logs[0]) / (2 * step)
            assert (counts.roots, counts.rules, counts.emissions)[which][place] == pytest.approx(derivative, abs=1e-4)


CASES = [
    (("P12", "P21"), 2, "b a a b b"), (("P12", "P21", "P3142"), 2, "a b a b"), (("P12", "P24153", "P2413"), 1, "a b b a b"),
    (("P12", "P41352", "P01"), 1, "a u b a b"), (("P21", "P10", "P31524"), 1, "b a b a b"),
]  # fmt: skip


@pytest.mark.parametrize(("labels", "splits", "text"), CASES)
def test_charts_equal_all_derivations(labels: tuple[str, ...], splits: int, text: str) -> None:
    words = text.split()
    grammar = random_grammar(Layout(splits, 1), ("", "a", "b", "a b"), labels, 2)
    shares: dict[tuple[int, ...], float] = defaultdict(float)
    for probability, order in derivations(grammar, words):
        shares[order] += probability
    total = sum(shares.values())
    chart = parse(grammar, words)
    # The floor under single words adds less than this.
    assert chart.log_probability == pytest.approx(np.log(total), abs=1e-6)
    samples = 200_000
    distribution = distribution_of(chart.sample(samples, 5))
    for order, probability in zip(distribution.orders, distribution.probabilities, strict=True):
        expectation = shares[tuple(order.tolist())] / total
        assert abs(probability - expectation) < 5 * np.sqrt(expectation * (1 - expectation) / samples) + 1e-6


def test_operators_say_the_place_of_each_child() -> None:
    # Digest 4.9: the output of P3142 over A B C D is B D A C.
    places = OPERATORS[LABELS.index("P3142")]
    assert [word for _, word in sorted(zip(places, "ABCD", strict=True))] == list("BDAC")


def naive_risk(orders: Int64s, probabilities: Float64s, row: int) -> float:
    n = orders.shape[1]
    risk = 0.0
    for other, probability in zip(orders, probabilities, strict=True):
        places = np.argsort(other)
        wrong = sum(places[orders[row, a]] > places[orders[row, b]] for a in range(n) for b in range(a + 1, n))
        risk += probability * wrong / (n * (n - 1) / 2)
    return risk


def test_least_risk_of_the_worked_example() -> None:
    orders = np.array([[0, 1, 2, 3], [1, 0, 3, 2], [1, 0, 2, 3]])
    distribution = distribution_of(orders, np.array([0.4, 0.3, 0.3]))
    assert distribution.best == [1, 0, 2, 3]
    assert distribution.risks == pytest.approx([7 / 60, 0.15, 11 / 60])
    assert distribution.pairs[0, 1] == pytest.approx(0.4)
    assert distribution.pairs[2, 3] == pytest.approx(0.7)


def test_risks_equal_a_double_loop() -> None:
    rng = np.random.default_rng(1)
    orders = np.array([rng.permutation(7) for _ in range(40)])
    distribution = distribution_of(orders, rng.random(40))
    for row in range(len(distribution.orders)):
        assert distribution.risks[row] == pytest.approx(naive_risk(distribution.orders, distribution.probabilities, row))


def test_unknown_words_and_single_words() -> None:
    treebank = build_treebank(random_sentences(30, 9), rare=0)
    grammar = split_grammar(initial_grammar(treebank), Layout(2, 1), 1, 0.5)
    chart = parse(grammar, ["never", "seen", "before"])
    assert np.isfinite(chart.log_probability)
    assert sorted(chart.sample(10, 1)[0].tolist()) == [0, 1, 2]
