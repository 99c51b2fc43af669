"""Extracted phrase pairs as lines of bytes, in the format of Moses extract."""

import numpy as np
from numba import njit

from app.arrays import Int32s, Int64s, UInt8s
from app.smt.corpus.phrases.extraction_kernels import links_by_target

__all__ = ["write_links", "write_pairs"]

BLANK, BAR, NEWLINE, HYPHEN, ZERO = 32, 124, 10, 45, 48
# Blanks and bars after two columns, and the end of a line.
MARKS = 11
# Digits of a position in a phrase.
DIGITS = 5


@njit(cache=True, inline="always")
def _put_words(out: UInt8s, at: int, text: UInt8s, begins: Int64s, ends: Int64s, first: int, last: int) -> int:
    for word in range(first, last + 1):
        for place in range(begins[word], ends[word]):
            out[at] = text[place]
            at += 1
        out[at] = BLANK
        at += 1
    return at


@njit(cache=True, inline="always")
def _put_bars(out: UInt8s, at: int) -> int:
    out[at] = out[at + 1] = out[at + 2] = BAR
    out[at + 3] = BLANK
    return at + 4


@njit(cache=True, inline="always")
def _put_number(out: UInt8s, at: int, value: int) -> int:
    width = 1
    rest = value // 10
    while rest:
        width += 1
        rest //= 10
    for place in range(at + width - 1, at - 1, -1):
        out[place] = ZERO + value % 10
        value //= 10
    return at + width


@njit(cache=True, nogil=True)
def write_pairs(
    rows: Int32s,
    source_text: UInt8s, source_begins: Int64s, source_ends: Int64s, source_offsets: Int64s,
    target_text: UInt8s, target_begins: Int64s, target_ends: Int64s, target_offsets: Int64s,
    inverse: bool,
    endings: UInt8s, ending_offsets: Int64s, ending_of: Int64s,
) -> UInt8s:  # fmt: skip
    """Lines ``source ||| target ||| ending`` as bytes; with `inverse` the target comes first.

    `endings` are concatenated texts with newlines; `ending_of` is the index of the ending of each row.
    """
    size = 0
    for row in range(len(rows)):
        source, target = source_offsets[rows[row, 0]], target_offsets[rows[row, 0]]
        size += source_ends[source + rows[row, 2]] - source_begins[source + rows[row, 1]]
        size += target_ends[target + rows[row, 4]] - target_begins[target + rows[row, 3]]
        size += MARKS + ending_offsets[ending_of[row] + 1] - ending_offsets[ending_of[row]]
    out = np.empty(size, np.uint8)
    at = 0
    for row in range(len(rows)):
        source, target = source_offsets[rows[row, 0]], target_offsets[rows[row, 0]]
        if inverse:
            at = _put_words(out, at, target_text, target_begins, target_ends, target + rows[row, 3], target + rows[row, 4])
            at = _put_bars(out, at)
            at = _put_words(out, at, source_text, source_begins, source_ends, source + rows[row, 1], source + rows[row, 2])
        else:
            at = _put_words(out, at, source_text, source_begins, source_ends, source + rows[row, 1], source + rows[row, 2])
            at = _put_bars(out, at)
            at = _put_words(out, at, target_text, target_begins, target_ends, target + rows[row, 3], target + rows[row, 4])
        at = _put_bars(out, at)
        for place in range(ending_offsets[ending_of[row]], ending_offsets[ending_of[row] + 1]):
            out[at] = endings[place]
            at += 1
    return out[:at]


@njit(cache=True, nogil=True)
def write_links(
    rows: Int32s,
    target_offsets: Int64s,
    links_source: Int32s,
    links_target: Int32s,
    link_offsets: Int64s,
    inverse: bool,
    weights: UInt8s,
    weight_offsets: Int64s,
) -> tuple[UInt8s, Int64s]:
    """Links within the phrases of each row as text, ``i-j`` by target word (``j-i`` with `inverse`), and offsets of rows.

    A row needs at least one link; links across the edges of its phrases are left out. `weights` are texts after the links, one a
    sentence: ` ||| 0.5` or nothing, and the end of the line.
    """
    size = 0
    longest = 0
    for sentence in range(len(weight_offsets) - 1):
        longest = max(longest, weight_offsets[sentence + 1] - weight_offsets[sentence])
    for row in range(len(rows)):
        links = link_offsets[rows[row, 0] + 1] - link_offsets[rows[row, 0]]
        limit = (rows[row, 2] - rows[row, 1] + 1) * (rows[row, 4] - rows[row, 3] + 1)
        size += min(links, limit) * 2 * (DIGITS + 1) + longest
    out = np.empty(size, np.uint8)
    offsets = np.zeros(len(rows) + 1, np.int64)
    at = row = 0
    while row < len(rows):
        sentence = rows[row, 0]
        begin, end = link_offsets[sentence], link_offsets[sentence + 1]
        words = target_offsets[sentence + 1] - target_offsets[sentence]
        by_target, places = links_by_target(links_source[begin:end], links_target[begin:end], words)
        while row < len(rows) and rows[row, 0] == sentence:
            for word in range(rows[row, 3], rows[row, 4] + 1):
                for link in range(by_target[word], by_target[word + 1]):
                    if not rows[row, 1] <= places[link] <= rows[row, 2]:
                        continue
                    source, target = places[link] - rows[row, 1], word - rows[row, 3]
                    at = _put_number(out, at, target if inverse else source)
                    out[at] = HYPHEN
                    at = _put_number(out, at + 1, source if inverse else target)
                    out[at] = BLANK
                    at += 1
            # No blank after the last link.
            at -= 1
            for place in range(weight_offsets[sentence], weight_offsets[sentence + 1]):
                out[at] = weights[place]
                at += 1
            row += 1
            offsets[row] = at
    return out[:at], offsets
