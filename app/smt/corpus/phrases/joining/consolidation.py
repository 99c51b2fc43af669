"""Consolidation of the half tables of both directions into a phrase table, as consolidate of Moses does."""

import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.building.alignment.files import written_files
from app.building.line_files import read_lines
from app.errors import InputError
from app.smt.corpus.lines import line_error, numbered_lines
from app.smt.corpus.phrases.scoring.additions.scores import ON
from app.smt.corpus.phrases.scoring.discounting import HIGHEST_COUNT, Discount, Frequencies
from app.smt.corpus.phrases.scoring.phrase_lines import Thresholds
from app.text.reading.numbers import whole_number

__all__ = ["Consolidation", "consolidate"]

LINES: Final = 20_000
BARS: Final = " ||| "
# Source, target, links (of the direct half), scores and counts of a half.
COLUMNS: Final = 5
# Counts have 32 bits, and larger ones are no whole numbers.
LARGEST_COUNT: Final = 2.0**31
NO_THRESHOLDS: Final = Thresholds()


@dataclass(frozen=True)
class Consolidation:
    """Options: `discount` with the file of its `counts` of counts, further scores with the highest counts of bins, thresholds."""

    discount: Discount = "none"
    counts: Path | None = None
    phrase_count: bool = False
    low_count: bool = False
    bins: tuple[int, ...] = ()
    sparse_bins: tuple[int, ...] = ()
    only_direct: bool = False
    thresholds: Thresholds = NO_THRESHOLDS


@dataclass(frozen=True)
class _Half:
    """Lines of a half: their cells, core and sparse scores as text, and counts (n, 2 or more)."""

    cells: list[list[str]]
    core: list[str]
    sparse: list[str]
    counts: Float64s


def consolidate(direct: Path, inverse: Path, out: Path, options: Consolidation = Consolidation()) -> tuple[int, int]:
    """Write the phrase table of two halves with equal lines of phrases; return numbers of pairs and of scores.

    `direct` has p(t|s), `inverse` p(s|t), as `phrase-table.half.f2e.gz` and `phrase-table.half.e2f.gz`; both are sorted by source.
    InputError names a malformed line, or one whose phrases differ between the halves.
    """
    frequencies = _frequencies(options)
    pairs = width = first = 0
    with ExitStack() as stack:
        halves = [read_lines(path, stack) for path in (direct, inverse)]
        files = stack.enter_context(written_files({"out": out}))
        while parts := list(islice(zip_longest(halves[0], halves[1]), LINES)):
            _check_lengths(parts, (direct, inverse), first)
            columns = 3 if options.discount == "kneser-ney" else 2
            direct_half = _half([part[0] for part in parts], direct, first, columns)
            inverse_half = _half([part[1] for part in parts], inverse, first, columns)
            for number, (left, right) in enumerate(zip(direct_half.cells, inverse_half.cells, strict=True), first + 1):
                if left[:2] != right[:2]:
                    raise line_error(inverse, number, f"has other phrases than this line of {direct}")
            lines, width = _lines(direct_half, inverse_half, frequencies, options)
            files["out"].writelines(lines)
            pairs, first = pairs + len(lines), first + len(parts)
    if not pairs:
        raise InputError("empty-input", f"no phrase pair of {direct} remains", (str(direct),))
    return pairs, width


def _frequencies(options: Consolidation) -> Frequencies:
    if options.counts is None:
        return Frequencies("none", np.zeros(HIGHEST_COUNT + 2, np.int64), 1)
    numbers = [whole_number(text.strip()) for _, text in numbered_lines(options.counts)]
    if len(numbers) != HIGHEST_COUNT + 1 or not numbers[0] or None in numbers:
        detail = f"{options.counts} is no file of counts of counts: the number of pairs, then of pairs extracted 1 to 10 times"
        raise InputError("invalid-table", detail, (str(options.counts),))
    counts: Int64s = np.array([0, *numbers[1:], 0], np.int64)
    return Frequencies(options.discount, counts, numbers[0])


