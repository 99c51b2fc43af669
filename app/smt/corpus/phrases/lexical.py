"""Lexical tables: relative frequencies of links of words (Koehn et al. 2003), as train-model.perl writes them."""

from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s, UInt64s
from app.building.line_files import read_lines
from app.smt.corpus.lines import line_error
from app.smt.corpus.phrases.aligned_chunks import AlignedChunk, Words
from app.smt.corpus.phrases.lexical_kernels import make_table, pair_keys
from app.smt.corpus.phrases.token_kernels import find_words

__all__ = ["LEXICAL_E2F", "LEXICAL_F2E", "LexicalCounts", "LexicalProbabilities"]

# p(source | target) and p(target | source): f is the source and e the target, as in the literature.
LEXICAL_E2F: Final = "lex.e2f"
LEXICAL_F2E: Final = "lex.f2e"
NULL: Final = b"NULL"
# Pending pairs of words that trigger a merge into the counts.
PENDING_LIMIT: Final = 1 << 20
LINES: Final = 1 << 16


@dataclass
class LexicalCounts:
    """Counts of linked words; a word without links counts with NULL. Memory grows with distinct pairs of words.

    A link of a weighted sentence counts by its weight, as in Moses, NULL included.
    """

    sources: dict[bytes, int] = field(default_factory=lambda: {NULL: 0})
    targets: dict[bytes, int] = field(default_factory=lambda: {NULL: 0})
    keys: list[Int64s] = field(default_factory=list)
    counts: list[Float64s] = field(default_factory=list)

    def add(self, chunk: AlignedChunk, weights: Float64s | None = None) -> None:
        """Count the links of a chunk, each by the weight of its sentence (n,), or by 1."""
        source, target = _numbers(chunk.source, self.sources), _numbers(chunk.target, self.targets)
        sentences = np.repeat(np.arange(len(chunk)), np.diff(chunk.link_offsets))
        linked_source = chunk.source.offsets[sentences] + chunk.links_source
        linked_target = chunk.target.offsets[sentences] + chunk.links_target
        free_source, free_target = np.ones(len(source), np.bool_), np.ones(len(target), np.bool_)
        free_source[linked_source] = free_target[linked_target] = False
        keys = np.concatenate(
            [(source[linked_source] << 32) | target[linked_target], source[free_source] << 32, target[free_target]]
        )
        if weights is None:
            counts = np.ones(len(keys))
        else:
            of_source, of_target = (np.repeat(weights, np.diff(side.offsets)) for side in (chunk.source, chunk.target))
            counts = np.concatenate([weights[sentences], of_source[free_source], of_target[free_target]])
        self.keys.append(keys[counts > 0])
        self.counts.append(counts[counts > 0])
        if sum(map(len, self.keys[1:])) > max(PENDING_LIMIT, len(self.keys[0])):
            self._gather()

    def _gather(self) -> None:
        keys, places = np.unique(np.concatenate(self.keys), return_inverse=True)
        self.keys, self.counts = [keys], [np.bincount(places, np.concatenate(self.counts)).astype(np.float64)]

    def write(self, folder: Path) -> None:
        """Write `lex.e2f` (``source target p(source | target)``) and `lex.f2e` (``target source p(target | source)``)."""
        self._gather()
        keys, counts = self.keys[0], self.counts[0]
        sources, targets = list(self.sources), list(self.targets)
        source, target = keys >> 32, keys & 0xFFFFFFFF
        by_target = counts / np.bincount(target, weights=counts)[target]
        by_source = counts / np.bincount(source, weights=counts)[source]
        with (folder / LEXICAL_E2F).open("wb") as e2f, (folder / LEXICAL_F2E).open("wb") as f2e:
            for row in range(len(keys)):
                source_word, target_word = sources[source[row]], targets[target[row]]
                e2f.write(b"%s %s %.7f\n" % (source_word, target_word, by_target[row]))
                f2e.write(b"%s %s %.7f\n" % (target_word, source_word, by_source[row]))


def _numbers(words: Words, vocabulary: dict[bytes, int]) -> Int64s:
    text = words.text.tobytes()
    places = zip(words.begins.tolist(), words.ends.tolist(), strict=True)
    return np.array([vocabulary.setdefault(text[begin:end], len(vocabulary)) for begin, end in places], np.int64)


@dataclass(frozen=True)
class LexicalProbabilities:
    """Probabilities of a word given another word: an open-addressed table with the hash of both as its key."""

    slots: UInt64s
    numbers: Float64s

    @classmethod
    def empty(cls) -> "LexicalProbabilities":
        """A table without entries."""
        return cls(*make_table(np.empty(0, np.uint64), np.empty(0)))

    @classmethod
    def read(cls, path: Path) -> "LexicalProbabilities":
        """Read lines ``word condition probability``, gzipped or plain; InputError (`invalid-table`) names a malformed line."""
        keys, values = [np.empty(0, np.uint64)], [np.empty(0)]
        with ExitStack() as stack:
            lines = read_lines(path, stack)
            number = 1
            while part := list(islice(lines, LINES)):
                text = np.frombuffer(b"".join(part), np.uint8)
                begins, ends, offsets = find_words(text, len(part))
                bad = np.flatnonzero(np.diff(offsets) != 3)
                values.append(np.zeros(len(part)))
                for row, line in enumerate(part if not len(bad) else part[: bad[0]]):
                    try:
                        values[-1][row] = float(line.rsplit(None, 1)[-1])
                    except ValueError:
                        values[-1][row] = np.nan
                wrong = np.flatnonzero(~((values[-1] >= 0) & (values[-1] <= 1)))
                first = min([*bad[:1].tolist(), *wrong[:1].tolist()], default=-1)
                if first >= 0:
                    raise line_error(path, number + first, "is not two words and a probability")
                words = np.arange(3 * len(part)) % 3 < 2
                keys.append(pair_keys(text, begins[words], ends[words]))
                number += len(part)
        return cls(*make_table(np.concatenate(keys), np.concatenate(values)))
