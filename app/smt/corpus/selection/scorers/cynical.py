"""Cynical selection (Axelrod 2017): at each step the sentence that lowers most what a unigram model needs for a text."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.smt.corpus.selection.choice import Budget, Purse
from app.smt.corpus.selection.pool import Pool, PoolChunk
from app.text.batch import TokenColumn
from app.text.ragged import offsets_of

__all__ = ["SMOOTHING", "CynicalScorer", "choose_cynically"]

# What words of the wanted text have before anything is chosen.
SMOOTHING: Final = 0.01


@dataclass(frozen=True)
class CynicalScorer:
    """Minus the step at which a pair was chosen, from 1; minus infinity for pairs that were not."""

    scores: Float64s

    def score(self, chunk: PoolChunk) -> Float64s:
        """Of the chunk's places."""
        return self.scores[chunk.first : chunk.first + len(chunk)]


@dataclass(frozen=True)
class _Sentences:
    """Of each sentence its length, and its distinct words of the wanted text with how often they stand there."""

    lengths: Int32s
    payable: Int32s
    offsets: Int64s
    words: Int32s
    counts: Int32s


def choose_cynically(
    pool: Pool, side: int, wanted: TokenColumn, budget: Budget, smoothing: float = SMOOTHING, falling: bool = False
) -> CynicalScorer:
    """Greedy choice within a budget, of side 0 (source) or 1 (target); of equal sentences the first.

    With C counts and W words chosen, and p the shares of words in the wanted text, a sentence of w words adds
    ``log((W + w) / W) + sum_v p(v) log(C(v) / (C(v) + c(v)))`` nats to the cross-entropy of that text. Where `falling`, choice ends
    behind the first sentence when that is no longer below 0: before it all words are alike, which is less than any few words cost.
    The second part can only grow as words are chosen, so that what was computed before bounds it and few sentences are looked at
    again. Memory holds 8 bytes a word of the pool that stands in the wanted text.
    """
    shares = np.bincount(wanted.ids, minlength=len(wanted.vocabulary)) / max(1, len(wanted.ids))
    sentences = _read(pool, side, wanted)
    counts = np.full(len(shares), smoothing)
    total = smoothing * len(shares)

    def gain(place: int) -> float:
        begin, end = sentences.offsets[place], sentences.offsets[place + 1]
        words = sentences.words[begin:end]
        before = counts[words]
        return float((shares[words] * np.log(before / (before + sentences.counts[begin:end]))).sum())

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
    return CynicalScorer(scores)


def _best(piles: dict[int, list[tuple[float, int]]], total: float, gain: Callable[[int], float]) -> tuple[float, int, int] | None:
    """What the best sentence adds, its place and its length; it is on top of its pile then."""
    heads = [(log((total + length) / total) + pile[0][0], pile[0][1], length) for length, pile in piles.items() if pile]
    heapq.heapify(heads)
    fresh: set[int] = set()
    while heads:
        added, place, length = heads[0]
        if place in fresh:
            return added, place, length
        pile = piles[length]
        heapq.heapreplace(pile, (gain(place), place))
        fresh.add(place)
        heapq.heapreplace(heads, (log((total + length) / total) + pile[0][0], pile[0][1], length))
    return None


def _piles(sentences: _Sentences, shares: Float64s, smoothing: float) -> dict[int, list[tuple[float, int]]]:
    """Sentences by their length, as heaps of what they add at first without that of the length, and their place."""
    parts = shares[sentences.words] * np.log(smoothing / (smoothing + sentences.counts))
    rows = np.repeat(np.arange(len(sentences.lengths)), np.diff(sentences.offsets))
    gains = np.bincount(rows, parts, len(sentences.lengths))
    piles: dict[int, list[tuple[float, int]]] = {}
    for place, (length, added) in enumerate(zip(sentences.lengths.tolist(), gains.tolist(), strict=True)):
        if length:
            piles.setdefault(length, []).append((added, place))
    for pile in piles.values():
        heapq.heapify(pile)
    return piles


def _read(pool: Pool, side: int, wanted: TokenColumn) -> _Sentences:
    order = np.argsort(wanted.hashes)
    hashes = wanted.hashes[order]
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
