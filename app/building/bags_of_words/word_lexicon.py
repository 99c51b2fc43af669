"""Training of a discriminative word lexicon (Mauser, Hasan and Ney 2009) by AdaGrad (Duchi et al. 2011)."""

from typing import Any, Final

import numpy as np
from scipy.sparse import csr_matrix

from app.arrays import Float32s
from app.building.bags_of_words.vocabulary import frequent_words
from app.errors import InputError
from app.resources.bags_of_words import WordLexicon
from app.resources.bags_of_words.word_lexicon import bags_of
from app.running.journal import SILENT, Journal
from app.text.batch import TokenColumn

__all__ = ["train_word_lexicon"]

# Least frequency of words, and most words: the rarest are left out.
LEAST_SOURCE: Final = 2
LEAST_TARGET: Final = 3
MOST_SOURCE: Final = 10_000
MOST_TARGET: Final = 5_000
BATCH: Final = 256
RATE: Final = 0.3
FIRST_SQUARE: Final = 0.01
# Least absolute weight in a file.
SMALLEST: Final = 0.02


def train_word_lexicon(
    sources: TokenColumn, targets: TokenColumn, passes: int = 4, journal: Journal = SILENT, seed: int = 1, penalty: float = 0.0
) -> WordLexicon:
    """Train a lexicon on n segment pairs, in O(passes × Σ source words × target vocabulary).

    `penalty` times the absolute weights is added to the loss of each batch: a small one leaves few weights. Equal text and seed
    give an equal lexicon. InputError without text, or for unequal numbers of segments.
    """
    if len(sources) != len(targets):
        raise InputError("unequal-lengths", f"{len(sources)} source segments but {len(targets)} target segments")
    frequent, target_words = (
        frequent_words(column, limit, minimum)
        for column, limit, minimum in ((sources, MOST_SOURCE, LEAST_SOURCE), (targets, MOST_TARGET, LEAST_TARGET))
    )
    if not len(frequent) or not len(target_words):
        raise InputError("empty-input", "a word lexicon needs text with repeated words")
    inputs, outputs = bags_of(sources, frequent), bags_of(targets, target_words)
    shares = np.asarray(outputs.sum(0), np.float64).ravel() / len(targets)
    shares = np.clip(shares, 0.5 / len(targets), 1 - 0.5 / len(targets))
    bias = np.log(shares / (1 - shares)).astype(np.float32)
    weights = np.zeros((len(frequent), len(target_words)), np.float32)
    squares = np.full(weights.shape, FIRST_SQUARE, np.float32)
    rng = np.random.default_rng(seed)
    for number in range(passes):
        order = rng.permutation(len(sources))
        for begin in range(0, len(order), BATCH):
            journal.report("word lexicon", (number + begin / len(order)) / passes)
            rows = order[begin : begin + BATCH]
            _step(inputs[rows], outputs[rows], bias, weights, squares, penalty)
    weights[np.abs(weights) < SMALLEST] = 0.0
    sparse_weights = csr_matrix(weights)
    return WordLexicon(
        frequent,
        target_words,
        bias,
        sparse_weights.indptr.astype(np.int64),
        sparse_weights.indices.astype(np.int32),
        sparse_weights.data,
    )


def _step(inputs: Any, outputs: Any, bias: Float32s, weights: Float32s, squares: Float32s, penalty: float) -> None:
    """Take a step of AdaGrad on a batch, and one towards 0 for the penalty, in place."""
    present = np.unique(inputs.indices)
    inputs, rows = inputs[:, present], weights[present]
    odds = inputs @ rows + bias
    errors = 1.0 / (1.0 + np.exp(-odds))
    errors[np.repeat(np.arange(outputs.shape[0]), np.diff(outputs.indptr)), outputs.indices] -= 1.0
    slopes = inputs.T @ errors
    total = squares[present] + slopes * slopes
    squares[present] = total
    rows -= RATE * slopes / np.sqrt(total)
    if penalty:
        rows = np.sign(rows) * np.maximum(np.abs(rows) - np.float32(penalty * RATE) / np.sqrt(total), 0)
    weights[present] = rows
