"""Filtering parallel text by rules, and leaving out repeated and known pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import UInt8s, UInt64s
from app.smt.corpus.selection.pool import Pool, PoolChunk
from app.smt.corpus.selection.rules import Pair, Rule
from app.smt.corpus.selection.selecting import TABLE, files_aside, pair_table
from app.text.reading.lines import decode_text

__all__ = ["KNOWN", "REPEATED", "Filtered", "Same", "filter_pairs"]

KEPT: Final = "kept"
KNOWN: Final = "known"
REPEATED: Final = "repeated"


class Same(IntEnum):
    """The sides by which pairs are equal: both, or one."""

    BOTH = 2
    SOURCE = 0
    TARGET = 1


@dataclass(frozen=True)
class Filtered:
    """The number of pairs, of pairs that were kept, and of pairs left out by each rule, by its name."""

    total: int
    kept: int
    faults: Mapping[str, int]


def filter_pairs(
    pool: Pool,
    rules: Sequence[Rule],
    outputs: Mapping[str, Path],
    others: Sequence[Pool] = (),
    same: Same = Same.BOTH,
    unique: bool = False,
) -> Filtered:
    """Write the pairs that keep all rules, in their order and unchanged; `outputs` are source, target, links, decisions and table.

    Pairs of `others` are left out as known, and with `unique` all but the first of equal pairs as repeated; `same` says by which
    side. Two passes; memory is a byte a pair, 8 more with `unique` or `others`, and 8 a known pair. InputError as of the pools.
    """
    active = [rule for rule in rules if rule.active]
    names = [KEPT, *(rule.name for rule in active), KNOWN, REPEATED]
    faults, keys = [], []
    for chunk in pool.chunks():
        faults.append(_judged(chunk, active))
        keys.append(_keys(chunk, same) if others or unique else np.zeros(0, np.uint64))
    decisions = np.concatenate(faults)
    if others:
        rows = np.flatnonzero(decisions == 0)
        others_keys = np.concatenate([_keys(chunk, same) for other in others for chunk in other.chunks()])
        decisions[rows[np.isin(np.concatenate(keys)[rows], others_keys)]] = names.index(KNOWN)
    if unique:
        rows = np.flatnonzero(decisions == 0)
        _, first = np.unique(np.concatenate(keys)[rows], return_index=True)
        decisions[np.delete(rows, first)] = names.index(REPEATED)
    _write(pool, decisions, names, outputs)
    counts = dict(zip(names, np.bincount(decisions, minlength=len(names)).tolist(), strict=True))
    return Filtered(len(decisions), counts.pop(KEPT), counts)


def _judged(chunk: PoolChunk, rules: Sequence[Rule]) -> UInt8s:
    """The number of the first rule that each pair breaks, from 1; 0 where it keeps all."""
    texts = [
        [decode_text(line, str(path), number) for number, line in enumerate(lines, chunk.first + 1)]
        for path, lines in zip(chunk.paths[:2], chunk.lines[:2], strict=True)
    ]
    numbered = list(enumerate(rules, 1))
    pairs = (Pair(*texts) for texts in zip(*texts, strict=True))
    return np.array([next((number for number, rule in numbered if not rule.accept(pair)), 0) for pair in pairs], np.uint8)


def _keys(chunk: PoolChunk, same: Same) -> UInt64s:
    sides = chunk.lines[:2] if same is Same.BOTH else chunk.lines[same : same + 1]
    # A newline joins the sides, so that no two pairs have the same bytes; ends of lines are no difference of texts.
    rows = (b"\n".join([line.rstrip(b"\r\n") for line in row]) for row in zip(*sides, strict=True))
    digests = b"".join([blake2b(row, digest_size=8).digest() for row in rows])
    return np.frombuffer(digests, np.uint64)


def _write(pool: Pool, decisions: UInt8s, names: Sequence[str], outputs: Mapping[str, Path]) -> None:
    lines = [f"{name}\n" for name in names]
    named = {name: path for name, path in outputs.items() if name != TABLE}
    with files_aside(named) as files, pair_table(outputs.get(TABLE), pool) as write_table:
        if "decisions" in files:
            for first in range(0, len(decisions), 1 << 16):
                files["decisions"].write("".join([lines[code] for code in decisions[first : first + (1 << 16)].tolist()]).encode())
        columns = [(files[name], number) for number, name in enumerate(("source", "target", "links")) if name in files]
        for chunk in pool.chunks() if columns or TABLE in outputs else ():
            rows = np.flatnonzero(decisions[chunk.first : chunk.first + len(chunk)] == 0).tolist()
            for file, column in columns:
                file.write(b"".join([chunk.lines[column][row] for row in rows]))
            write_table([[lines[row] for row in rows] for lines in chunk.lines])
