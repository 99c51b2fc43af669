"""Language models of a system behind one interface for the search, with cached states."""

import tempfile
from collections.abc import Sequence
from copy import copy
from math import log
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int32s, Int64s
from app.building.arpa import read_arpa
from app.building.kenlm_trie import write_kenlm_trie
from app.building.writing import full_disk_named
from app.resources.language_models import open_language_model
from app.resources.language_models.header import not_a_model, read_arpa_counts, read_header
from app.resources.language_models.trie import TrieModel
from app.smt.decoder.state_kernels import BEGIN, Models, States, window_scores
from app.text.hashing import hash_tokens

__all__ = ["END", "JointModel", "open_trie"]

# The cache begins with this many states, and with this many slots of steps for each; half of the slots may fill up.
FIRST_STATES: Final = 1 << 13
STEPS: Final = 16
LN_10: Final = log(10)
END, UNKNOWN = 0, 1


def open_trie(path: Path) -> TrieModel:
    """Open a KenLM trie, mapped; an ARPA file is converted to a trie in a temporary file.

    InputError names a file in another format, or a KenLM binary of another kind; give the ARPA file of such a model.
    """
    if path.is_file() and read_header(path) is None and read_arpa_counts(path) is not None:
        model = read_arpa(path)
        with tempfile.TemporaryDirectory() as folder, full_disk_named(Path(folder)):
            trie = Path(folder, "lm.trie")
            write_kenlm_trie(model, trie)
            return open_trie(trie)
    model_file = open_language_model(path)
    if not isinstance(model_file, TrieModel):
        raise not_a_model(path, "is no file for the decoder, which reads unquantised tries and ARPA files")
    return model_file


class JointModel:
    """Several language models with one weight each; words get numbers on first use."""

    def __init__(self, tries: Sequence[TrieModel], weights: Sequence[float]) -> None:
        """Weights multiply scores in natural logarithms, in the order of the models."""
        self._tries = tries
        bases = np.cumsum([0, *(len(trie.data) for trie in tries)])
        width = max((trie.order for trie in tries), default=2)
        data = tries[0].data if len(tries) == 1 else np.concatenate([np.zeros(0, np.uint8), *(trie.data for trie in tries)])
        self._data = np.asarray(data)
        self._data.flags.writeable = False
        self._starts = np.zeros((len(tries), width), np.int64)
        self._next_bits = np.zeros((len(tries), width), np.int64)
        for m, trie in enumerate(tries):
            self._starts[m, : trie.order] = trie.starts + bases[m]
            self._next_bits[m, : len(trie.next_bits)] = trie.next_bits[:width]
        self._word_bits = np.array([trie.word_bits for trie in tries], np.int64)
        self._orders = np.array([trie.order for trie in tries], np.int64)
        self.weights = np.array(weights, np.float64)
        self._begin = np.array([trie.begin for trie in tries], np.int32)
        # Row of words by their numbers in the models; words unknown to all models share one row.
        self._rows: dict[tuple[int, ...], int] = {}
        self._words: Int32s = np.zeros((64, len(tries)), np.int32)
        self._row(tuple(trie.end for trie in tries))
        self._row((0,) * len(tries))
        self._size = FIRST_STATES
        self.forget()

    def weighted(self, weights: Sequence[float]) -> "JointModel":
        """Copy with other weights; it shares the mapped files, and leaves this object as it is."""
        copied_model = copy(self)
        copied_model.weights = np.array(weights, np.float64)
        copied_model._rows, copied_model._words = dict(self._rows), self._words.copy()
        copied_model.forget()
        return copied_model

    @property
    def longest_context(self) -> int:
        """Maximal number of preceding words that influence a score."""
        return int(self._orders.max(initial=1)) - 1

    def _row(self, numbers: tuple[int, ...]) -> int:
        row = self._rows.setdefault(numbers, len(self._rows))
        if row >= len(self._words):
            self._words = np.concatenate([self._words, np.zeros_like(self._words)])
        self._words[row] = numbers
        return row

    def number(self, words: Sequence[str]) -> Int32s:
        """Number of each word in all models together; shape (words,)."""
        if not words:
            return np.zeros(0, np.int32)
        if not self._tries:
            return np.full(len(words), UNKNOWN, np.int32)
        hashes = hash_tokens(words)
        columns = np.stack([trie.lookup(hashes) for trie in self._tries], axis=1)
        return np.array([self._row(tuple(row)) for row in columns.tolist()], np.int32)

    @property
    def models(self) -> Models:
        """Arrays for the kernels; read them after `number`, since new words extend them."""
        weights = self.weights * LN_10
        return Models(self._data, self._starts, self._next_bits, self._word_bits, self._orders, weights, self._words)

    def forget(self, larger: bool = False) -> None:
        """Clear the cache; if `larger`, with four times as much room."""
        self._size *= 4 if larger else 1
        size, shape = self._size, (self._size, len(self._tries), self._starts.shape[1])
        self.states = States(
            np.zeros(shape, np.int32), np.zeros(shape[:2], np.int64), np.zeros(shape), np.full(2 * size, -1),
            np.full((STEPS * size, 4), -1.0), np.array([2, 0]),
        )  # fmt: skip
        for m in range(len(self._tries)):
            self.states.words[BEGIN, m, 0] = self._begin[m]
            self.states.lengths[BEGIN, m] = 1
            self.states.backoffs[BEGIN, m, 0] = self._backoff_of_begin(m)

    def _backoff_of_begin(self, m: int) -> float:
        at = self._starts[m, 0] + 16 * int(self._begin[m]) + 4
        return float(np.frombuffer(self._data[at : at + 4].tobytes(), np.float32)[0])

    def forget_much(self) -> None:
        """Clear the cache before a sentence if little room remains, so that memory stays bounded."""
        states, steps = self.states.counts.tolist()
        if states * 2 > self._size or steps * 4 > len(self.states.steps):
            self.forget()

    def isolated(self, words: Int32s, offsets: Int64s) -> Float64s:
        """Weighted score of each phrase without context; shape (phrases,)."""
        models = self.models
        scores = window_scores(models, words, offsets, 0, False, self._begin)
        return np.asarray((scores * models.weights).sum(1))

    def of_numbers(self, words: Int32s) -> Float64s:
        """Score of a complete sentence in each model, in natural logarithms, without weights; shape (models,)."""
        numbers = np.append(words, np.int32(END)).astype(np.int32)
        return np.asarray(self.of_windows(numbers, np.array([0, len(numbers)]), 0, True)[0])

    def of_windows(self, words: Int32s, offsets: Int64s, context: int, begins: bool) -> Float64s:
        """Scores of windows without their first `context` words, in natural logarithms; shape (windows, models).

        If `begins`, windows stand at the begin of a sentence. The end of a sentence is a word, `END`.
        """
        scores: Float64s = window_scores(self.models, words, offsets, context, begins, self._begin) * LN_10
        return scores
