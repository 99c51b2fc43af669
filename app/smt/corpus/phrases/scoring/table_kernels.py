"""Writing of lines of phrase tables and of tables of orientations, as bytes."""

import numpy as np
from numba import njit

from app.arrays import Float64s, Int64s, UInt8s
from app.smt.corpus.phrases.scoring.number_kernels import LONGEST_NUMBER, put_number

__all__ = ["gather_columns", "write_half_lines", "write_orientation_lines", "write_table_lines"]

BLANK, BAR, NEWLINE = 32, 124, 10


@njit(cache=True, nogil=True)
def gather_columns(text: UInt8s, places: Int64s) -> tuple[UInt8s, Int64s]:
    """Concatenated parts of a text and their offsets; `places` has begin and end of each part, shape (rows, 2 * parts)."""
    parts = places.shape[1] // 2
    offsets = np.zeros(len(places) * parts + 1, np.int64)
    for row in range(len(places)):
        for part in range(parts):
            number = row * parts + part
            offsets[number + 1] = offsets[number] + places[row, 2 * part + 1] - places[row, 2 * part]
    out = np.empty(offsets[-1], np.uint8)
    at = 0
    for row in range(len(places)):
        for part in range(parts):
            for place in range(places[row, 2 * part], places[row, 2 * part + 1]):
                out[at] = text[place]
                at += 1
    return out, offsets


@njit(cache=True, inline="always")
def _put(out: UInt8s, at: int, text: UInt8s, begin: int, end: int) -> int:
    for place in range(begin, end):
        out[at] = text[place]
        at += 1
    return at


@njit(cache=True, inline="always")
def _put_bars(out: UInt8s, at: int) -> int:
    """`` ||| ``."""
    out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = BLANK, BAR, BAR, BAR, BLANK
    return at + 5


@njit(cache=True, inline="always")
def _put_single(out: UInt8s, at: int, value: float) -> int:
    """Write a number rounded to 32 bits, like programs with single precision; return its end."""
    return put_number(out, at, np.float64(np.float32(value)))


@njit(cache=True, inline="always")
def _put_singles(out: UInt8s, at: int, values: Float64s, row: int) -> int:
    """Write a row of numbers with blanks between them; return its end."""
    for column in range(values.shape[1]):
        if column:
            out[at] = BLANK
            at += 1
        at = _put_single(out, at, values[row, column])
    return at


@njit(cache=True, inline="always")
def _put_named(
    out: UInt8s, at: int, row: int, names: UInt8s, ends: Int64s, offsets: Int64s, ids: Int64s, values: Float64s
) -> int:  # fmt: skip
    """Write names and numbers of a row, with a blank after each; return their end."""
    for entry in range(offsets[row], offsets[row + 1]):
        at = _put(out, at, names, ends[ids[entry]], ends[ids[entry] + 1])
        out[at] = BLANK
        at = _put_single(out, at + 1, values[entry])
        out[at] = BLANK
        at += 1
    return at


@njit(cache=True, inline="always")
def _room(rows: Int64s, columns: int, ends: Int64s, ids: Int64s) -> int:
    """Upper bound of bytes for bars, numbers and names of lines, without texts."""
    name_bytes = 0
    for entry in range(len(ids)):
        name_bytes += ends[ids[entry] + 1] - ends[ids[entry]] + LONGEST_NUMBER + 2
    return len(rows) * (40 + (LONGEST_NUMBER + 1) * columns) + name_bytes


@njit(cache=True, nogil=True)
def write_table_lines(
    text: UInt8s, places: Int64s, rows: Int64s, scores: Float64s, counts: Float64s,
    names: UInt8s, ends: Int64s, offsets: Int64s, ids: Int64s, values: Float64s,
) -> UInt8s:  # fmt: skip
    """Lines ``source ||| target ||| scores ||| links ||| counts ||| sparse scores |||`` of `rows`, as bytes.

    `places` are offsets of source, target and links of each row in `text`. `ends` are offsets of names of sparse scores in `names`.
    `offsets` are those of each row in `ids` and `values`.
    """
    out = np.empty(len(text) + _room(rows, scores.shape[1] + counts.shape[1], ends, ids), np.uint8)
    at = 0
    for row in rows:
        for part in range(2):
            at = _put_bars(out, _put(out, at, text, places[3 * row + part], places[3 * row + part + 1]))
        at = _put_bars(out, _put_singles(out, at, scores, row))
        at = _put_bars(out, _put(out, at, text, places[3 * row + 2], places[3 * row + 3]))
        at = _put_bars(out, _put_singles(out, at, counts, row))
        at = _put_named(out, at, row, names, ends, offsets, ids, values)
        for _ in range(3):
            out[at] = BAR
            at += 1
        out[at] = NEWLINE
        at += 1
    return out[:at]


@njit(cache=True, nogil=True)
def write_half_lines(
    text: UInt8s, places: Int64s, rows: Int64s, linked: bool, scores: Float64s, counts: Float64s,
    names: UInt8s, ends: Int64s, offsets: Int64s, ids: Int64s, values: Float64s,
) -> UInt8s:  # fmt: skip
    """Lines ``source ||| target ||| links  ||| scores ||| counts |||`` as bytes; sparse scores end the scores; links if `linked`.

    A blank follows each link, as in halves of Moses, so two blanks precede the bars.
    """
    out = np.empty(len(text) + _room(rows, scores.shape[1] + counts.shape[1], ends, ids), np.uint8)
    at = 0
    for row in rows:
        for part in range(2):
            at = _put_bars(out, _put(out, at, text, places[3 * row + part], places[3 * row + part + 1]))
        if linked and places[3 * row + 3] > places[3 * row + 2]:
            at = _put(out, at, text, places[3 * row + 2], places[3 * row + 3])
            out[at] = BLANK
            at += 1
        at = _put_bars(out, at)
        at = _put_singles(out, at, scores, row)
        out[at] = BLANK
        at = _put_named(out, at + 1, row, names, ends, offsets, ids, values)
        # Bars begin with a blank.
        at = _put_bars(out, at - 1)
        at = _put_singles(out, at, counts, row)
        at = _put_bars(out, at) - 1
        out[at] = NEWLINE
        at += 1
    return out[:at]


@njit(cache=True, nogil=True)
def write_orientation_lines(text: UInt8s, offsets: Int64s, parts: int, columns: int, scores: Float64s) -> UInt8s:
    """Lines of the first `columns` of the `parts` of each row, with ` ||| ` after each, and scores, as bytes."""
    rows = len(scores)
    out = np.empty(len(text) + rows * (5 * columns + 1 + (LONGEST_NUMBER + 1) * scores.shape[1]), np.uint8)
    at = 0
    for row in range(rows):
        for part in range(columns):
            at = _put_bars(out, _put(out, at, text, offsets[parts * row + part], offsets[parts * row + part + 1]))
        for column in range(scores.shape[1]):
            at = put_number(out, at, scores[row, column])
            out[at] = BLANK
            at += 1
        out[at - 1] = NEWLINE
    return out[:at]