def _check_lengths(parts: Sequence[tuple[bytes | None, bytes | None]], paths: tuple[Path, Path], first: int) -> None:
    for number, part in enumerate(parts, first + 1):
        if None in part:
            shorter = paths[part.index(None)]
            raise InputError("unequal-lengths", f"{shorter} ends before line {number} of the other half", (str(shorter), number))


def _half(lines: Sequence[bytes | None], path: Path, first: int, columns: int) -> _Half:
    cells, core, sparse = [], [], []
    counts = np.empty((len(lines), columns))
    for row, raw in enumerate(lines):
        try:
            parts = (raw or b"").decode().rstrip("\n").split(BARS)
            parts[-1] = parts[-1].removesuffix(" |||")
            counts[row] = [float(word) for word in parts[4].split()]
        except (ValueError, IndexError):
            parts = []
        if len(parts) < COLUMNS or not ((counts[row] > 0) & (counts[row] < LARGEST_COUNT)).all() or counts[row, 1] > counts[row, 0]:
            names = "two counts, the first the larger one" if columns == 2 else "two counts and a number of partners"
            raise line_error(path, first + row + 1, f"is no line of a half table: phrases, links, scores and {names}")
        cells.append(parts)
        dense_text, sparse_text = _core_and_sparse(parts[3].split())
        core.append(dense_text)
        sparse.append(sparse_text)
    return _Half(cells, core, sparse, counts)


def _core_and_sparse(words: Sequence[str]) -> tuple[str, str]:
    """Numbers, and names with their numbers; names begin with no digit."""
    core: list[str] = []
    sparse: list[str] = []
    place = 0
    while place < len(words):
        is_name = not words[place][0].isdigit() and place + 1 < len(words)
        (sparse if is_name else core).extend(words[place : place + 1 + is_name])
        place += 1 + is_name
    return " ".join(core), " ".join(sparse)


def _lines(direct: _Half, inverse: _Half, frequencies: Frequencies, options: Consolidation) -> tuple[list[str], int]:
    joint, source, target = inverse.counts[:, 1], direct.counts[:, 0], inverse.counts[:, 0]
    # Without Kneser-Ney discounts no number of partners matters.
    of_source, of_target = direct.counts[:, -1], inverse.counts[:, -1]
    backward = frequencies(joint, target, of_target, of_source)
    forward = frequencies(joint, source, of_source, of_target)
    mask = options.thresholds.probability_mask(backward, forward)
    lines, width = [], 0
    for row in np.flatnonzero(mask).tolist():
        scores = [] if options.only_direct else [_single(backward[row]), *inverse.core[row].split()]
        scores += [_single(forward[row]), *direct.core[row].split(), *_count_scores(joint[row], options)]
        sparse = [text for text in (direct.sparse[row], inverse.sparse[row], _sparse_bin(joint[row], options.sparse_bins)) if text]
        counts = " ".join(map(_single, (target[row], source[row], joint[row])))
        cells = [*direct.cells[row][:2], " ".join(scores), direct.cells[row][2].rstrip(), counts]
        lines.append(BARS.join([*cells, " ".join([*sparse, "|||"])]) + "\n")
        width = len(scores)
    return lines, width


def _count_scores(count: float, options: Consolidation) -> list[str]:
    scores = [f"{ON:g}"] if options.phrase_count else []
    scores += [_single(math.exp(-1.0 / float(np.float32(count))))] if options.low_count else []
    if options.bins:
        place = int(np.searchsorted(options.bins, np.float32(count)))
        scores += [f"{ON:g}" if number == place else "1" for number in range(len(options.bins) + 1)]
    return scores


def _sparse_bin(count: float, highest: tuple[int, ...]) -> str:
    if not highest:
        return ""
    place = int(np.searchsorted(highest, np.float32(count)))
    if place == len(highest):
        return "cb_max 1"
    begin = highest[place - 1] + 1 if place else 1
    return f"cb_{highest[place]} 1" if begin == highest[place] else f"cb_{begin}_{highest[place]} 1"


def _single(value: float) -> str:
    """A number rounded to 32 bits with six digits, as programs in C++ write it."""
    return f"{float(np.float32(value)):.6g}"
