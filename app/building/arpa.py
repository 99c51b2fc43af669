"""ARPA text: writing a BackoffModel and reading one back."""

import gzip
import zlib
from array import array
from collections.abc import Container, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path

import numpy as np

from app.building.gzip_files import opened
from app.building.kneser_ney import BackoffModel, OrderTable
from app.errors import InputError
from app.text.reading.numbers import whole_number

__all__ = ["read_arpa", "write_arpa"]

# KenLM's log-probability of unknown words that a file does not list.
UNKNOWN_LOG_PROB = -100.0


def write_arpa(model: BackoffModel, path: Path) -> None:
    """Write a model as ARPA with seven significant digits; the highest order has no back-offs."""
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.write("\\data\\\n")
        for n, order in enumerate(model.orders, 1):
            out.write(f"ngram {n}={len(order.log_prob)}\n")
        texts: list[str] = []
        for n, order in enumerate(model.orders, 1):
            out.write(f"\n\\{n}-grams:\n")
            words = [model.vocabulary[i] for i in order.last]
            texts = words if n == 1 else [f"{texts[p]} {w}" for p, w in zip(order.prefix, words, strict=True)]
            last = n == len(model.orders)
            for text, prob, backoff in zip(texts, order.log_prob, order.backoff, strict=True):
                # <s> is never predicted: its probability of one stands as 0.
                out.write(f"{prob:.7g}\t{text}\n" if last else f"{prob:.7g}\t{text}\t{backoff:.7g}\n")
        out.write("\n\\end\\\n")


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbers and texts of lines, inflated if the file is gzip; InputError if it is damaged or not UTF-8."""
    number = 0
    with ExitStack() as stack:
        try:
            for number, line in enumerate(opened(path, stack), 1):
                yield number, line.decode().rstrip("\r\n")
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise InputError("invalid-encoding", f"{path} is a damaged gzip file, after line {number}", (str(path),)) from None
        except UnicodeDecodeError:
            raise InputError("invalid-encoding", f"line {number} is not UTF-8", (str(path),)) from None


@dataclass
class _Section:
    """Listed n-grams of one length: words, values and line numbers."""

    words: list[list[str]]
    values: list[tuple[float, float]]
    lines: "array[int]"


def _sections(path: Path) -> Iterator[_Section]:
    """Sections of a file by length, each with the number of n-grams in its heading.

    InputError names file and line.
    """
    counts: list[int] = []
    section: _Section | None = None
    size, number, ended = 0, 0, False
    for number, line in _lines(path):
        if line.startswith("ngram ") and not size:
            counts.append(_count(path, number, line, len(counts) + 1))
        elif line == "\\end\\":
            ended = True
            break
        elif line.startswith("\\") and line.endswith("-grams:"):
            if section is not None:
                yield _check_size(path, section, size, counts)
            size += 1
            if line != f"\\{size}-grams:":
                raise _bad(path, number, f"is the heading of another section: \\{size}-grams: is expected")
            section = _Section([], [], array("q"))
        elif section is not None and line.strip():
            words, values = _row(path, number, line, size)
            section.words.append(words)
            section.values.append(values)
            section.lines.append(number)
    if section is None:
        raise InputError("invalid-table", "this is no ARPA file: it has no section \\1-grams:", (str(path),))
    if not ended:
        raise InputError("invalid-table", f"the ARPA file is cut short after line {number}: \\end\\ is missing", (str(path),))
    if size < len(counts):
        raise InputError("invalid-table", f"the ARPA file announces {size + 1}-grams but lists none", (str(path),))
    yield _check_size(path, section, size, counts)


def _check_size(path: Path, section: _Section, size: int, counts: list[int]) -> _Section:
    if len(counts) < size or counts[size - 1] != len(section.lines):
        said_count = counts[size - 1] if size <= len(counts) else 0
        detail = f"the ARPA file announces {said_count} {size}-grams but lists {len(section.lines)}"
        raise InputError("invalid-table", detail, (str(path),))
    return section


def _count(path: Path, number: int, line: str, size: int) -> int:
    length, _, digits = line.removeprefix("ngram ").partition("=")
    count = whole_number(digits.strip())
    if length.strip() != str(size) or count is None:
        raise _bad(path, number, f"is no count of {size}-grams, as ngram {size}=1000")
    return count


def _row(path: Path, number: int, line: str, size: int) -> tuple[list[str], tuple[float, float]]:
    cells = line.split("\t")
    words = cells[1].split(" ") if 2 <= len(cells) <= 3 else []
    if len(words) != size or not all(words):
        raise _bad(path, number, f"is no {size}-gram: a logarithm, words and a back-off are expected, with tabs between them")
    try:
        values = float(cells[0]), float(cells[2]) if len(cells) > 2 else 0.0
    except ValueError:
        raise _bad(path, number, "has a text in place of a logarithm") from None
    if not -inf < values[0] <= 0.0:
        raise _bad(path, number, "has a log-probability that is no finite number of at most 0")
    if not isfinite(values[1]):
        raise _bad(path, number, "has a back-off that is no finite number")
    return words, values


def _bad(path: Path, number: int, fault: str) -> InputError:
    return InputError("invalid-table", f"line {number} {fault}", (str(path),))


def read_arpa(path: Path) -> BackoffModel:
    """Read an ARPA file, gzip or not.

    A missing `<unk>` and missing suffixes of n-grams (pruned models) are filled in as by KenLM. InputError (`invalid-table`)
    names file and line of a bad n-gram: one with unlisted words, without its prefix, or with bad numbers.
    """
    words: dict[str, int] = {"<unk>": 0, "<s>": 1, "</s>": 2}
    tables: list[dict[tuple[int, ...], tuple[float, float]]] = []
    lines: list[array[int]] = []
    for section in _sections(path):
        table: dict[tuple[int, ...], tuple[float, float]] = {}
        if not tables:
            if ["<unk>"] not in section.words:
                table[(0,)] = (UNKNOWN_LOG_PROB, 0.0)
            for (word,) in section.words:
                words.setdefault(word, len(words))
        for gram, values, number in zip(section.words, section.values, section.lines, strict=True):
            try:
                ids = tuple([words[word] for word in gram])
            except KeyError:
                raise _bad(path, number, "has a word that is not among the 1-grams") from None
            if ids in table:
                raise _bad(path, number, f"repeats a {len(gram)}-gram")
            table[ids] = values
        tables.append(table)
        lines.append(section.lines)
    if len(tables[0]) != len(words):
        raise InputError("invalid-table", "the ARPA file lacks <s> or </s> among its 1-grams", (str(path),))
    tables[0] = dict(sorted(tables[0].items()))
    _fill(tables)
    orders = []
    below: dict[tuple[int, ...], int] = {}
    for n, table in enumerate(tables):
        try:
            prefix = [below[gram[:-1]] if n else 0 for gram in table]
            suffix = [below[gram[1:]] if n else 0 for gram in table]
        except KeyError:
            raise _without_prefix(path, table, below, lines[n], n + 1) from None
        below = {gram: i for i, gram in enumerate(table)}
        ends = np.array([(gram[0], gram[-1]) for gram in table], np.int64).reshape(-1, 2)
        pairs = np.array(list(table.values())).reshape(-1, 2)
        orders.append(
            OrderTable(np.array(prefix, np.int64), np.array(suffix, np.int64), ends[:, 0], ends[:, 1], pairs[:, 0], pairs[:, 1])
        )
    return BackoffModel(tuple(words), tuple(orders))


def _without_prefix(
    path: Path, table: Iterable[tuple[int, ...]], below: Container[tuple[int, ...]], lines: "array[int]", size: int
) -> InputError:
    """InputError about the first n-gram without its prefix; a completed n-gram has no line."""
    row = next(row for row, gram in enumerate(table) if gram[:-1] not in below)
    if row < len(lines):
        return _bad(path, lines[row], f"has a {size}-gram without the {size - 1}-gram of all its words but the last")
    detail = f"the ARPA file lacks {size - 1}-grams that its longer n-grams begin with"
    return InputError("invalid-table", detail, (str(path),))


def _fill(tables: list[dict[tuple[int, ...], tuple[float, float]]]) -> None:
    """Add missing suffixes of n-grams, with their back-off probabilities."""
    missing_ngrams: list[set[tuple[int, ...]]] = [set() for _ in tables]
    for n in range(len(tables) - 1, 1, -1):
        ends = {gram[1:] for gram in (*tables[n], *missing_ngrams[n])}
        missing_ngrams[n - 1] = ends - tables[n - 1].keys()
    for n, grams in enumerate(missing_ngrams):
        for gram in sorted(grams):
            tables[n][gram] = (tables[n - 1].get(gram[:-1], (0.0, 0.0))[1] + tables[n - 1][gram[1:]][0], 0.0)
