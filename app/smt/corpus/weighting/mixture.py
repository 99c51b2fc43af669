"""Linear mixtures of language models: weights by EM on held-out text, and the mixture as one back-off model."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import BackoffModel, OrderTable
from app.building.writing import full_disk_named
from app.errors import InputError
from app.resources.language_models import open_language_model
from app.text.batch import TokenColumn

__all__ = ["Mixture", "fit_mixture", "mix_models", "token_probabilities"]

UNKNOWN: Final = 0
BEGIN: Final = 1
# EM stops where the log-likelihood of a token grows by less.
ENOUGH: Final = 1e-9
MOST_ROUNDS: Final = 10_000
# Left for n-grams without a probability: a model that gives all to those that follow has nothing to back off with.
LEAST_MASS: Final = 1e-12


@dataclass(frozen=True)
class Mixture:
    """Weights of models, which sum to 1, the perplexity of the text under the mixture, and under each model by itself."""

    weights: Float64s
    perplexity: float
    alone: Float64s
    tokens: int


def token_probabilities(models: Sequence[BackoffModel], text: TokenColumn) -> Float64s:
    """Probabilities of the words and ends of a text under each model, shape (models, tokens known to one of them at least).

    All models have the words of all: what a model gives to unknown words is shared out to the words that it lacks and to those
    that none knows.
    """
    union = set().union(*(model.vocabulary for model in models))
    rows, lacking = [], []
    with TemporaryDirectory() as folder, full_disk_named(Path(folder)):
        for number, model in enumerate(models):
            path = Path(folder) / f"{number}.binary"
            write_kenlm_trie(model, path)
            _, words = open_language_model(path).score_both(text)
            share = np.log10(1 + len(union) - len(model.vocabulary))
            unknown = words.matched_orders == 0
            rows.append(10.0 ** (words.log_prob - np.where(unknown, share, 0.0)))
            lacking.append(unknown)
    unseen = np.logical_and.reduce(lacking)
    return np.stack(rows)[:, ~unseen]


def fit_mixture(probabilities: Float64s, start: Float64s | None = None) -> Mixture:
    """The weights under which tokens are most probable, by EM; `probabilities` of shape (models, tokens).

    Each round, a model's weight becomes its share in the probability of a token, on average; the likelihood never falls, and has
    one maximum. InputError without tokens.
    """
    count, tokens = probabilities.shape
    if not tokens:
        raise InputError("empty-input", "weights of language models need held-out text with words that one of them knows")
    weights = np.full(count, 1 / count) if start is None else np.asarray(start, np.float64) / np.sum(start)
    before = -np.inf
    for _ in range(MOST_ROUNDS):
        mixed = weights @ probabilities
        likelihood = float(np.log(mixed).mean())
        if likelihood - before < ENOUGH:
            break
        before = likelihood
        weights = weights * (probabilities / mixed).mean(axis=1)
        weights /= weights.sum()
    mixed = weights @ probabilities
    alone = np.exp(-np.log(probabilities).mean(axis=1))
    return Mixture(weights, float(np.exp(-np.log(mixed).mean())), alone, tokens)


def mix_models(models: Sequence[BackoffModel], weights: Sequence[float] | Float64s) -> BackoffModel:
    """One back-off model that has the mixture's probability for every n-gram that a model lists.

    What backs off is normalised, so that the words after any context sum to 1; n-grams that no model lists have nearly the
    probability of the mixture, not just that (as SRILM's static interpolation). The words are those of all models, as for
    `token_probabilities`. InputError where orders differ.
    """
    if len({len(model.orders) for model in models}) > 1:
        raise InputError("invalid-request", "language models that are mixed have the same order")
    vocabulary = list(dict.fromkeys([*models[0].vocabulary[:3], *(word for model in models for word in model.vocabulary)]))
    number = {word: n for n, word in enumerate(vocabulary)}
    renamed = [np.array([number[word] for word in model.vocabulary], np.int64) for model in models]
    shares = np.asarray(weights, np.float64) / np.sum(weights)
    # Of each model: the row in the union of each of its n-grams of the order below.
    rows: list[Int64s] = []
    orders: list[OrderTable] = []
    below_logs: list[Float64s] = []
    below_backoffs: list[Float64s] = []
    backoffs: list[Float64s] = []
    for n in range(len(models[0].orders)):
        if n == 0:
            size = len(vocabulary)
            prefix = suffix = np.zeros(size, np.int64)
            first = last = np.arange(size)
            rows = [names[model.orders[0].last] for model, names in zip(models, renamed, strict=True)]
            logs = []
            for model, places in zip(models, rows, strict=True):
                unknown = model.orders[0].log_prob[model.orders[0].last == UNKNOWN][0] - np.log10(1 + size - len(model.vocabulary))
                log = np.full(size, unknown)
                log[places] = model.orders[0].log_prob
                log[UNKNOWN] = unknown
                logs.append(log)
        else:
            size, prefix, suffix, first, last, rows = _union(orders[-1], models, renamed, rows, n)
            logs = []
            for model, places, log_below, backoff in zip(models, rows, below_logs, below_backoffs, strict=True):
                log = backoff[prefix] + log_below[suffix]
                log[places] = model.orders[n].log_prob
                logs.append(log)
        # Rounded sums of probabilities of 1 may be above 1, which no reader of ARPA files takes.
        mixed = np.minimum(np.log10(shares @ 10.0 ** np.stack(logs)), 0.0)
        if n:
            orders[-1] = _backed_off(orders[-1], prefix, suffix, mixed, n)
        backoffs = []
        for model, places in zip(models, rows, strict=True):
            backoff = np.zeros(size)
            backoff[places] = model.orders[n].backoff
            backoffs.append(backoff)
        orders.append(OrderTable(prefix, suffix, first, last, mixed, np.zeros(size)))
        below_logs, below_backoffs = logs, backoffs
    return BackoffModel(tuple(vocabulary), tuple(orders))


def _union(
    below: OrderTable, models: Sequence[BackoffModel], renamed: Sequence[Int64s], rows: Sequence[Int64s], n: int
) -> tuple[int, Int64s, Int64s, Int64s, Int64s, list[Int64s]]:
    """The n-grams of all models, and where those of each are among them.

    An n-gram is told by the row of its prefix in the order below and its last word.
    """
    words = 1 + max(int(names.max()) for names in renamed)
    keys = [rows[m][model.orders[n].prefix] * words + renamed[m][model.orders[n].last] for m, model in enumerate(models)]
    union, places = np.unique(np.concatenate(keys), return_inverse=True)
    split = np.split(places, np.cumsum([len(part) for part in keys])[:-1])
    suffix = np.zeros(len(union), np.int64)
    for m, model in enumerate(models):
        suffix[split[m]] = rows[m][model.orders[n].suffix]
    prefix = union // words
    return len(union), prefix, suffix, below.first[prefix], union % words, list(split)


def _backed_off(below: OrderTable, prefix: Int64s, suffix: Int64s, mixed: Float64s, n: int) -> OrderTable:
    """The order below with back-offs that leave for all other words what those that follow an n-gram do not take."""
    size = len(below.log_prob)
    taken = np.bincount(prefix, 10.0**mixed, size)
    shorter = np.bincount(prefix, 10.0 ** below.log_prob[suffix], size)
    follows = np.bincount(prefix, minlength=size) > 0
    left = np.maximum(1 - taken, LEAST_MASS) / np.maximum(1 - shorter, LEAST_MASS)
    backoff = np.where(follows, np.log10(left), 0.0)
    return OrderTable(below.prefix, below.suffix, below.first, below.last, below.log_prob, backoff)
