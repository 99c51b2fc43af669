"""From a pool to files: one pass for scores, one to write the pairs that were chosen."""

import gzip
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from app.arrays import Bools
from app.corpus.selection.choice import Budget, choose_best
from app.corpus.selection.given import GivenScorer
from app.corpus.selection.materials import Materials
from app.corpus.selection.methods import make_scorer
from app.corpus.selection.pool import Pool
from app.corpus.selection.scoring import PoolScores, score_pool

__all__ = ["Outputs", "Selection", "select_data", "write_chosen"]

# Scores are written with as many digits as their type has.
DIGITS = 7


@dataclass(frozen=True)
class Outputs:
    """Files to write: chosen pairs, their links, and the scores of all pairs. `.gz` packs."""

    source: Path | None = None
    target: Path | None = None
    links: Path | None = None
    scores: Path | None = None

    @property
    def files(self) -> dict[str, Path]:
        """Those that are asked for, by name."""
        return {name: path for name, path in vars(self).items() if path is not None}


@dataclass(frozen=True)
class Selection:
    """How many pairs there were, could be chosen and were chosen, and words of the source in the last."""

    total: int
    usable: int
    chosen: int
    words: int


def select_data(pool: Pool, method: str, budget: Budget, outputs: Outputs, materials: Materials | None = None) -> Selection:
    """Choose the best pairs of a pool by a method within a budget, and write them in their order, as they were written.

    Memory holds what the method learns and 8 to 24 bytes a pair. InputError of pool, method or budget; nothing is written then.
    """
    scorer = make_scorer(method, pool, materials or Materials())
    scores = score_pool(pool, scorer)
    if isinstance(scorer, GivenScorer):
        scorer.end(len(scores))
    chosen = choose_best(scores, budget)
    write_chosen(pool, scores, chosen, outputs)
    return Selection(len(scores), int((scores.scores > -np.inf).sum()), int(chosen.sum()), int(scores.words[chosen].sum()))


def write_chosen(pool: Pool, scores: PoolScores, chosen: Bools, outputs: Outputs) -> None:
    """Write chosen pairs in the order of the pool, and scores of all; the files are there when all are written."""
    wanted = [(name, outputs.files[name]) for name in ("source", "target", "links") if name in outputs.files]
    columns = [("source", "target", "links").index(name) for name, _ in wanted]
    with _written([path for _, path in wanted] + ([outputs.scores] if outputs.scores else [])) as files:
        if outputs.scores:
            for first in range(0, len(scores), 1 << 16):
                lines = [f"{score:.{DIGITS}g}\n" for score in scores.scores[first : first + (1 << 16)].tolist()]
                files[-1].write("".join(lines).encode())
        if not columns:
            return
        for chunk in pool.chunks():
            rows = np.flatnonzero(chosen[chunk.first : chunk.first + len(chunk)]).tolist()
            for file, column in zip(files, columns, strict=False):
                lines_of = chunk.lines[column]
                file.write(b"".join([lines_of[row] for row in rows]))


@contextmanager
def _written(paths: Sequence[Path]) -> Iterator[list[BinaryIO]]:
    """Open files, packed where they end in ``.gz``; each takes its place when all are whole."""
    asides = [path.with_name(f".{secrets.token_hex(8)}.new") for path in paths]
    try:
        with ExitStack() as stack:
            files: list[BinaryIO] = []
            for path, aside in zip(paths, asides, strict=True):
                plain = stack.enter_context(aside.open("wb"))
                # Without a time in it, the same pairs are the same bytes.
                packed = stack.enter_context(gzip.GzipFile("", "wb", 6, plain, 0)) if path.suffix == ".gz" else plain
                files.append(packed)  # type: ignore[arg-type]
            yield files
        for aside in asides:
            _sync(aside)
        for path, aside in zip(paths, asides, strict=True):
            aside.replace(path)
    finally:
        for aside in asides:
            aside.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
