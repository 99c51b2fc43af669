"""Training of the network: sampled softmax (Jean et al. 2015) and Adam (Kingma and Ba 2015), without a library for it."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.errors import InputError
from app.running.journal import SILENT, Journal
from app.smt.lists.reranking.neural.adam import Adam
from app.smt.lists.reranking.neural.model import TranslationModel, numbered
from app.smt.lists.reranking.neural.network import EDGE, SPECIAL, Floats, Gradients, backward, forward, initial, pack
from app.text.batch import TokenColumn

__all__ = ["frequent_words", "sampled_softmax", "train_translation_model"]

LEAST_COUNT: Final = 2
MOST_WORDS: Final = 20_000
WIDTH, KEY, HIDDEN = 64, 128, 256
PAIRS: Final = 64
# Pairs sorted by length together: batches then have little padding.
SORTED_PAIRS: Final = 40 * PAIRS
SAMPLES: Final = 500
DROPOUT: Final = 0.2
RATE: Final = 0.002


def train_translation_model(
    sources: TokenColumn, targets: TokenColumn, passes: int = 6, seed: int = 1, journal: Journal = SILENT
) -> TranslationModel:
    """Train a translation model on n segment pairs, about a second per thousand pairs and pass.

    Equal text and seed give an equal model. InputError without text, or for unequal numbers of segments.
    """
    if len(sources) != len(targets):
        raise InputError("unequal-lengths", f"{len(sources)} source segments but {len(targets)} target segments")
    pairs = np.flatnonzero((sources.lengths > 0) & (targets.lengths > 0))
    if not len(pairs):
        raise InputError("empty-input", "a translation model needs text on both sides")
    words = frequent_words(sources), frequent_words(targets)
    froms, tos = numbered(sources, words[0]), numbered(targets, words[1])
    rng = np.random.default_rng(seed)
    counts = np.bincount([number for row in tos for number in row], minlength=len(words[1]) + SPECIAL).astype(np.float64)
    counts[EDGE] = len(pairs)
    weights = initial((len(words[0]) + SPECIAL, len(words[1]) + SPECIAL), WIDTH, KEY, HIDDEN, rng)
    weights["output0"] = np.log(np.maximum(counts, 0.5) / counts.sum()).astype(np.float32)
    chances = counts**0.75 / (counts**0.75).sum()
    adam = Adam(weights)
    for number in range(passes):
        batches = _batches(pairs, sources.lengths, targets.lengths, rng)
        for place, rows in enumerate(batches):
            share = (number + place / len(batches)) / passes
            journal.report("translation model", share)
            slopes = _slopes(weights, [froms[i] for i in rows], [tos[i] for i in rows], chances, rng)
            adam.step(slopes, RATE * (1 - share) + 1e-5)
    return TranslationModel(*words, weights)


def _slopes(
    weights: Mapping[str, Floats], sources: list[list[int]], targets: list[list[int]], chances: Float64s, rng: np.random.Generator
) -> Gradients:
    batch = pack(sources, targets)
    values = forward(weights, batch, DROPOUT, rng)
    output_slopes, hidden_slopes = sampled_softmax(weights, values.hidden, batch.next_words, chances, rng)
    return {**backward(weights, values, hidden_slopes), **output_slopes}


def sampled_softmax(
    weights: Mapping[str, Floats], hidden: Floats, next_words: Int64s, chances: Float64s, rng: np.random.Generator
) -> tuple[Gradients, Floats]:
    """Return derivatives of the mean negative log-probability of `next_words` (m,), by output weights and by `hidden` (m, H).

    Probabilities are among the words of the batch and words sampled by `chances`.
    """
    samples = np.searchsorted(np.cumsum(chances), rng.random(SAMPLES) * (1 - 1e-12))
    words, place = np.unique(np.concatenate([next_words, samples]), return_inverse=True)
    # Correct for the sampling probability: frequent samples must not seem improbable.
    log_chances = np.log(1 - (1 - chances[words]) ** (SAMPLES + len(next_words)) + 1e-12).astype(np.float32)
    outputs = weights["output"][words]
    errors = hidden @ outputs.T + weights["output0"][words] - log_chances
    errors -= errors.max(1, keepdims=True)
    np.exp(errors, out=errors)
    errors /= errors.sum(1, keepdims=True)
    errors[np.arange(len(next_words)), place[: len(next_words)]] -= 1
    errors /= np.float32(len(next_words))
    return {"output": (words, errors.T @ hidden), "output0": (words, errors.sum(0))}, errors @ outputs


def _batches(pairs: Int64s, lengths: Int64s, target_lengths: Int64s, rng: np.random.Generator) -> Sequence[Int64s]:
    """Yield batches of pairs of similar length, in random order."""
    order = rng.permutation(pairs)
    batches: list[Int64s] = []
    for begin in range(0, len(order), SORTED_PAIRS):
        part = order[begin : begin + SORTED_PAIRS]
        part = part[np.lexsort((lengths[part], target_lengths[part]))]
        batches += [part[k : k + PAIRS] for k in range(0, len(part), PAIRS)]
    return [batches[k] for k in rng.permutation(len(batches)).tolist()]


def frequent_words(column: TokenColumn) -> UInt64s:
    """Return ascending hashes of words with two or more occurrences, up to a limit by frequency."""
    counts = np.bincount(column.ids, minlength=len(column.vocabulary))
    order = np.argsort(-counts, kind="stable")[:MOST_WORDS]
    return np.sort(column.hashes[order[counts[order] >= LEAST_COUNT]])
