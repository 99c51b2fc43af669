"""Reader of the decoders' form (Moses, cdec, Joshua): ``segment ||| text ||| features ||| total``."""

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any, Final, NamedTuple

import numpy as np

from app.arrays import Int64s
from app.errors import InputError
from app.text.n_best import NBestLists
from app.text.reading.lines import BYTE_ORDER_MARK, TextFile, decode_text
from app.text.reading.moses_n_best import EXPECTED, MOST_SEGMENTS, UNNAMED, features_of, links_of, n_best_line, segment_number
from app.text.reading.n_best_lists.gathering import Gatherer, ListHypothesis, ParsedLines, check_feature, name_hash, refused
from app.text.reading.n_best_lists.line_kernels import FULL_TABLE, IRREGULAR, parse_lines
from app.text.reading.numbers import finite_number
from app.text.word_kernel import enlarged_table

__all__ = ["hypothesis_of", "is_bars", "read_bars", "read_n_best"]

BLOCK: Final = 1 << 18
# Characters of a bad word that an error shows.
LONGEST_SHOWN: Final = 40
# Least bytes of a link, of a feature value and of a line.
BYTES_OF_LINK, BYTES_OF_NUMBER, BYTES_OF_LINE = 4, 2, 8


class Block(NamedTuple):
    """Whole lines of a file: their bytes, the number of the first line (from 1), and its byte offset."""

    data: bytearray
    line: int
    offset: int


