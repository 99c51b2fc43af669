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

__all__ = ["frequent_words", "train_translation_model"]

LEAST: Final = 2
MOST_WORDS: Final = 20_000
WIDTH, KEY, HIDDEN = 64, 128, 256
PAIRS: Final = 64
# Pairs sorted by length together: batches then have little padding.
SORTED: Final = 40 * PAIRS
DRAWN: Final = 500
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
    """Return derivatives of the mean negative log-probability among the batch's words and words sampled by `chances`."""
    batch = pack(sources, targets)
    forward_pass = forward(weights, batch, DROPOUT, rng)
    next_words = batch.wanted
    samples = np.searchsorted(np.cumsum(chances), rng.random(DRAWN) * (1 - 1e-12))
    words, place = np.unique(np.concatenate([next_words, samples]), return_inverse=True)
    # Correct for the sampling probability: frequent samples must not seem improbable.
    present = np.log(1 - (1 - chances[words]) ** (DRAWN + len(next_words)) + 1e-12).astype(np.float32)
    outputs = weights["output"][words]
    errors = forward_pass.hidden @ outputs.T + weights["output0"][words] - present
    errors -= errors.max(1, keepdims=True)
    np.exp(errors, out=errors)
    errors /= errors.sum(1, keepdims=True)
    errors[np.arange(len(next_words)), place[: len(next_words)]] -= 1
    errors /= np.float32(len(next_words))
    slopes = backward(weights, forward_pass, errors @ outputs)
    return {**slopes, "output": (words, errors.T @ forward_pass.hidden), "output0": (words, errors.sum(0))}


def _batches(pairs: Int64s, lengths: Int64s, other_lengths: Int64s, rng: np.random.Generator) -> Sequence[Int64s]:
    """Yield batches of pairs of similar length, in random order."""
    order = rng.permutation(pairs)
    batches: list[Int64s] = []
    for begin in range(0, len(order), SORTED):
        part = order[begin : begin + SORTED]
        part = part[np.lexsort((lengths[part], other_lengths[part]))]
        batches += [part[k : k + PAIRS] for k in range(0, len(part), PAIRS)]
    return [batches[k] for k in rng.permutation(len(batches)).tolist()]


def frequent_words(column: TokenColumn) -> UInt64s:
    """Return ascending hashes of words with two or more occurrences, up to a limit by frequency."""
    counts = np.bincount(column.ids, minlength=len(column.vocabulary))
    order = np.argsort(-counts, kind="stable")[:MOST_WORDS]
    return np.sort(column.hashes[order[counts[order] >= LEAST]])
