"""Recognition of a heading without known names, by the cells of the first row and the cells below.

A heading differs from its columns: names over numbers, single words over sentences. An unclear row counts as a segment, since a
scored heading does less harm than an unscored segment.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final, Literal

__all__ = ["ROW_LIMIT", "ColumnKind", "column_kind", "looks_like_heading", "may_be_heading", "text_columns"]

# Rows below the first that are examined.
ROW_LIMIT: Final = 50
MINIMUM_ROWS: Final = 3
LONGEST_NAME: Final = 40
MOST_WORDS: Final = 4
# Share of the rows below that must be of one kind.
NEARLY_ALL: Final = 0.9
TIMES_AS_LONG: Final = 3
SENTENCE_WORDS: Final = 4
# Numbers with a point or a comma, separated thousands, an exponent or a per cent sign.
NUMBER: Final = re.compile(r"[-+\u2212]?(?:\d[\d.,'\u00a0\u202f]*+|[.,]\d++)(?:[eE][-+]?\d++)?+ ?%?")
SENTENCE_END: Final = re.compile(r"[.!?…:;。！？；：।॥։؟]['\"”’»)\]]*\Z")
# Letters of scripts without blanks between words; four letters of katakana count as one.
BLANKLESS_LETTER: Final = re.compile(
    "[\u30a0-\u30ff]{1,4}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u309f\u3400-\u9fff\uac00-\ud7af]"
)
LETTER: Final = re.compile(r"[^\W\d_]")
Rows = Sequence[Sequence[str]]
# Content of most cells of a column, without empty ones. Words are texts that are no sentences, as names and identifiers.
ColumnKind = Literal["empty", "numbers", "words", "sentences"]


def _is_number(cell: str) -> bool:
    return len(cell) <= LONGEST_NAME and NUMBER.fullmatch(cell.strip()) is not None


def _is_name(cell: str, most_words: int = MOST_WORDS) -> bool:
    """Return True if a cell is short, has a letter and does not end like a sentence."""
    text = cell.strip()
    if not 0 < len(text) <= LONGEST_NAME or not LETTER.search(text):
        return False
    return (
        len(text.split()) <= most_words and not SENTENCE_END.search(text) and len(BLANKLESS_LETTER.findall(text)) <= 2 * most_words
    )


def _is_sentence(cell: str) -> bool:
    """Return True if a cell has several words, or ends like a sentence."""
    text = cell[:1000].strip()
    length = len(text.split()) + len(BLANKLESS_LETTER.findall(text)) // 2
    return length >= SENTENCE_WORDS or (length > 1 and SENTENCE_END.search(text) is not None)


def _column(rows: Rows, k: int) -> list[str]:
    """Cells of a column, without empty ones."""
    return [row[k] for row in rows if k < len(row) and row[k].strip()]


def _share(cells: Sequence[str], condition: Callable[[str], bool]) -> float:
    """Share of cells that meet a condition, in [0, 1]; 0 without cells."""
    return sum(map(condition, cells)) / len(cells) if cells else 0.0


def _is_text(cell: str) -> bool:
    return not _is_number(cell) and LETTER.search(cell[:1000]) is not None


def text_columns(rows: Rows, width: int) -> list[int]:
    """Positions of columns with text rather than numbers; if these are more than two, of those with sentences."""
    columns = [_column(rows, k) for k in range(width)]
    texts = [k for k, cells in enumerate(columns) if _share(cells, _is_text) > 0.5]
    # Identifiers and names of files or people may stand beside sentences.
    return texts if len(texts) <= 2 else [k for k in texts if _share(columns[k], _is_sentence) > 0.5]


def column_kind(rows: Rows, k: int) -> ColumnKind:
    """Kind of a column by its cells."""
    cells = _column(rows, k)
    if not cells:
        return "empty"
    if _share(cells, _is_text) <= 0.5:
        return "numbers"
    return "sentences" if _share(cells, _is_sentence) > 0.5 else "words"


def looks_like_heading(first: Sequence[str], below: Rows, is_hinted: bool = False, names_source: bool = False) -> bool:
    """Return True if the first row clearly has names over columns of another kind.

    `below` are the next rows, at most `ROW_LIMIT`. One name of a source (`names_source`) decides in three or more columns. In
    two, neither cell ends like a sentence, over sentences. Otherwise the cells are distinct short names, and one of these holds:

    - a column of numbers stands beside two columns of text,
    - in every column of text, sentences stand below a single word, and no further row has only single words,
    - one cell is a known name of a column (`is_hinted`), and most cells below are sentences.
    """
    names = [cell for cell in first if cell.strip()]
    distinct = {name.strip().casefold() for name in names}
    if names_source and len(first) > 2:
        return bool(below)
    if names_source:
        are_names = not any(SENTENCE_END.search(name[-LONGEST_NAME:].strip()) for name in names)
    else:
        are_names = len(distinct) == len(names) > 0 and all(map(_is_name, names))
    if not below or not are_names:
        return False
    columns = [_column(below, k) for k in range(len(first))]
    texts = text_columns(below, len(first))
    if len(texts) < 2:
        return False
    if is_hinted or names_source:
        return all(_share(columns[k], _is_sentence) > 0.5 for k in texts)
    if len(below) < MINIMUM_ROWS:
        return False
    if any(cell.strip() and _share(cells, _is_number) >= NEARLY_ALL for cell, cells in zip(first, columns, strict=True)):
        return True
    if any(all(k < len(row) and _is_name(row[k], 1) for k in texts) for row in below):
        return False
    return all(_is_name(first[k], 1) and _share(columns[k], _is_sentence) >= NEARLY_ALL for k in texts)


def may_be_heading(first: Sequence[str], below: Rows) -> bool:
    """Return True if a segment might be a heading: only short names, or cells far shorter than those below."""
    cells = [cell for cell in first if cell.strip()]
    if not cells or not all(map(_is_name, cells)):
        return False
    return all(_is_name(cell, 2) for cell in cells) or all(_is_far_shorter(first[k], _column(below, k)) for k in range(len(first)))


def _is_far_shorter(name: str, cells: Sequence[str]) -> bool:
    """Return True if nearly all cells of a column are at least three times as long as its name."""
    return _share(cells, lambda cell: len(cell.strip()) >= TIMES_AS_LONG * len(name.strip())) >= NEARLY_ALL