class BlockArrays(NamedTuple):
    """Output arrays of `parse_lines` for one block."""

    rows: Any
    totals: Any
    texts: Any
    columns: Any
    values: Any
    spans: Any
    slow: Any
    new: Any

    @classmethod
    def for_bytes(cls, size: int) -> "BlockArrays":
        """Allocate arrays for the most rows that `size` bytes can hold; untouched pages take no memory."""
        numbers, lines = size // BYTES_OF_NUMBER + 1, size // BYTES_OF_LINE + 1
        return cls(
            np.empty((lines, 4), np.int64),
            np.empty(lines),
            np.empty(size, np.uint8),
            np.empty(numbers, np.int32),
            np.empty(numbers),
            np.empty((size // BYTES_OF_LINK + 1, 4), np.int32),
            np.empty((numbers, 3), np.int64),
            np.empty((numbers, 3), np.int64),
        )


def is_bars(line: str) -> bool:
    """Return True if a line begins with a segment number and bars."""
    number, bars, _ = line.partition("|||")
    return bool(bars) and number.strip().removeprefix("-").isdigit()


def hypothesis_of(text: str) -> ListHypothesis | None:
    """Parse a line; None if it is not a line of an n-best list. A line of three cells has no features."""
    line = n_best_line(text)
    if line is None and text.count("|||") == 2:
        number, hypothesis, total = text.split("|||")
        line = n_best_line(f"{number}|||{hypothesis}||| |||{total}")
    if line is None:
        return None
    names, row = features_of(line.features)
    if not all(map(isfinite, row)):
        return None
    links, phrases = links_of(line.rest)
    words, own_links = _derivation(line.text)
    if own_links and not links:
        links, phrases = own_links, True
    return ListHypothesis(line.segment, words, line.total, list(zip(names, row, strict=True)), links, phrases)


def _derivation(text: str) -> tuple[str, list[int]]:
    """Split a text with source spans after its phrases (``a strategy |0-1| to hinder |3-4|``) into text and spans."""
    if not text.endswith("|") or _source_span(text.rsplit(None, 1)[-1]) is None:
        return text, []
    words: list[str] = []
    links: list[int] = []
    begin = 0
    for word in text.split():
        span = _source_span(word)
        if span is None:
            words.append(word)
        elif len(words) > begin:
            links += [*span, begin, len(words) - 1]
            begin = len(words)
    return " ".join(words), links


def _source_span(word: str) -> list[int] | None:
    first, dash, last = word[1:-1].partition("-")
    digits = first + last
    if word[:1] != "|" or word[-1] != "|" or not dash or not first or not last or len(digits) > 10:
        return None
    return [int(first), int(last)] if digits.isascii() and digits.isdigit() else None


def read_bars(file: TextFile, gatherer: Gatherer) -> None:
    """Read all lines of a file into `gatherer`; InputError names a bad line."""
    rows = BlockArrays.for_bytes(BLOCK)
    for block in _blocks(file):
        if len(block.data) > len(rows.texts):
            rows = BlockArrays.for_bytes(len(block.data))
        _check(block, file.name)
        data = np.frombuffer(block.data, np.uint8)
        at, line = 0, block.line
        while at < len(data):
            at, line_count, irregular = _parse(data, at, rows, gatherer, (file.name, line))
            line += line_count
            if irregular:
                end = block.data.find(b"\n", at) % (len(data) + 1)
                _read_line(block.data[at:end].decode(), gatherer, (file.name, line))
                at, line = end + 1, line + 1


def read_n_best(lines: Iterable[str]) -> NBestLists:
    """Read lists from lines that are in memory, without merging; InputError (`invalid-table`) with the number of a bad line."""
    gatherer = Gatherer()
    for number, line in enumerate(lines, 1):
        hypothesis = hypothesis_of(line) if line.strip() else None
        if hypothesis is not None:
            gatherer.add(hypothesis)
        elif line.strip():
            raise InputError("invalid-table", EXPECTED, (number,))
    return gatherer.lists()[0]


def _read_line(text: str, gatherer: Gatherer, place: tuple[str, int]) -> None:
    """Read a line that the kernel leaves to Python."""
    if text.strip():
        hypothesis = hypothesis_of(text)
        if hypothesis is None:
            raise refused(_fault_of(text), place)
        gatherer.add(hypothesis)


def _parse(data: Any, at: int, rows: BlockArrays, gatherer: Gatherer, place: tuple[str, int]) -> tuple[int, int, bool]:
    """Parse lines by the kernel; return the end, the number of lines, and True if the next line needs `_read_line`."""
    table = gatherer.table
    unnamed_hash = name_hash(UNNAMED)
    counts = parse_lines(data, at, unnamed_hash, table.keys, table.numbers, len(table.names), *rows)
    end, line_count, lines, text_end, entries, spans, slow, new, irregular, phrases = counts.tolist()
    if irregular == FULL_TABLE:
        table.keys, table.numbers = enlarged_table(table.keys, table.numbers)
    for begin, name_end, component in rows.new[:new].tolist():
        name = UNNAMED if begin < 0 else data[begin:name_end].tobytes().decode()
        check_feature(name, component, len(table.names))
        table.places[name, component] = len(table.names)
        table.names.append(name)
    _read_slow(data, at, rows, rows.slow[:slow], place)
    if lines:
        texts, columns, values = rows.texts[:text_end], rows.columns[:entries], rows.values[:entries]
        parsed_lines = ParsedLines(
            rows.rows[:lines], rows.totals[:lines], texts, columns, values, rows.spans[:spans], bool(phrases)
        )
        gatherer.take(parsed_lines)
    return end, line_count, irregular == IRREGULAR


def _read_slow(data: Any, at: int, rows: BlockArrays, slow: Int64s, place: tuple[str, int]) -> None:
    """Read numbers with many digits by Python's `float`."""
    for row, begin, end in slow.tolist():
        word = data[begin:end].tobytes().decode()
        value = finite_number(word)
        if value is None:
            line = place[1] + int(np.count_nonzero(data[at:begin] == 10))
            raise refused(_no_number(word), (place[0], line))
        if row >= 0:
            rows.totals[row] = value
        else:
            rows.values[~row] = value


def _blocks(file: TextFile) -> Iterator[Block]:
    """Yield a file in blocks of whole lines; InputError for a line that is too long."""
    content: Any = file.content
    rest, line, offset = bytearray(), 1, 0
    while raw := content.read(BLOCK):
        if not offset and not rest and raw.startswith(BYTE_ORDER_MARK):
            raw, offset = raw[len(BYTE_ORDER_MARK) :], len(BYTE_ORDER_MARK)
        cut = raw.rfind(b"\n") + 1
        rest += raw[:cut] if cut else raw
        if not cut:
            if len(rest) > file.longest:
                detail = f"line {line} of {file.name} has more than {file.longest} bytes"
                raise InputError("segment-too-long", detail, (file.name, line))
            continue
        yield Block(rest, line, offset)
        line, offset = line + rest.count(b"\n"), offset + len(rest)
        rest = bytearray(raw[cut:])
    if rest:
        yield Block(rest, line, offset)


def _check(block: Block, name: str) -> None:
    """Raise InputError if the bytes are not text."""
    try:
        block.data.decode()
        valid = b"\0" not in block.data
    except UnicodeDecodeError:
        valid = False
    if not valid:
        decode_text(bytes(block.data), name, block.line, block.offset)


def _fault_of(text: str) -> str:
    """Describe the fault of a line that is not a hypothesis."""
    number, *cells = (cell.strip() for cell in text.split("|||"))
    if len(cells) < 2:
        return EXPECTED
    if segment_number(number) is None:
        return f"segment must be a number from 0 and below {MOST_SEGMENTS}"
    features = cells[1].split() if len(cells) > 2 else ()
    values = [word.rpartition("=")[2] for word in features if word[-1] not in ":="]
    words = [*values, cells[min(len(cells) - 1, 2)]]
    return next((_no_number(word) for word in words if finite_number(word) is None), EXPECTED)


def _no_number(word: str) -> str:
    excerpt = word if len(word) <= LONGEST_SHOWN else f"{word[:LONGEST_SHOWN]}…"
    return f"features and total must be finite numbers, but found {excerpt!r}; {EXPECTED}"
