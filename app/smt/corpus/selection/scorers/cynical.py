"""Cynical selection (Axelrod 2017): each step adds the sentence that most lowers the unigram cross-entropy of a text."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.smt.corpus.selection.choice import Budget, Purse
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scoring import PlaceScorer
from app.text.batch import TokenColumn
from app.text.ragged import offsets_of

__all__ = ["SMOOTHING", "choose_cynically"]

# Initial count of each word of the in-domain text.
SMOOTHING: Final = 0.01


@dataclass(frozen=True)
class _Sentences:
    """Sentences: lengths, source lengths (`payable`), and distinct in-domain words with counts in each sentence."""

    lengths: Int32s
    payable: Int32s
    offsets: Int64s
    words: Int32s
    counts: Int32s


def choose_cynically(
    pool: Pool, side: int, text: TokenColumn, budget: Budget, smoothing: float = SMOOTHING, falling: bool = False
) -> PlaceScorer:
    """Scores of a greedy selection within a budget, minus the step of each pair; minus infinity for pairs without a step.

    Selection is by side 0 (source) or 1 (target); the first of tied sentences wins.

    The in-domain text has shares p of words; the selection has counts C and W words. A sentence of w words with counts c adds
    ``log((W + w) / W) + sum_v p(v) log(C(v) / (C(v) + c(v)))`` nats to the cross-entropy of the text. With `falling`, the selection
    ends at a step that adds 0 nats or more. The first step is exempt, since the uniform start is better than any few words.

    The second term only grows during the selection. Old values are therefore lower bounds, and each step computes few anew. Memory
    holds 8 bytes for each in-domain word of the pool.
    """
    shares = np.bincount(text.ids, minlength=len(text.vocabulary)) / max(1, len(text.ids))
    sentences = _read(pool, side, text)
    counts = np.full(len(shares), smoothing)
    total = smoothing * len(shares)

    def gain(place: int) -> float:
        begin, end = sentences.offsets[place], sentences.offsets[place + 1]
        words = sentences.words[begin:end]
        old_counts = counts[words]
        return float((shares[words] * np.log(old_counts / (old_counts + sentences.counts[begin:end]))).sum())

    scores = np.full(len(sentences.lengths), -np.inf)
    piles = _piles(sentences, shares, smoothing)
    purse, step = Purse(budget, len(scores)), 0
    while not purse.empty:
        best = _best(piles, total, gain)
        if best is None or (falling and step and best[0] >= 0):
            break
        _, place, length = best
        heapq.heappop(piles[length])
        if not purse.take(int(sentences.payable[place])):
            continue
        step += 1
        scores[place] = -step
        begin, end = sentences.offsets[place], sentences.offsets[place + 1]
        counts[sentences.words[begin:end]] += sentences.counts[begin:end]
        total += length
    return PlaceScorer(scores)


def _best(piles: dict[int, list[tuple[float, int]]], total: float, gain: Callable[[int], float]) -> tuple[float, int, int] | None:
    """Gain of the best sentence, its position and length; moves it to the top of its pile."""
    heads = [(log((total + length) / total) + pile[0][0], pile[0][1], length) for length, pile in piles.items() if pile]
    heapq.heapify(heads)
    fresh: set[int] = set()
    while heads:
        gain_of_best, place, length = heads[0]
        if place in fresh:
            return gain_of_best, place, length
        pile = piles[length]
        heapq.heapreplace(pile, (gain(place), place))
        fresh.add(place)
        heapq.heapreplace(heads, (log((total + length) / total) + pile[0][0], pile[0][1], length))
    return None


def _piles(sentences: _Sentences, shares: Float64s, smoothing: float) -> dict[int, list[tuple[float, int]]]:
    """Heaps of sentences by length: pairs of the initial gain, without the term of length, and the position."""
    parts = shares[sentences.words] * np.log(smoothing / (smoothing + sentences.counts))
    rows = np.repeat(np.arange(len(sentences.lengths)), np.diff(sentences.offsets))
    gains = np.bincount(rows, parts, len(sentences.lengths))
    piles: dict[int, list[tuple[float, int]]] = {}
    for place, (length, gain) in enumerate(zip(sentences.lengths.tolist(), gains.tolist(), strict=True)):
        if length:
            piles.setdefault(length, []).append((gain, place))
    for pile in piles.values():
        heapq.heapify(pile)
    return piles


def _read(pool: Pool, side: int, text: TokenColumn) -> _Sentences:
    order = np.argsort(text.hashes)
    hashes = text.hashes[order]
    lengths, payable, sizes, words, counts = [], [], [], [], []
    for chunk in pool.chunks():
        column = (chunk.pairs.source, chunk.pairs.target)[side]
        place = np.minimum(np.searchsorted(hashes, column.hashes), len(hashes) - 1)
        numbers = (
            np.where(hashes[place] == column.hashes, order[place], -1)[column.ids] if len(column.ids) else np.zeros(0, np.int64)
        )
        rows = np.repeat(np.arange(len(column)), column.lengths)
        distinct, times = np.unique((rows * len(hashes) + numbers)[numbers >= 0], return_counts=True)
        lengths.append(column.lengths.astype(np.int32))
        payable.append(chunk.pairs.source.lengths.astype(np.int32))
        sizes.append(np.bincount(distinct // len(hashes), minlength=len(column)))
        words.append((distinct % len(hashes)).astype(np.int32))
        counts.append(times.astype(np.int32))
    return _Sentences(
        np.concatenate(lengths),
        np.concatenate(payable),
        offsets_of(np.concatenate(sizes)),
        np.concatenate(words),
        np.concatenate(counts),
    )
