"""Parallel treebanks with links of words, chunk by chunk."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Final

import numpy as np

from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.lines import line_error
from app.smt.corpus.phrases.aligned_chunks import AlignedChunk, Words
from app.smt.corpus.phrases.token_kernels import BAD_LINK, NO_FAULT, find_words, parse_links
from app.smt.corpus.trees.bracketing import METHODS, chunk_tree
from app.smt.corpus.trees.percolation import HeadTable
from app.smt.corpus.trees.reading import read_trees
from app.text.trees.tree import Dependencies, Tree

__all__ = ["Treebanks"]

CHUNK: Final = 500
BAR: Final = "|||"


@dataclass(frozen=True)
class Treebanks:
    """Files of parallel trees, their formats, tables of heads, and the method that derives trees."""

    source: Path
    target: Path
    method: str
    forms: tuple[str | None, str | None] = (None, None)
    head_tables: tuple[str | None, str | None] = (None, None)

    def trees(self) -> Iterator[tuple[Tree, Tree]]:
        """Yield pairs of trees. InputError of the readers, `unequal-lengths`, or for a method of another kind of trees."""
        if self.method not in METHODS:
            raise InputError("invalid-request", f"methods are {', '.join(METHODS)}", ("--method",))
        paths = (self.source, self.target)
        tables = [None if name is None else HeadTable.of(name) for name in self.head_tables]
        sides = [read_trees(path, form) for path, form in zip(paths, self.forms, strict=True)]
        number = 0
        for number, pair in enumerate(zip_longest(*sides), 1):
            trees = []
            for path, sentence, table in zip(paths, pair, tables, strict=True):
                if sentence is None:
                    detail = f"{path} has {number - 1} sentences, fewer than the parallel treebank"
                    raise InputError("unequal-lengths", detail, (str(path),))
                trees.append(_tree(sentence, self.method, table, path, number))
            yield trees[0], trees[1]
        if not number:
            raise InputError("empty-input", f"{self.source} has no sentences", (str(self.source),))

    def chunks(self, links: Path) -> Iterator[tuple[list[tuple[Tree, Tree]], AlignedChunk]]:
        """Yield pairs of trees, with words and links ``i-j`` from a file, a line for each pair; InputError names file and line."""
        with ExitStack() as stack:
            lines, pairs, first = read_lines(links, stack), self.trees(), 1
            while part := list(islice(pairs, CHUNK)):
                texts = list(islice(lines, len(part)))
                if len(texts) < len(part):
                    self._refuse_lengths(links, first - 1 + len(texts), "fewer")
                source, target = (
                    _words(path, [pair[side].words for pair in part], first) for side, path in enumerate((self.source, self.target))
                )
                link_bytes = np.frombuffer(b"".join(texts), np.uint8)
                links_source, links_target, offsets, fault, line = parse_links(link_bytes, source.offsets, target.offsets)
                if fault != NO_FAULT:
                    reason = (
                        "has a malformed link; links are i-j"
                        if fault == BAD_LINK
                        else "has a link beyond the words of its sentences"
                    )
                    raise line_error(links, first + line, reason)
                yield part, AlignedChunk(source, target, links_source, links_target, offsets)
                first += len(part)
            if next(lines, None) is not None:
                self._refuse_lengths(links, first, "more")

    def _refuse_lengths(self, links: Path, line: int, comparison: str) -> None:
        detail = f"{links} has {comparison} lines than {self.source} has sentences, after {line - (comparison == 'more')}"
        raise InputError("unequal-lengths", detail, (str(links), line))


def _tree(sentence: Tree | Dependencies, method: str, table: HeadTable | None, path: Path, number: int) -> Tree:
    try:
        return chunk_tree(sentence, method, table)
    except InputError as error:
        raise InputError(error.code, f"{path}, sentence {number}: {error.detail}", (str(path), number)) from None


def _words(path: Path, sentences: Sequence[Sequence[str]], first: int) -> Words:
    text = np.frombuffer("".join(f"{' '.join(words)}\n" for words in sentences).encode(), np.uint8)
    begins, ends, offsets = find_words(text, len(sentences))
    for number, (words, count) in enumerate(zip(sentences, np.diff(offsets).tolist(), strict=True), first):
        if count != len(words) or BAR in words:
            form = "|||, the divider of columns" if BAR in words else "with blanks or control characters"
            raise InputError("invalid-character", f"{path}, sentence {number} has a word {form}", (str(path), number))
    return Words(text, begins, ends, offsets)
