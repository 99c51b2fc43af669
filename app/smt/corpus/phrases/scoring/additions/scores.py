"""What a phrase table may have beside its four scores, and where: each as Moses' score and consolidate write it."""

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
from app.smt.corpus.phrases.scoring.discounting import whole
from app.smt.corpus.phrases.scoring.gathering import PairBlock
from app.text.reading.whole_numbers import whole_number

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

# What a table has instead of e where a score is on; its logarithm is almost 1.
ON: Final = 2.718
# A product of more of them is beyond 32 bits.
MOST_FACTORS: Final = 88
POWERS: Final[Float64s] = np.cumprod(np.array([1.0, *[ON] * MOST_FACTORS]))

Column = Callable[[PairBlock], Float64s | SparseScores]


@dataclass(frozen=True)
class Addition:
    """Scores of pairs beside the four, with the `words` of the command that ask for them.

    `inverse` stand behind lex(s|t), `direct` behind lex(t|s), `joint` at the end; the first two are in half tables too. Columns
    are dense, shape (pairs, scores), or all `sparse`. `domains` and `function_words` are what pairs have to be gathered with.
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
        """What was read for it."""
        of_words = self.function_words.files if self.function_words else ()
        return (*((self.domains.path,) if self.domains else ()), *of_words)


def unaligned_penalty() -> Addition:
    """2.718 to the power of words without links, of the source, and of the target."""
    return Addition(
        ("--unaligned-penalty",),
        inverse=lambda block: _power(block, 0),
        direct=lambda block: _power(block, 1),
        function_words=FunctionWords.none(),
    )


def unaligned_function_words(words: FunctionWords) -> Addition:
    """The same of function words alone."""
    return Addition(
        ("--unaligned-function-words", *(path.name for path in words.files)),
        inverse=lambda block: _power(block, 2),
        direct=lambda block: _power(block, 3),
        function_words=words,
    )


def singleton() -> Addition:
    """Whether the source phrase was extracted once in all. Moses' score had this for some years, with the two values in each
    other's place, and has it no more; its train-model still names it.
    """
    return Addition(("--singleton",), direct=lambda block: _on((block.source[:, 1] == 1) & (whole(block.source[:, 0]) <= 1)))


def phrase_count() -> Addition:
    """2.718 on every line: its weight is a penalty of phrases."""
    return Addition(("--phrase-count",), joint=lambda block: _on(np.ones(len(block.numbers), np.bool_)))


def low_count() -> Addition:
    """exp(-1 / c) of the count c of both."""
    return Addition(("--low-count",), joint=lambda block: np.exp(-1.0 / _counts(block))[:, None])


def count_bins(highest: Sequence[int]) -> Addition:
    """2.718 for the bin that the count of both is in; bins end at counts that are given, the last has what is above them."""
    bounds = np.array(highest)

    def scores(block: PairBlock) -> Float64s:
        return np.where(np.searchsorted(bounds, _counts(block))[:, None] == np.arange(len(bounds) + 1), ON, 1.0)

    return Addition(("--count-bins", ",".join(map(str, highest))), joint=scores)


def sparse_count_bins(highest: Sequence[int]) -> Addition:
    """The same by the name of the bin: ``cb_1 1``, ``cb_2_5 1``, and ``cb_max 1`` for what is above the last."""
    bounds = np.array(highest)
    spans = zip([1, *(end + 1 for end in highest)], highest, strict=False)
    names = [f"cb_{end}" if first == end else f"cb_{first}_{end}" for first, end in spans] + ["cb_max"]

    def scores(block: PairBlock) -> SparseScores:
        return SparseScores.one_each([name.encode() for name in names], np.searchsorted(bounds, _counts(block)))

    return Addition(("--sparse-count-bins", ",".join(map(str, highest))), joint=scores, sparse=True)


def parse_bins(text: str, option: str) -> tuple[int, ...]:
    """``1,2,5``: the highest count of each bin but the last. InputError where they are no growing numbers above 0."""
    parts = text.split(",")
    bins = tuple(number for part in parts if (number := whole_number(part)) is not None)
    if len(bins) < len(parts) or any(low >= high for low, high in zip((0, *bins), bins, strict=False)):
        detail = f"{option} takes the highest count of each bin, whole numbers that grow, as 1,2,5; {text!r} is none of these"
        raise InputError("invalid-request", detail, (option,))
    return bins


def _counts(block: PairBlock) -> Float64s:
    """Joint counts, of 32 bits as Moses has them."""
    return block.numbers[:, 0].astype(np.float32).astype(np.float64)


def _on(where: Bools) -> Float64s:
    return np.where(where, ON, 1.0)[:, None]


def _power(block: PairBlock, column: int) -> Float64s:
    powers: Float64s = POWERS[np.minimum(block.unaligned[:, column], MOST_FACTORS)][:, None]
    return powers
