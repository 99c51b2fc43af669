"""ARPA text: writing a BackoffModel and reading one back."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from app.corpus.kneser_ney import BackoffModel, OrderTable
from app.errors import InputError

__all__ = ["read_arpa", "write_arpa"]


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
    """Read an ARPA file (gzip by its ``.gz``), every n-gram's prefix and suffix being listed too."""
    words: dict[str, int] = {"<unk>": 0, "<s>": 1, "</s>": 2}
    index: dict[tuple[int, ...], int] = {}
    orders: list[OrderTable] = []
    with _open(path) as lines:
        for size, rows in _sections(lines):
            below = index
            index = {}
            if size == 1:
                for row in rows:
                    words.setdefault(row[1], len(words))
            ids = [tuple(words.get(word, 0) for word in row[1].split(" ")) for row in rows]
            if size == 1:
                order = np.argsort([i[0] for i in ids], kind="stable")
                rows, ids = [rows[i] for i in order], [ids[i] for i in order]
            index = {gram: i for i, gram in enumerate(ids)}
            try:
                prefix = [below[gram[:-1]] if size > 1 else 0 for gram in ids]
                suffix = [below[gram[1:]] if size > 1 else 0 for gram in ids]
            except KeyError:
                raise InputError("invalid-table", f"an {size}-gram of the ARPA file lacks its shorter n-grams") from None
            orders.append(
                OrderTable(
                    np.array(prefix, np.int64),
                    np.array(suffix, np.int64),
                    np.array([gram[0] for gram in ids], np.int64),
                    np.array([gram[-1] for gram in ids], np.int64),
                    np.array([float(row[0]) for row in rows]),
                    np.array([float(row[2]) if len(row) > 2 else 0.0 for row in rows]),
                )
            )
    if not orders or len(orders[0].last) != len(words):
        raise InputError("invalid-table", "the ARPA file lacks its unigrams, <unk>, <s> or </s>")
    return BackoffModel(tuple(words), tuple(orders))
