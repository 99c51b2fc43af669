"""Whether the first row of a table is a heading, by what stands in it and below it, where no name of a column is known.

A heading is unlike what it stands over: names over numbers, single words over sentences. Where that is not plain the row is a
segment, since one that is scored too many does less harm than one that is never scored.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

__all__ = ["MOST_LOOKED_AT", "looks_like_heading", "may_be_heading", "text_columns"]

# Rows below the first that are looked at.
MOST_LOOKED_AT: Final = 50
FEWEST: Final = 3
LONGEST_NAME: Final = 40
MOST_WORDS: Final = 4
# Of the rows below, so many are of one kind.
NEARLY_ALL: Final = 0.9
TIMES_AS_LONG: Final = 3
SENTENCE_WORDS: Final = 4
# With a point or a comma, thousands apart, an exponent or a per cent sign: whatever people write for a number.
NUMBER: Final = re.compile(r"[-+\u2212]?(?:\d[\d.,'\u00a0\u202f]*+|[.,]\d++)(?:[eE][-+]?\d++)?+ ?%?")
SENTENCE_END: Final = re.compile(r"[.!?…:;。！？；：।॥։؟]['\"”’»)\]]*\Z")
# Letters of scripts without blanks between words; a word in katakana has as many as four words in Chinese.
UNSPACED: Final = re.compile(
    "[\u30a0-\u30ff]{1,4}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u309f\u3400-\u9fff\uac00-\ud7af]"
)
LETTER: Final = re.compile(r"[^\W\d_]")
Rows = Sequence[Sequence[str]]


def _is_number(cell: str) -> bool:
    return len(cell) <= LONGEST_NAME and NUMBER.fullmatch(cell.strip()) is not None


def _is_name(cell: str, most_words: int = MOST_WORDS) -> bool:
    """Short, with a letter in it and without the end of a sentence."""
    text = cell.strip()
    if not 0 < len(text) <= LONGEST_NAME or not LETTER.search(text):
        return False
    return len(text.split()) <= most_words and not SENTENCE_END.search(text) and len(UNSPACED.findall(text)) <= 2 * most_words


def _is_sentence(cell: str) -> bool:
    """Several words, or something that ends as sentences do."""
    text = cell[:1000].strip()
    length = len(text.split()) + len(UNSPACED.findall(text)) // 2
    return length >= SENTENCE_WORDS or (length > 1 and SENTENCE_END.search(text) is not None)


def _column(rows: Rows, k: int) -> list[str]:
    """The cells of a column that are not empty."""
    return [row[k] for row in rows if k < len(row) and row[k].strip()]


def _share(cells: Sequence[str], holds: Callable[[str], bool]) -> float:
    """The share of cells of which something holds, 0 of none."""
    return sum(map(holds, cells)) / len(cells) if cells else 0.0


def _is_text(cell: str) -> bool:
    return not _is_number(cell) and LETTER.search(cell[:1000]) is not None


def text_columns(rows: Rows, width: int) -> list[int]:
    """The places of columns that hold text and no numbers; of more than two, those that hold sentences."""
    columns = [_column(rows, k) for k in range(width)]
    texts = [k for k, cells in enumerate(columns) if _share(cells, _is_text) > 0.5]
    # Identifiers, names of files and of people may stand beside sentences.
    return texts if len(texts) <= 2 else [k for k in texts if _share(columns[k], _is_sentence) > 0.5]


def looks_like_heading(first: Sequence[str], below: Rows, hinted: bool = False) -> bool:
    """Whether the first row is plainly one of names over columns of another kind.

    `below` are the next rows, at most `MOST_LOOKED_AT`. Its cells must be distinct names; then a column of numbers beside two of
    text says that it is a heading, or sentences below single words, in every column of text and with no other row of single words.
    Where it is `hinted` at by one cell that is the name of a column, it is enough that most cells below are sentences.
    """
    names = [cell for cell in first if cell.strip()]
    distinct = {name.strip().casefold() for name in names}
    if not below or not names or len(distinct) < len(names) or not all(map(_is_name, names)):
        return False
    columns = [_column(below, k) for k in range(len(first))]
    texts = text_columns(below, len(first))
    if len(texts) < 2:
        return False
    if hinted:
        return all(_share(columns[k], _is_sentence) > 0.5 for k in texts)
    if len(below) < FEWEST:
        return False
    if any(cell.strip() and _share(cells, _is_number) >= NEARLY_ALL for cell, cells in zip(first, columns, strict=True)):
        return True
    if any(all(k < len(row) and _is_name(row[k], 1) for k in texts) for row in below):
        return False
    return all(_is_name(first[k], 1) and _share(columns[k], _is_sentence) >= NEARLY_ALL for k in texts)


def may_be_heading(first: Sequence[str], below: Rows) -> bool:
    """Whether a row that was taken for a segment might be a heading: names alone, of two words or far shorter than the rest."""
    cells = [cell for cell in first if cell.strip()]
    if not cells or not all(map(_is_name, cells)):
        return False
    return all(_is_name(cell, 2) for cell in cells) or all(_is_far_shorter(first[k], _column(below, k)) for k in range(len(first)))


def _is_far_shorter(name: str, cells: Sequence[str]) -> bool:
    """Whether nearly all cells of a column are three times as long as its first."""
    return _share(cells, lambda cell: len(cell.strip()) >= TIMES_AS_LONG * len(name.strip())) >= NEARLY_ALL
