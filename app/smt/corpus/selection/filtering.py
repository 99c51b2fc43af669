"""Filtering of parallel text by rules, and removal of repeated and known pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Bools, UInt8s, UInt64s
from app.errors import InputError
from app.smt.corpus.selection.filter_report import FilterReport
from app.smt.corpus.selection.pool import Pool, PoolChunk
from app.smt.corpus.selection.rules import Rule, SentencePair
from app.smt.corpus.selection.selecting import TABLE, files_aside, pair_table
from app.text.reading.lines import decode_text

__all__ = ["KNOWN_PAIR", "REPETITION", "EqualSides", "FilterCounts", "broken_rules", "filter_pairs"]

ACCEPTANCE: Final = "kept"
KNOWN_PAIR: Final = "known"
REPETITION: Final = "repeated"


class EqualSides(IntEnum):
    """Sides that decide if two pairs are equal."""

    PAIR = 2
    SOURCE = 0
    TARGET = 1


@dataclass(frozen=True)
class FilterCounts:
    """Numbers of all pairs, of passed pairs, and of pairs that each rule leaves out, by its name."""

    total: int
    pass_count: int
    faults: Mapping[str, int]


def filter_pairs(
    pool: Pool,
    rules: Sequence[Rule],
    outputs: Mapping[str, Path],
    known_pools: Sequence[Pool] = (),
    equal_sides: EqualSides = EqualSides.PAIR,
    unique: bool = False,
    report: FilterReport | None = None,
    corpora: Sequence[str] | None = None,
) -> FilterCounts:
    """Write the pairs that pass all rules, in order and unchanged. Keys of `outputs`: source, target, links, decisions, table.

    Pairs of `known_pools` are left out as known; `unique` leaves out repetitions of a pair. `equal_sides` defines equality. Two
    passes. `report` gets all broken rules of each pair, in place of the first, and its name among `corpora`. Memory is a byte for
    each pair, 8 more with `unique` or `known_pools`, and 8 for each known pair. Errors are those of pools, and
    `unequal-lengths` for `corpora`.
    """
    active = [rule for rule in rules if rule.active]
    names = [ACCEPTANCE, *(rule.name for rule in active), KNOWN_PAIR, REPETITION]
    faults, keys = [], []
    for chunk in pool.chunks():
        faults.append(_broken_rules(chunk, active, report, corpora))
        keys.append(_keys(chunk, equal_sides) if known_pools or unique else np.zeros(0, np.uint64))
    decisions = np.concatenate(faults)
    if corpora is not None and len(corpora) != len(decisions):
        detail = f"there are {len(corpora)} names of corpora for {len(decisions)} pairs"
        raise InputError("unequal-lengths", detail, ("--corpora",))
    if known_pools:
        rows = np.flatnonzero(decisions == 0)
        known_keys = np.concatenate([_keys(chunk, equal_sides) for known_pool in known_pools for chunk in known_pool.chunks()])
        decisions[rows[np.isin(np.concatenate(keys)[rows], known_keys)]] = names.index(KNOWN_PAIR)
    if unique:
        rows = np.flatnonzero(decisions == 0)
        _, first = np.unique(np.concatenate(keys)[rows], return_index=True)
        decisions[np.delete(rows, first)] = names.index(REPETITION)
    _write(pool, decisions, names, outputs)
    counts = dict(zip(names, np.bincount(decisions, minlength=len(names)).tolist(), strict=True))
    return FilterCounts(len(decisions), counts.pop(ACCEPTANCE), counts)


def broken_rules(rules: Sequence[Rule], texts: Sequence[Sequence[str]]) -> Bools:
    """Mask (pairs, rules) of the rules that pairs of both texts break."""
    pairs = (SentencePair(*pair) for pair in zip(*texts, strict=True))
    return np.array([[not rule.accept(pair) for rule in rules] for pair in pairs], bool).reshape(-1, len(rules))


def _broken_rules(chunk: PoolChunk, rules: Sequence[Rule], report: FilterReport | None, corpora: Sequence[str] | None) -> UInt8s:
    """Number of the first rule that each pair breaks, from 1, or 0; shape (pairs,)."""
    texts = [
        [decode_text(line, str(path), number).rstrip("\r\n") for number, line in enumerate(lines, chunk.first + 1)]
        for path, lines in zip(chunk.paths[:2], chunk.lines[:2], strict=True)
    ]
    if report is not None:
        broken = broken_rules(rules, texts)
        names = None if corpora is None else [*corpora[chunk.first : chunk.first + len(chunk)], *[""] * len(chunk)][: len(chunk)]
        report.add(broken, texts, names)
        return np.where(broken.any(1), broken.argmax(1) + 1, 0).astype(np.uint8)
    rule_numbers = list(enumerate(rules, 1))
    pairs = (SentencePair(*texts) for texts in zip(*texts, strict=True))
    return np.array([next((number for number, rule in rule_numbers if not rule.accept(pair)), 0) for pair in pairs], np.uint8)


def _keys(chunk: PoolChunk, equal_sides: EqualSides) -> UInt64s:
    sides = chunk.lines[:2] if equal_sides is EqualSides.PAIR else chunk.lines[equal_sides : equal_sides + 1]
    # A newline joins the sides, so that different pairs have different bytes; ends of lines do not count.
    rows = (b"\n".join([line.rstrip(b"\r\n") for line in row]) for row in zip(*sides, strict=True))
    digests = b"".join([blake2b(row, digest_size=8).digest() for row in rows])
    return np.frombuffer(digests, np.uint64)


def _write(pool: Pool, decisions: UInt8s, names: Sequence[str], outputs: Mapping[str, Path]) -> None:
    lines = [f"{name}\n" for name in names]
    file_paths = {name: path for name, path in outputs.items() if name != TABLE}
    with files_aside(file_paths) as files, pair_table(outputs.get(TABLE), pool) as write_table:
        if "decisions" in files:
            for first in range(0, len(decisions), 1 << 16):
                files["decisions"].write("".join([lines[code] for code in decisions[first : first + (1 << 16)].tolist()]).encode())
        columns = [(files[name], number) for number, name in enumerate(("source", "target", "links")) if name in files]
        for chunk in pool.chunks() if columns or TABLE in outputs else ():
            rows = np.flatnonzero(decisions[chunk.first : chunk.first + len(chunk)] == 0).tolist()
            for file, column in columns:
                file.write(b"".join([chunk.lines[column][row] for row in rows]))
            write_table([[lines[row] for row in rows] for lines in chunk.lines])
