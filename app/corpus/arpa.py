"""ARPA text: writing a BackoffModel and reading one back."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from app.corpus.kneser_ney import BackoffModel, OrderTable
from app.errors import InputError

__all__ = ["read_arpa", "write_arpa"]

# What KenLM says of unknown words where a file does not list them.
UNLISTED = "-100"


def write_arpa(model: BackoffModel, path: Path) -> None:
    """Write `model` as ARPA; seven decimals, back-offs at every order but the highest."""
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


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="\n")
    return path.open(encoding="utf-8", newline="\n")


def _sections(lines: IO[str]) -> Iterator[tuple[int, list[list[str]]]]:
    size = 0
    rows: list[list[str]] = []
    for line in lines:
        line = line.rstrip("\r\n")
        if line.endswith("-grams:") and line.startswith("\\"):
            if size:
                yield size, rows
            size, rows = int(line[1 : line.index("-")]), []
        elif size and "\t" in line:
            rows.append(line.split("\t"))
    yield size, rows


def read_arpa(path: Path) -> BackoffModel:
    """Read an ARPA file (gzip by its ``.gz``).

    Unknown words need not be listed, and n-grams may lack their ends, as in models that were pruned: both are made up for as KenLM
    does. InputError where an n-gram lacks the words before its last one.
    """
    words: dict[str, int] = {"<unk>": 0, "<s>": 1, "</s>": 2}
    tables: list[dict[tuple[int, ...], tuple[float, float]]] = []
    with _open(path) as lines:
        for size, rows in _sections(lines):
            if size == 1:
                if all(row[1] != "<unk>" for row in rows):
                    rows.insert(0, [UNLISTED, "<unk>"])
                for row in rows:
                    words.setdefault(row[1], len(words))
            ids = (tuple(words.get(word, 0) for word in row[1].split(" ")) for row in rows)
            numbers = ((float(row[0]), float(row[2]) if len(row) > 2 else 0.0) for row in rows)
            tables.append(dict(zip(ids, numbers, strict=True)))
    if not tables or len(tables[0]) != len(words):
        raise InputError("invalid-table", "the ARPA file lacks its unigrams, <s> or </s>")
    tables[0] = dict(sorted(tables[0].items()))
    _fill(tables)
    orders = []
    below: dict[tuple[int, ...], int] = {}
    for n, table in enumerate(tables):
        try:
            prefix = [below[gram[:-1]] if n else 0 for gram in table]
            suffix = [below[gram[1:]] if n else 0 for gram in table]
        except KeyError:
            raise InputError("invalid-table", f"an {n + 1}-gram of the ARPA file lacks the words before its last one") from None
        below = {gram: i for i, gram in enumerate(table)}
        ends = np.array([(gram[0], gram[-1]) for gram in table], np.int64).reshape(-1, 2)
        values = np.array(list(table.values())).reshape(-1, 2)
        orders.append(
            OrderTable(np.array(prefix, np.int64), np.array(suffix, np.int64), ends[:, 0], ends[:, 1], values[:, 0], values[:, 1])
        )
    return BackoffModel(tuple(words), tuple(orders))


def _fill(tables: list[dict[tuple[int, ...], tuple[float, float]]]) -> None:
    """Give every n-gram its end, with the probability that a model has for it that backs off."""
    lacking: list[set[tuple[int, ...]]] = [set() for _ in tables]
    for n in range(len(tables) - 1, 1, -1):
        ends = {gram[1:] for gram in (*tables[n], *lacking[n])}
        lacking[n - 1] = ends - tables[n - 1].keys()
    for n, grams in enumerate(lacking):
        for gram in sorted(grams):
            tables[n][gram] = (tables[n - 1].get(gram[:-1], (0.0, 0.0))[1] + tables[n - 1][gram[1:]][0], 0.0)
