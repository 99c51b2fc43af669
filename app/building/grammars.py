"""Grammars induced from a treebank in brackets, by relative frequency."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import numpy as np

from app.building.line_files import read_lines
from app.building.writing import check_new, folder_aside
from app.errors import InputError
from app.resources.grammar import ANY_WORD, GRAMMAR, TAG_MARK, Grammar, load_grammar, save_grammar, word_class
from app.resources.grammar.symbols import CHAIN, REST
from app.resources.manifest import Manifest, checksum, write_manifest
from app.text.hashing import hash_tokens
from app.text.reading.lines import decode_text
from app.text.tokenisation import CHARACTER_LANGUAGES
from app.text.trees.brackets import bracketed_trees
from app.text.trees.phrases import plain_label
from app.text.trees.tree import Tree

__all__ = ["build_grammar", "induced_grammar"]

# A chart has a number for each symbol and span.
MOST_SYMBOLS: Final = 4000
MARKS: Final = str.maketrans({CHAIN: "_", REST: "_", "\n": "_"})


def _label(label: str) -> str:
    return plain_label(label).translate(MARKS)


class _Counts:
    """Counts of roots, rules, and words with their tags."""

    def __init__(self, characters: bool) -> None:
        self.characters = characters
        self.trees = 0
        self.roots: Counter[str] = Counter()
        self.rules: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
        self.words: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, tree: Tree) -> None:
        """Count a tree with words: a chain of nodes with one child each is one symbol."""
        count = len(tree.words)
        labels = [_label(label) for label in tree.labels]
        symbols = [f"{TAG_MARK}{_label(tag)}" for tag in tree.tags] + labels
        # The last element of the chain from each element on. Children come after their node.
        ends = list(range(len(symbols)))
        for node in range(len(labels) - 1, -1, -1):
            if len(tree.children[node]) == 1:
                (child,) = tree.children[node]
                symbols[count + node] += CHAIN + symbols[child]
                ends[count + node] = ends[child]
        root = count if labels else 0
        self.trees += 1
        self.roots[symbols[root]] += 1
        waiting = [root]
        while waiting:
            element = waiting.pop()
            end = ends[element]
            if end < count:
                self._add_word(symbols[element], tree.words[end])
            else:
                children = tree.children[end - count]
                waiting += children
                self._add_rules(symbols[element], labels[end - count], [symbols[child] for child in children])

    def _add_rules(self, parent: str, label: str, children: Sequence[str]) -> None:
        """Count a node; the rest after a child is a symbol of the node's label and the child's first label."""
        for child in children[:-2]:
            rest = f"{label}{REST}{child.partition(CHAIN)[0]}"
            self.rules[parent][child, rest] += 1
            parent = rest
        self.rules[parent][children[-2], children[-1]] += 1

    def _add_word(self, symbol: str, word: str) -> None:
        if not self.characters or len(word) == 1:
            self.words[word][symbol] += 1
            return
        # The symbol of the word stands once; its characters have symbols that count as no phrase.
        inner = f"{symbol.rpartition(CHAIN)[2]}{REST}"
        last = f"{inner}{REST}"
        parents = [symbol, *[last] * (len(word) - 2)]
        for parent, character in zip(parents, word[:-1], strict=True):
            self.rules[parent][inner, last] += 1
            self.words[character][inner] += 1
        self.words[word[-1]][last] += 1


def induced_grammar(trees: Iterable[Tree], characters: bool = False) -> Grammar:
    """Grammar of relative frequencies; with `characters`, the characters of words are words.

    Words seen once count a second time for their class, so unknown words have the tags of rare ones; without such words, all words
    together count once. InputError
    (`invalid-training-data`) for trees without words, or with more than `MOST_SYMBOLS` symbols.
    """
    counts = _Counts(characters)
    for tree in trees:
        if tree.words:
            counts.add(tree)
    if not counts.trees:
        raise InputError("invalid-training-data", "the treebank has no trees with words")
    symbols = tuple(sorted({*counts.roots, *counts.rules, *(symbol for tags in counts.words.values() for symbol in tags)}))
    if len(symbols) > MOST_SYMBOLS:
        detail = f"the treebank gives {len(symbols)} symbols, more than {MOST_SYMBOLS}; use fewer labels"
        raise InputError("invalid-training-data", detail)
    number = {symbol: k for k, symbol in enumerate(symbols)}
    lexicon: dict[str, dict[str, float]] = {word: defaultdict(float, tags) for word, tags in counts.words.items()}
    rare = [word for word, tags in counts.words.items() if tags.total() == 1]
    share = 1.0 if rare else 1 / sum(tags.total() for tags in counts.words.values())
    totals = defaultdict(float, {symbol: float(rules.total()) for symbol, rules in counts.rules.items()})
    for word in rare or counts.words:
        for name in (word_class(word), ANY_WORD):
            tags = lexicon.setdefault(name, defaultdict(float))
            for symbol, count in counts.words[word].items():
                tags[symbol] += share * count
    for name, tags in lexicon.items():
        if name != ANY_WORD:
            for symbol, value in tags.items():
                totals[symbol] += value
    rules = sorted(
        (number[left], number[right], number[parent], count / totals[parent])
        for parent, children in counts.rules.items()
        for (left, right), count in children.items()
    )
    names = list(lexicon)
    keys = hash_tokens(names)
    tags_by_key = [lexicon[names[k]] for k in np.argsort(keys)]
    entries = [sorted((number[symbol], count / totals[symbol]) for symbol, count in tags.items()) for tags in tags_by_key]
    root_counts = np.array([counts.roots[symbol] for symbol in symbols])
    return Grammar(
        symbols,
        np.sort(keys),
        np.cumsum([0, *map(len, entries)]),
        np.array([tag for tags in entries for tag, _ in tags], np.int32),
        np.log([value for tags in entries for _, value in tags]).astype(np.float32),
        np.array([parent for _, _, parent, _ in rules], np.int32),
        np.array([left for left, _, _, _ in rules], np.int32),
        np.array([right for _, right, _, _ in rules], np.int32),
        np.log([value for _, _, _, value in rules]).astype(np.float32),
        np.log(root_counts, where=root_counts > 0, out=np.full(len(symbols), -np.inf)) - np.log(counts.trees),
        # One sentence more than the treebank has is in two parts.
        float(-np.log(counts.trees + 1)),
    )


def read_bracket_files(paths: Iterable[Path]) -> Iterator[Tree]:
    """Yield the trees of files of brackets, gzip or plain; InputError names file and line."""
    for path in paths:
        with ExitStack() as stack:
            lines = ((number, decode_text(raw, str(path), number)) for number, raw in enumerate(read_lines(path, stack), 1))
            yield from bracketed_trees(lines, str(path))


def build_grammar(language: str, treebanks: Sequence[Path], folder: Path, licence: str, replace: bool = False) -> int:
    """Build ``grammar.safetensors`` and a manifest from files of brackets; return the number of trees.

    `replace` allows existing files.
    """
    if not replace:
        check_new(folder, [GRAMMAR])
    trees = list(read_bracket_files(treebanks))
    grammar = induced_grammar(trees, language in CHARACTER_LANGUAGES)
    with folder_aside(folder, replace) as staging:
        save_grammar(grammar, staging / GRAMMAR)
        # The file is read once, as a server will read it; this compiles the kernels too.
        load_grammar(staging / GRAMMAR)
        manifest = Manifest(
            name=f"{language}/grammar",
            description="probabilistic context-free grammar of a treebank",
            command=f"assay resources grammar --language {language}",
            licence=licence,
            inputs={path.name: checksum(path) for path in treebanks},
            files={GRAMMAR: checksum(staging / GRAMMAR)},
            statistics={
                "trees": len(trees),
                "tokens": sum(len(tree.words) for tree in trees),
                "symbols": len(grammar.symbols),
                "rules": len(grammar.parents),
            },
        )
        write_manifest(staging, manifest)
    return len(trees)
