"""Orders of new sentences under a grammar: the least risky ones, of long sentences in parts (thesis, section 3.3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import product
from math import log
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.running.deadline import check_deadline
from app.smt.reordering.decoding import OrderDistribution, distribution_of, parse
from app.smt.reordering.grammar import Grammar

__all__ = ["LONGEST_PART", "ORDER_LIMIT", "Preordering", "preorder"]

# A chart grows with the square of the words in memory, with the cube in time: 60 words take 35 MB and 0.1 s.
LONGEST_PART: Final = 60
# Orders of a sentence; so many of a part are combined with those of the next part.
ORDER_LIMIT: Final = 100


@dataclass(frozen=True, eq=False)
class Preordering:
    """Orders of a sentence, the least risky first: source positions in output order, shape (k, n).

    `parts` are the spans [begin, end) that were ordered on their own; their sequence is that of the source. `risks` are expected
    shares of word pairs in another order, `pairs[u, v]` the probability that word u precedes word v, `entropy` is in bits.
    """

    orders: Int64s
    probabilities: Float64s
    risks: Float64s
    pairs: Float64s
    entropy: float
    log_probability: float
    parts: tuple[tuple[int, int], ...]


def preorder(
    grammars: Sequence[Grammar], words: Sequence[str], classes: Sequence[str] = (), count: int = 1, samples: int = 10_000,
    seed: int = 1,
) -> Preordering:  # fmt: skip
    """Up to `count` (at most `ORDER_LIMIT`) distinct orders of a sentence, sampled from its trees; words may have classes.

    Several grammars are a mixture of equal shares, and divide the samples; each draws one at least.

    A sentence of more than `LONGEST_PART` words is cut after punctuation, or else in halves. A part without any tree, which
    needs numbers below the smallest of the machine, is cut likewise.
    """
    if not grammars or count < 1 or samples < 1:
        raise ValueError("an order needs a grammar, and counts of orders and samples from 1 on")
    waiting = [(0, len(words))] if words else []
    results: list[tuple[tuple[int, int], OrderDistribution]] = []
    log_probability = 0.0
    while waiting:
        begin, end = waiting.pop()
        check_deadline()
        if end - begin < 2:
            results.append(((begin, end), distribution_of(np.arange(end - begin)[None])))
            continue
        short = end - begin <= LONGEST_PART
        charts = [parse(grammar, words[begin:end], classes[begin:end]) for grammar in grammars] if short else []
        if not charts or not np.isfinite([chart.log_probability for chart in charts]).all():
            cut = _cut(words, begin, end)
            waiting += [(cut, end), (begin, cut)]
            continue
        log_probability += float(np.logaddexp.reduce([chart.log_probability for chart in charts])) - log(len(charts))
        orders = [chart.sample(-(-samples // len(charts)), seed + number) for number, chart in enumerate(charts)]
        results.append(((begin, end), distribution_of(np.concatenate(orders))))
    return _joined(results, len(words), min(count, ORDER_LIMIT), log_probability)


def _cut(words: Sequence[str], begin: int, end: int) -> int:
    """Place of a cut, in the middle half of a span: after the punctuation nearest to its middle, or else in the middle."""
    middle, quarter = (begin + end) // 2, (end - begin) // 4
    places = [place for place in range(begin + quarter, end - quarter + 1) if begin < place < end]
    marks = [place for place in places if not any(map(str.isalnum, words[place - 1]))]
    return min(marks, key=lambda place: abs(place - middle), default=middle)


def _joined(
    results: Sequence[tuple[tuple[int, int], OrderDistribution]], length: int, count: int, log_probability: float
) -> Preordering:
    """Orders of a sentence from those of its independent parts. Word pairs across parts keep the order of the source."""
    pairs = np.triu(np.ones((length, length)), 1)
    best: list[tuple[float, float, list[int]]] = [(0.0, 1.0, [])]
    for (begin, end), distribution in results:
        pairs[begin:end, begin:end] = distribution.pairs
        weight = (end - begin) * (end - begin - 1) / max(length * (length - 1), 1)
        part = [
            (float(risk) * weight, float(probability), (order + begin).tolist())
            for order, risk, probability in zip(
                distribution.orders[:ORDER_LIMIT], distribution.risks, distribution.probabilities, strict=False
            )
        ]
        combinations = (
            (risk + part_risk, probability * share, front + order)
            for (risk, probability, front), (part_risk, share, order) in product(best, part)
        )
        best = nsmallest(ORDER_LIMIT, combinations, key=lambda entry: (entry[0], -entry[1]))
    best = best[:count]
    return Preordering(
        np.array([order for *_, order in best], np.int64),
        np.array([probability for _, probability, _ in best]),
        np.array([risk for risk, *_ in best]),
        pairs,
        sum(distribution.entropy for _, distribution in results),
        log_probability,
        tuple(span for span, _ in results),
    )
