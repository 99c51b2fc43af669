"""Interpolated modified Kneser-Ney estimation of n-gram language models.

Chen and Goodman 1998 (discounts), Heafield et al. 2013 (how the orders interpolate; lmplz): no
pruning, unigrams interpolated with the uniform distribution, ``<unk>`` gets that share alone.
"""

from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.text.batch import TokenColumn
from app.text.ngrams import NgramTable, count_ngrams

__all__ = ["BackoffModel", "OrderTable", "estimate_language_model"]

UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL = ("<unk>", "<s>", "</s>")
# Reranking uses models of orders 3 to 7 (Srivastava's thesis, 4.4.1).
LONGEST_ORDER = 7
# Discounts of orders with too few distinct counts for its own discounts (lmplz --discount_fallback).
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)


@dataclass(frozen=True)
class OrderTable:
    """n-grams of one order with log10 probability and back-off; `first`/`last` are word ids,
    `prefix` and `suffix` rows of the order below."""

    prefix: Int64s
    suffix: Int64s
    first: Int64s
    last: Int64s
    log_prob: Float64s
    backoff: Float64s


@dataclass(frozen=True)
class BackoffModel:
    """A back-off language model: vocabulary (0 ``<unk>``, 1 ``<s>``, 2 ``</s>``) and one table per order."""

    vocabulary: tuple[str, ...]
    orders: tuple[OrderTable, ...]


def estimate_language_model(corpus: TokenColumn, order: int = 3) -> BackoffModel:
    """Estimate a model of `order` (2 to 7); tokens equal to special symbols are dropped."""
    if not 2 <= order <= LONGEST_ORDER:
        raise InputError("invalid-request", "the order of a language model is 2 to 7", ("order",))
    vocabulary, ids, lengths = _sentences(corpus)
    if not (lengths > 2).any():
        raise InputError("empty-input", "a language model needs at least one token to be trained on")
    tables = count_ngrams(ids, lengths, len(vocabulary), order)
    adjusted_counts = [_adjusted_counts(tables, n) for n in range(order)]
    orders: list[OrderTable] = []
    lower = np.empty(0)
    for n, table in enumerate(tables):
        prob = _interpolated(table, adjusted_counts[n], n, lower, len(vocabulary))
        if n == 0:
            prob[BEGIN] = 1.0
        orders.append(_order_table(tables, adjusted_counts, n, prob))
        lower = prob
    return BackoffModel(vocabulary, tuple(orders))


def _sentences(corpus: TokenColumn) -> tuple[tuple[str, ...], Int64s, Int64s]:
    """Vocabulary, ids and lengths of segments between ``<s>`` and ``</s>``, without tokens equal to special symbols."""
    plain = np.array([word not in SPECIAL for word in corpus.vocabulary], np.bool_)
    numbers = np.cumsum(plain) + len(SPECIAL) - 1
    mask = plain[corpus.ids] if len(plain) else np.zeros(0, np.bool_)
    segments = corpus.segments[mask]
    lengths = np.bincount(segments, minlength=len(corpus)) + 2
    ends = np.cumsum(lengths)
    ids = np.empty(lengths.sum(), np.int64)
    ids[ends - lengths], ids[ends - 1] = BEGIN, END
    # Before a token lie the <s> of its own and of all earlier segments, and the </s> of the earlier ones.
    ids[np.arange(len(segments)) + 2 * segments + 1] = numbers[corpus.ids[mask]]
    return (*SPECIAL, *(word for word, is_plain in zip(corpus.vocabulary, plain.tolist(), strict=True) if is_plain)), ids, lengths


def _adjusted_counts(tables: list[NgramTable], n: int) -> Int64s:
    """Distinct left extensions of each n-gram; plain counts at the highest order and after ``<s>``."""
    table = tables[n]
    if n == len(tables) - 1:
        return table.count
    adjusted_counts = np.bincount(tables[n + 1].suffix, minlength=len(table)).astype(np.int64)
    if n == 0:
        adjusted_counts[BEGIN] = 0
        return adjusted_counts
    return np.where(table.first == BEGIN, table.count, adjusted_counts)


def _discounts(adjusted_counts: Int64s) -> Float64s:
    """D(0..3+): ``D_k = k - (k + 1) Y n_{k+1} / n_k`` with ``Y = n_1 / (n_1 + 2 n_2)``."""
    n1, n2, n3, n4 = (int(np.count_nonzero(adjusted_counts == k)) for k in (1, 2, 3, 4))
    if not (n1 and n2 and n3):
        return np.array([0.0, *FALLBACK_DISCOUNTS])
    y = n1 / (n1 + 2 * n2)
    d = np.array([0.0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3])
    if (d[1:] < 0).any() or (d > [0, 1, 2, 3]).any():
        return np.array([0.0, *FALLBACK_DISCOUNTS])
    return d


def _mass(table: NgramTable, adjusted_counts: Int64s, n: int, contexts: int) -> tuple[Float64s, Float64s, Float64s]:
    """Per context the sum of counts and gamma (the share given to the order below), and D of each n-gram."""
    discount = _discounts(adjusted_counts)[np.minimum(adjusted_counts, 3)]
    group = table.prefix if n else np.zeros(len(table), np.int64)
    total = np.bincount(group, weights=adjusted_counts, minlength=contexts).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        gamma = np.bincount(group, weights=discount, minlength=contexts) / total
    return total, gamma, discount


def _interpolated(table: NgramTable, adjusted_counts: Int64s, n: int, lower: Float64s, vocabulary_size: int) -> Float64s:
    """``p(w|c) = (a(cw) - D) / sum + gamma(c) p(w|c')``; shape (n-grams of this order,)."""
    contexts = len(lower) if n else 1
    total, gamma, discount = _mass(table, adjusted_counts, n, contexts)
    if n == 0:
        return np.asarray((adjusted_counts - discount) / total[0] + gamma[0] / (vocabulary_size - 1))
    return np.asarray((adjusted_counts - discount) / total[table.prefix] + gamma[table.prefix] * lower[table.suffix])


def _order_table(tables: list[NgramTable], adjusted_counts: list[Int64s], n: int, prob: Float64s) -> OrderTable:
    table = tables[n]
    backoff = np.zeros(len(table))
    if n + 1 < len(tables):
        _, gamma, _ = _mass(tables[n + 1], adjusted_counts[n + 1], n + 1, len(table))
        with np.errstate(divide="ignore"):
            backoff = np.where(gamma > 0, np.log10(np.where(gamma > 0, gamma, 1.0)), 0.0)
    return OrderTable(table.prefix, table.suffix, table.first, table.last, np.log10(prob), backoff)
