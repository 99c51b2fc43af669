"""Training of a continuous-space language model: sampled softmax (Jean et al. 2015) and Adam, without a library for it."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.running.journal import SILENT, Journal
from app.smt.lists.reranking.neural.adam import Adam
from app.smt.lists.reranking.neural.continuous_space import ContinuousSpaceModel, hidden_of, slopes_of, windows_of
from app.smt.lists.reranking.neural.network import EDGE, SPECIAL, Floats, Gradients, numbers_of
from app.smt.lists.reranking.neural.training import frequent_words, sampled_softmax
from app.text.batch import TokenColumn

__all__ = ["train_continuous_space"]

WIDTH, HIDDEN = 96, 256
WINDOWS: Final = 256
DROPOUT: Final = 0.3
RATE: Final = 0.002


def train_continuous_space(
    text: TokenColumn, order: int = 5, passes: int = 8, seed: int = 1, journal: Journal = SILENT
) -> ContinuousSpaceModel:
    """Train a language model of an order on n segments; equal text and seed give an equal model.

    InputError without text.
    """
    if not len(text.ids):
        raise InputError("empty-input", "a continuous-space language model needs text")
    words = frequent_words(text)
    windows = windows_of(numbers_of(text, words), text.offsets, order - 1)
    rng = np.random.default_rng(seed)
    counts = np.bincount(windows[:, -1], minlength=len(words) + SPECIAL).astype(np.float64)
    counts[EDGE] = max(counts[EDGE], 1)
    chances = counts**0.75 / (counts**0.75).sum()
    weights = _initial(len(counts), order - 1, rng)
    weights["output0"] = np.log(np.maximum(counts, 0.5) / counts.sum()).astype(np.float32)
    adam = Adam(weights)
    for number in range(passes):
        order_of_rows = rng.permutation(len(windows))
        for begin in range(0, len(windows), WINDOWS):
            share = (number + begin / len(windows)) / passes
            journal.report("continuous-space language model", share)
            adam.step(_slopes(weights, windows[order_of_rows[begin : begin + WINDOWS]], chances, rng), RATE * (1 - share) + 1e-5)
    return ContinuousSpaceModel(words, weights)


def _initial(words: int, history: int, rng: np.random.Generator) -> dict[str, Floats]:
    def normal(rows: int, columns: int) -> Floats:
        return np.asarray(rng.standard_normal((rows, columns)) / np.sqrt(columns), np.float32)

    return {
        "input": normal(words, WIDTH), "hidden": normal(HIDDEN, history * WIDTH), "hidden0": np.zeros(HIDDEN, np.float32),
        "output": normal(words, HIDDEN) * np.float32(0.1),
    }  # fmt: skip


def _slopes(weights: Mapping[str, Floats], windows: Int64s, chances: Float64s, rng: np.random.Generator) -> Gradients:
    mask = ((rng.random((len(windows), HIDDEN)) >= DROPOUT) / (1 - DROPOUT)).astype(np.float32)
    hidden = hidden_of(weights, windows)[0] * mask
    output_slopes, hidden_slopes = sampled_softmax(weights, hidden, windows[:, -1], chances, rng)
    return {**slopes_of(weights, windows, hidden_slopes, mask), **output_slopes}
