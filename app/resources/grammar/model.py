"""A grammar on disk and in memory, and its parses of segments."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from app.arrays import Float32s, Float64s, Int32s, Int64s, UInt8s, UInt64s
from app.errors import InputError
from app.resources.grammar.chart_kernels import best_counts, fill_chart, sentence_tops
from app.resources.grammar.list_kernels import FULL, best_trees
from app.resources.grammar.symbols import ANY_WORD, phrases_of_symbol, word_class
from app.running.deadline import check_deadline
from app.text.batch import TokenColumn, pack_tokens
from app.text.hashing import hash_tokens
from app.text.trees.phrases import COLUMNS

__all__ = ["GRAMMAR", "Grammar", "Parses", "load_grammar", "save_grammar"]

GRAMMAR: Final = "grammar.safetensors"
# Version of symbols and word classes; files of another version are refused.
FORMAT: Final = 1
# Time grows with the cube of the words, so longer sentences are parsed in parts.
LONGEST: Final = 40
# Count of a root symbol that begins no tree of the treebank.
UNSEEN_ROOT: Final = 0.01
# A treebank has fewer words than exp(100).
LEAST_LOG: Final = -100.0
# Trees of a list.
TREES: Final = 100
FIRST_ROOM: Final = 1000
CACHE_SIZE: Final = 2048
Arrays = Mapping[str, NDArray[np.generic]]
# Values of a segment: the logs of all trees, of the best and of the mean tree; the number of trees; numbers of phrases, depth.
Values = tuple[float, ...]


@dataclass(frozen=True)
class Parses:
    """Parses of n segments: natural logs, numbers of trees, shape (n,) each, and `phrase_counts` of the best trees, (n, COLUMNS).

    `likelihood` sums all trees, `best` is the log of the best tree, and `mean` the mean log of the `trees` best trees.
    """

    likelihood: Float64s
    best: Float64s
    mean: Float64s
    trees: Float64s
    counts: Float64s


@dataclass(frozen=True)
class Grammar:
    """A probabilistic grammar in Chomsky's normal form over S `symbols`; all logs are natural.

    - words: sorted hashes `keys` of words and of classes of unknown words; the `tags` of row k, with `tag_logs`, begin at
      ``key_offsets[k]``
    - rules: `parents`, `lefts`, `rights`, `rule_logs`, sorted by their left child
    - `roots`: logs of the first symbol of a tree, -inf for symbols that begin none; shape (S,)
    - `go_on`: for sentences without a tree, the log of the probability that another tree follows; the treebank has exp(-go_on) - 1
    """

    symbols: tuple[str, ...]
    keys: UInt64s
    key_offsets: Int64s
    tags: Int32s
    tag_logs: Float32s
    parents: Int32s
    lefts: Int32s
    rights: Int32s
    rule_logs: Float32s
    roots: Float64s
    go_on: float

    @cached_property
    def _rule_offsets(self) -> Int64s:
        return np.searchsorted(self.lefts, np.arange(len(self.symbols) + 1)).astype(np.int64)

    @cached_property
    def _rule_values(self) -> Float64s:
        return np.exp(self.rule_logs.astype(np.float64))

    @cached_property
    def _by_parent(self) -> tuple[Int64s, Int64s]:
        """Rules in the order of their parents, and the first of each parent."""
        order = np.argsort(self.parents, kind="stable").astype(np.int64)
        return order, np.searchsorted(self.parents[order], np.arange(len(self.symbols) + 1)).astype(np.int64)

    @cached_property
    def _any_roots(self) -> Float64s:
        """Logs of the first symbol of a part of a sentence: a symbol that begins no tree of the treebank counts `UNSEEN_ROOT`."""
        counts = np.exp(self.roots) * np.expm1(-self.go_on) + UNSEEN_ROOT
        return np.asarray(np.log(counts / counts.sum()), np.float64)

    @cached_property
    def _additions(self) -> Int64s:
        return np.array([phrases_of_symbol(symbol) for symbol in self.symbols], np.int64)

    @cached_property
    def _recent(self) -> OrderedDict[tuple[int, ...], Values]:
        return OrderedDict()

    def _rows(self, words: tuple[str, ...]) -> Int64s:
        """Row of each word: its own, or that of its class, or that of any word."""
        rows = np.zeros(len(words), np.int64)
        missing = np.ones(len(words), np.bool_)
        for names in (words, [word_class(word) for word in words], [ANY_WORD] * len(words)):
            hashes = hash_tokens(names)
            places = np.minimum(np.searchsorted(self.keys, hashes), len(self.keys) - 1)
            mask = missing & (self.keys[places] == hashes)
            rows[mask] = places[mask]
            missing &= ~mask
        return rows

    def parse(self, column: TokenColumn) -> Parses:
        """Parse every segment; parts of `LONGEST` words of a longer one are sentences of their own, and their logs are added."""
        rows = self._rows(tuple(column.vocabulary))[column.ids] if len(column.ids) else np.empty(0, np.int64)
        values = np.zeros((len(column), 4 + COLUMNS))
        for i in range(len(column)):
            words = rows[column.offsets[i] : column.offsets[i + 1]]
            parts = np.array([self._values(words[k : k + LONGEST]) for k in range(0, len(words), LONGEST)])
            if len(parts):
                values[i] = parts.sum(axis=0)
                values[i, 3] = min(float(parts[:, 3].prod()), TREES)
                values[i, -1] = parts[:, -1].max()
        return Parses(values[:, 0], values[:, 1], values[:, 2], values[:, 3], values[:, 4:])

    def _values(self, words: Int64s) -> Values:
        key = tuple(words.tolist())
        values = self._recent.get(key)
        if values is None:
            check_deadline()
            values = self._parsed(words)
            self._recent[key] = values
            if len(self._recent) > CACHE_SIZE:
                self._recent.popitem(last=False)
        return values

    def _parsed(self, words: Int64s) -> Values:
        n = len(words)
        best, inside = fill_chart(
            words, self.key_offsets, self.tags, self.tag_logs, self._rule_offsets, self.rights, self.parents, self.rule_logs,
            self._rule_values, len(self.symbols),
        )  # fmt: skip
        # A sentence without a tree is a sequence of trees.
        for roots, go_on in ((self.roots, -np.inf), (self._any_roots, self.go_on)):
            tops, sums = sentence_tops(best, inside, roots, go_on, n)
            if tops[0] > -np.inf:
                break
        order, offsets = self._by_parent
        rules = (order, offsets, self.lefts, self.rights, self.rule_logs)
        counts = best_counts(best, tops, roots, go_on, n, *rules, self._additions)
        room, number = FIRST_ROOM, FULL
        while number == FULL:
            number, logs = best_trees(best, tops, roots, go_on, n, *rules, TREES, room)
            room *= 2
        return float(sums[0]), float(tops[0]), float(logs.mean()), float(number), *map(float, counts)


def load_grammar(path: Path) -> Grammar:
    """Read a ``grammar.safetensors`` and compile its kernels; InputError if it is no such file."""
    try:
        arrays = load(path.read_bytes())
    except SafetensorError:
        raise InputError("invalid-table", f"{path.name} is no safetensors file") from None
    try:
        version, names = arrays.pop("format"), arrays.pop("symbols")
        symbols = tuple(names.astype(np.uint8).tobytes().decode("utf-8").split("\n"))
        grammar = Grammar(symbols, go_on=float(arrays.pop("go_on")[0]), **arrays)
        sound = version.tolist() == [FORMAT] and _is_sound(grammar)
    except (KeyError, TypeError, ValueError, IndexError):
        sound = False
    if not sound:
        raise InputError("invalid-table", f"{path.name} does not hold a grammar; `assay resources grammar` writes such files")
    grammar.parse(pack_tokens([["a", "b"]]))
    return grammar


def _is_sound(grammar: Grammar) -> bool:
    """Return True if all indices lie within their tables, so that kernels read nothing else."""
    size, keys, rules = len(grammar.symbols), len(grammar.keys), len(grammar.parents)
    offsets = grammar.key_offsets
    return (
        grammar.keys.dtype == np.uint64
        and grammar.keys.ndim == 1
        and bool((grammar.keys[1:] > grammar.keys[:-1]).all())
        and offsets.dtype == np.int64
        and keys > 0
        and len(offsets) == keys + 1
        and offsets[0] == 0
        and bool((np.diff(offsets) > 0).all())
        and offsets[-1] == len(grammar.tags) == len(grammar.tag_logs)
        and rules == len(grammar.lefts) == len(grammar.rights) == len(grammar.rule_logs)
        and bool((np.diff(grammar.lefts) >= 0).all())
        and all(
            column.dtype == np.int32 and (not len(column) or 0 <= column.min() <= column.max() < size)
            for column in (grammar.tags, grammar.parents, grammar.lefts, grammar.rights)
        )
        and all(logs.dtype == np.float32 and _are_logs(logs) for logs in (grammar.tag_logs, grammar.rule_logs))
        and grammar.roots.dtype == np.float64
        and grammar.roots.shape == (size,)
        and _are_logs(grammar.roots[grammar.roots > -np.inf])
        and bool((grammar.roots > -np.inf).any())
        and grammar.go_on < 0
        and bool(hash_tokens([ANY_WORD])[0] in grammar.keys)
    )


def _are_logs(values: Float32s | Float64s) -> bool:
    return bool(((values > LEAST_LOG) & (values <= 0)).all())


def save_grammar(grammar: Grammar, path: Path) -> None:
    """Write a file for `load_grammar`."""
    names: UInt8s = np.frombuffer("\n".join(grammar.symbols).encode("utf-8"), np.uint8)
    fields = ("keys", "key_offsets", "tags", "tag_logs", "parents", "lefts", "rights", "rule_logs", "roots")
    arrays: dict[str, Any] = {name: np.ascontiguousarray(getattr(grammar, name)) for name in fields}
    extra: dict[str, Any] = {"format": np.array([FORMAT], np.int32), "symbols": names, "go_on": np.array([grammar.go_on])}
    path.write_bytes(save({**arrays, **extra}))
