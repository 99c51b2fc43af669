"""Training of Reordering Grammars by expectation maximisation over all trees of all sentences (thesis, sections 3.3 and 3.4)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.smt.reordering.expectation_kernels import expect
from app.smt.reordering.grammar import Grammar
from app.smt.reordering.labels import Layout
from app.smt.reordering.treebank import Treebank

__all__ = ["Counts", "Step", "expected_counts", "improve", "initial_grammar", "smoothed", "split_grammar", "steps"]

UNSPLIT: Final = Layout(1, 1)
# Parts of a treebank with counts of their own, so that sums have one order with any number of threads.
PARTS: Final = 8


@dataclass(frozen=True, eq=False)
class Counts:
    """Log-probabilities of sentences, and expected uses of roots, rules and emissions."""

    logs: Float64s
    roots: Float64s
    rules: Float64s
    emissions: Float64s


@dataclass(frozen=True, eq=False)
class Step:
    """A grammar, and the log-likelihood of the treebank under the grammar before it."""

    grammar: Grammar
    log_likelihood: float


def improve(grammar: Grammar, treebank: Treebank, threads: int = 1) -> Step:
    """One step of expectation maximisation."""
    counts = expected_counts(grammar, treebank, threads)
    totals = counts.rules.sum(1) + counts.emissions.sum(0)
    # A slot without any use keeps its distribution.
    used = totals > 0
    safe = np.where(used, totals, 1.0)
    rules = np.where(used[:, None], counts.rules / safe[:, None], grammar.rules)
    emissions = np.where(used, counts.emissions / safe, grammar.emissions)
    roots = counts.roots / counts.roots.sum()
    return Step(Grammar(grammar.layout, grammar.words, roots, rules, emissions), float(counts.logs.sum()))


def expected_counts(grammar: Grammar, treebank: Treebank, threads: int = 1) -> Counts:
    """Expected uses of all rules, over all trees and splits of all sentences; equal with any number of threads."""
    parts = np.array_split(np.arange(treebank.sentences), PARTS)
    logs = np.empty(treebank.sentences)
    roots, rules, emissions = (np.zeros_like(table) for table in (grammar.roots, grammar.rules, grammar.emissions))
    with ThreadPoolExecutor(threads) as pool:
        for part, counts in zip(parts, pool.map(lambda part: _expect(grammar, treebank, part), parts), strict=True):
            logs[part] = counts.logs
            roots += counts.roots
            rules += counts.rules
            emissions += counts.emissions
    return Counts(logs, roots, rules * grammar.rules, emissions * grammar.emissions)


def _expect(grammar: Grammar, treebank: Treebank, part: Int64s) -> Counts:
    layout = grammar.layout
    counts = [np.zeros_like(table) for table in (grammar.roots, grammar.rules, grammar.emissions)]
    logs = expect(
        part, treebank.nodes, treebank.labels, treebank.offsets, treebank.children, grammar.roots, grammar.rules, grammar.emissions,
        layout.splits, layout.symbols, layout.slots, *counts,
    )  # fmt: skip
    return Counts(logs, *counts)


def initial_grammar(treebank: Treebank, threads: int = 1) -> Grammar:
    """Unsplit grammar: one step from uniform distributions, where all trees of a sentence weigh equally."""
    labels, slots, words = int(UNSPLIT.symbols[-1]), int(UNSPLIT.slots[-1]), len(treebank.words)
    share = 1 / (labels + words)
    uniform = Grammar(
        UNSPLIT, treebank.words, np.full(labels, 1 / labels), np.full((slots, labels), share), np.full((words, slots), share)
    )
    return improve(uniform, treebank, threads).grammar


def split_grammar(grammar: Grammar, layout: Layout, seed: int, noise: float) -> Grammar:
    """Grammar whose labels have several splits with equal shares, each probability times 1 ± `noise` at random."""
    rng = np.random.default_rng(seed)
    labels = layout.labels_of_symbols
    rows = np.searchsorted(np.unique(UNSPLIT.children_of_slots), layout.children_of_slots)
    roots = grammar.roots[labels] / layout.splits[labels]
    rules = grammar.rules[np.ix_(rows, labels)] / layout.splits[labels]
    emissions = grammar.emissions[:, rows]
    roots, rules, emissions = (table * rng.uniform(1 - noise, 1 + noise, table.shape) for table in (roots, rules, emissions))
    totals = rules.sum(1) + emissions.sum(0)
    safe = np.where(totals > 0, totals, 1.0)
    return Grammar(layout, grammar.words, roots / roots.sum(), rules / safe[:, None], emissions / safe)


def smoothed(grammar: Grammar, share: float) -> Grammar:
    """Grammar whose splits move by a share towards the mean of all splits of their child (Petrov et al. 2006)."""
    rules, emissions = grammar.rules.copy(), grammar.emissions.copy()
    children = grammar.layout.children_of_slots
    for child in np.unique(children) if share else ():
        rows = np.flatnonzero(children == child)
        rules[rows] += share * (rules[rows].mean(0) - rules[rows])
        emissions[:, rows] += share * (emissions[:, rows].mean(1, keepdims=True) - emissions[:, rows])
    return Grammar(grammar.layout, grammar.words, grammar.roots, rules, emissions)


def steps(grammar: Grammar, treebank: Treebank, count: int, threads: int = 1) -> Iterator[Step]:
    """Steps of expectation maximisation, one after the other."""
    for _ in range(count):
        step = improve(grammar, treebank, threads)
        grammar = step.grammar
        yield step
