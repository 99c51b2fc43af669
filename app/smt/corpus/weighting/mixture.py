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
# EM stops at a smaller gain of the mean log-likelihood of a token.
MINIMUM_GAIN: Final = 1e-9
MOST_ROUNDS: Final = 10_000
# Minimum mass of back-off, for contexts whose listed n-grams have all the mass.
LEAST_MASS: Final = 1e-12


@dataclass(frozen=True)
class Mixture:
    """Weights of models, which sum to 1; perplexity of the text under the mixture and under each single model."""

    weights: Float64s
    perplexity: float
    single_perplexities: Float64s
    tokens: int


def token_probabilities(models: Sequence[BackoffModel], text: TokenColumn) -> Float64s:
    """Probabilities of words and ends of a text under each model, without words unknown to all; shape (models, tokens).

    All models share the union of vocabularies. A model divides its probability of unknown words among the missing words of the
    union and one unknown word.
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
    unknown_everywhere = np.logical_and.reduce(lacking)
    return np.stack(rows)[:, ~unknown_everywhere]


def fit_mixture(probabilities: Float64s, start: Float64s | None = None) -> Mixture:
    """Fit weights of maximum likelihood by EM; `probabilities` has shape (models, tokens).

    Each round, the weight of a model becomes its mean share in the probability of a token. The likelihood never falls, and it has a
    single maximum. InputError without tokens.
    """
    count, tokens = probabilities.shape
    if not tokens:
        raise InputError("empty-input", "weights of language models need held-out text with words that one of them knows")
    weights = np.full(count, 1 / count) if start is None else np.asarray(start, np.float64) / np.sum(start)
    previous = -np.inf
    for _ in range(MOST_ROUNDS):
        mixture = weights @ probabilities
        likelihood = float(np.log(mixture).mean())
        if likelihood - previous < MINIMUM_GAIN:
            break
        previous = likelihood
        weights = weights * (probabilities / mixture).mean(axis=1)
        weights /= weights.sum()
    mixture = weights @ probabilities
    single_perplexities = np.exp(-np.log(probabilities).mean(axis=1))
    return Mixture(weights, float(np.exp(-np.log(mixture).mean())), single_perplexities, tokens)


def mix_models(models: Sequence[BackoffModel], weights: Sequence[float] | Float64s) -> BackoffModel:
    """Back-off model with the probability of the mixture for every n-gram of the models (static interpolation, as in SRILM).

    Back-offs are normalised, so probabilities after any context sum to 1. Other n-grams have about the probability of the mixture.
    The vocabulary is the union, as in `token_probabilities`. InputError for models of different orders.
    """
    if len({len(model.orders) for model in models}) > 1:
        raise InputError("invalid-request", "a mixture needs language models of one order")
    vocabulary = list(dict.fromkeys([*models[0].vocabulary[:3], *(word for model in models for word in model.vocabulary)]))
    number = {word: n for n, word in enumerate(vocabulary)}
    word_ids = [np.array([number[word] for word in model.vocabulary], np.int64) for model in models]
    shares = np.asarray(weights, np.float64) / np.sum(weights)
    # For each model, rows in the union of its n-grams of the lower order.
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
            rows = [names[model.orders[0].last] for model, names in zip(models, word_ids, strict=True)]
            logs = []
            for model, places in zip(models, rows, strict=True):
                unknown = model.orders[0].log_prob[model.orders[0].last == UNKNOWN][0] - np.log10(1 + size - len(model.vocabulary))
                log = np.full(size, unknown)
                log[places] = model.orders[0].log_prob
                log[UNKNOWN] = unknown
                logs.append(log)
        else:
            size, prefix, suffix, first, last, rows = _union(orders[-1], models, word_ids, rows, n)
            logs = []
            for model, places, log_below, backoff in zip(models, rows, below_logs, below_backoffs, strict=True):
                log = backoff[prefix] + log_below[suffix]
                log[places] = model.orders[n].log_prob
                logs.append(log)
        # Rounding may lift a sum above 1, but readers of ARPA files reject this.
        mixture = np.minimum(np.log10(shares @ 10.0 ** np.stack(logs)), 0.0)
        if n:
            orders[-1] = _with_backoffs(orders[-1], prefix, suffix, mixture, n)
        backoffs = []
        for model, places in zip(models, rows, strict=True):
            backoff = np.zeros(size)
            backoff[places] = model.orders[n].backoff
            backoffs.append(backoff)
        orders.append(OrderTable(prefix, suffix, first, last, mixture, np.zeros(size)))
        below_logs, below_backoffs = logs, backoffs
    return BackoffModel(tuple(vocabulary), tuple(orders))


def _union(
    below: OrderTable, models: Sequence[BackoffModel], word_ids: Sequence[Int64s], rows: Sequence[Int64s], n: int
) -> tuple[int, Int64s, Int64s, Int64s, Int64s, list[Int64s]]:
    """Union of n-grams of all models, and rows of the n-grams of each model in it.

    The key of an n-gram is the row of its prefix in the lower order, and its last word.
    """
    words = 1 + max(int(names.max()) for names in word_ids)
    keys = [rows[m][model.orders[n].prefix] * words + word_ids[m][model.orders[n].last] for m, model in enumerate(models)]
    union, places = np.unique(np.concatenate(keys), return_inverse=True)
    split = np.split(places, np.cumsum([len(part) for part in keys])[:-1])
    suffix = np.zeros(len(union), np.int64)
    for m, model in enumerate(models):
        suffix[split[m]] = rows[m][model.orders[n].suffix]
    prefix = union // words
    return len(union), prefix, suffix, below.first[prefix], union % words, list(split)


def _with_backoffs(below: OrderTable, prefix: Int64s, suffix: Int64s, mixture: Float64s, n: int) -> OrderTable:
    """Lower order with normalised back-offs: words that do not follow an n-gram share the remaining mass."""
    size = len(below.log_prob)
    listed_mass = np.bincount(prefix, 10.0**mixture, size)
    shorter = np.bincount(prefix, 10.0 ** below.log_prob[suffix], size)
    follows = np.bincount(prefix, minlength=size) > 0
    backoff_ratio = np.maximum(1 - listed_mass, LEAST_MASS) / np.maximum(1 - shorter, LEAST_MASS)
    backoff = np.where(follows, np.log10(backoff_ratio), 0.0)
    return OrderTable(below.prefix, below.suffix, below.first, below.last, below.log_prob, backoff)
