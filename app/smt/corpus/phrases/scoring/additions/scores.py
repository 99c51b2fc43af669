"""Additional scores of a phrase table, with the values and positions of score and consolidate of Moses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s
from app.errors import InputError
from app.smt.corpus.phrases.scoring.additions.domains import Domains
from app.smt.corpus.phrases.scoring.additions.function_words import FunctionWords
from app.smt.corpus.phrases.scoring.additions.sparse_column import SparseScores
from app.smt.corpus.phrases.scoring.discounting import as_counts
from app.smt.corpus.phrases.scoring.gathering import PairBlock
from app.text.reading.numbers import whole_number

__all__ = [
    "ON",
    "Addition",
    "Column",
    "count_bins",
    "low_count",
    "parse_bins",
    "phrase_count",
    "singleton",
    "sparse_count_bins",
    "unaligned_function_words",
    "unaligned_penalty",
]

# Value of an active score, an approximation of e; its logarithm is almost 1.
ON: Final = 2.718
# Powers above this exponent exceed 32-bit floats.
MOST_FACTORS: Final = 88
POWERS: Final[Float64s] = np.cumprod(np.array([1.0, *[ON] * MOST_FACTORS]))

Column = Callable[[PairBlock], Float64s | SparseScores]


@dataclass(frozen=True)
class Addition:
    """Scores of pairs beside the four, with their options of the command line as `words`.

    `inverse` columns follow lex(s|t), `direct` columns lex(t|s), and `joint` columns end the scores. Half tables have the first two
    kinds. Columns are dense, shape (pairs, scores), or all `sparse`. Gathering needs `domains` and `function_words`.
    """

    words: tuple[str, ...]
    inverse: Column | None = None
    direct: Column | None = None
    joint: Column | None = None
    domains: Domains | None = None
    function_words: FunctionWords | None = None
    sparse: bool = False

    @property
    def files(self) -> tuple[Path, ...]:
        """Input files of the scores."""
        word_files = self.function_words.files if self.function_words else ()
        return (*((self.domains.path,) if self.domains else ()), *word_files)


def unaligned_penalty() -> Addition:
    """Powers of 2.718 by the number of unlinked words, for source and target."""
    return Addition(
        ("--unaligned-penalty",),
        inverse=lambda block: _power(block, 0),
        direct=lambda block: _power(block, 1),
        function_words=FunctionWords.empty(),
    )


def unaligned_function_words(words: FunctionWords) -> Addition:
    """Powers of 2.718 by the number of unlinked function words, for source and target."""
    return Addition(
        ("--unaligned-function-words", *(path.name for path in words.files)),
        inverse=lambda block: _power(block, 2),
        direct=lambda block: _power(block, 3),
        function_words=words,
    )


def singleton() -> Addition:
    """A score of 2.718 if the source phrase was extracted exactly once, else 1.

    An old version of score of Moses had this score with exchanged values; its train-model still has the option.
    """
    return Addition(("--singleton",), direct=lambda block: _on((block.source[:, 1] == 1) & (as_counts(block.source[:, 0]) <= 1)))


def phrase_count() -> Addition:
    """A score of 2.718 on every line; its weight is a penalty for each phrase."""
    return Addition(("--phrase-count",), joint=lambda block: _on(np.ones(len(block.numbers), np.bool_)))


def low_count() -> Addition:
    """exp(-1 / c) of the joint count c."""
    return Addition(("--low-count",), joint=lambda block: np.exp(-1.0 / _counts(block))[:, None])


def count_bins(highest: Sequence[int]) -> Addition:
    """Scores of 2.718 for the bin of the joint count, else 1. Bins end at counts of `highest`; the last bin has no end."""
    bounds = np.array(highest)

    def scores(block: PairBlock) -> Float64s:
        return np.where(np.searchsorted(bounds, _counts(block))[:, None] == np.arange(len(bounds) + 1), ON, 1.0)

    return Addition(("--count-bins", ",".join(map(str, highest))), joint=scores)


def sparse_count_bins(highest: Sequence[int]) -> Addition:
    """Bin of the joint count as a sparse score: ``cb_1 1``, ``cb_2_5 1``, and ``cb_max 1`` above the last limit."""
    bounds = np.array(highest)
    spans = zip([1, *(end + 1 for end in highest)], highest, strict=False)
    names = [f"cb_{end}" if first == end else f"cb_{first}_{end}" for first, end in spans] + ["cb_max"]

    def scores(block: PairBlock) -> SparseScores:
        return SparseScores.single([name.encode() for name in names], np.searchsorted(bounds, _counts(block)))

    return Addition(("--sparse-count-bins", ",".join(map(str, highest))), joint=scores, sparse=True)


def parse_bins(text: str, option: str) -> tuple[int, ...]:
    """Highest counts of bins except the last, from a text such as ``1,2,5``. InputError unless they ascend from at least 1."""
    parts = text.split(",")
    bins = tuple(number for part in parts if (number := whole_number(part)) is not None)
    if len(bins) < len(parts) or any(low >= high for low, high in zip((0, *bins), bins, strict=False)):
        detail = f"{option} takes the highest count of each bin, ascending integers as 1,2,5, not {text!r}"
        raise InputError("invalid-request", detail, (option,))
    return bins


def _counts(block: PairBlock) -> Float64s:
    """Joint counts, rounded to 32 bits as in Moses; shape (pairs,)."""
    return block.numbers[:, 0].astype(np.float32).astype(np.float64)


def _on(mask: Bools) -> Float64s:
    return np.where(mask, ON, 1.0)[:, None]


def _power(block: PairBlock, column: int) -> Float64s:
    powers: Float64s = POWERS[np.minimum(block.unaligned_counts[:, column], MOST_FACTORS)][:, None]
    return powers
