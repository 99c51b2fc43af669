"""From a pool to files: one pass for scores, one to write the pairs that were chosen."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from app.building.gzip_files import check_read_again, open_packed
from app.building.text_tables import WriteRows, table_aside
from app.building.writing import file_aside
from app.errors import InputError
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.filters import Choice, Decision, TextFilters, choose
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.methods import make_scorer, method_called
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.given import GivenScorer
from app.smt.corpus.selection.scorers.parallel_features import FEATURES, ParallelScorer
from app.smt.corpus.selection.scoring import PoolScores, Scorer, score_pool

__all__ = ["TABLE", "Outputs", "Selection", "files_aside", "pair_table", "select_data"]

# Scores are written with as many digits as their type has.
DIGITS: Final = 7
BLOCK: Final = 1 << 16
COLUMNS: Final = ("source", "target", "links")
# The output that is a table of pairs.
TABLE: Final = "table"
NAMES: Final = {int(decision): f"{decision.name.lower()}\n" for decision in Decision}


@dataclass(frozen=True)
class Outputs:
    """Files to write: chosen pairs, their links; scores of all pairs, what became of each, its parallel features. `.gz` packs.

    `table` has the chosen pairs in columns `source` and `target`, and `links` where the pool has those.
    """

    source: Path | None = None
    target: Path | None = None
    links: Path | None = None
    scores: Path | None = None
    decisions: Path | None = None
    features: Path | None = None
    table: Path | None = None

    @property
    def files(self) -> dict[str, Path]:
        """Those that are asked for, by name."""
        return {name: path for name, path in vars(self).items() if path is not None}


@dataclass(frozen=True)
class Selection:
    """How many pairs there were, how many had each decision, and words of the source in those that were chosen."""

    total: int
    decisions: Mapping[Decision, int]
    words: int


def select_data(
    pool: Pool,
    method: str,
    budget: Budget,
    outputs: Outputs,
    materials: Materials | None = None,
    filters: TextFilters | None = None,
    best_first: bool = False,
) -> Selection:
    """Choose the best pairs of a pool by a method within a budget, and write them as they were, in their order or `best_first`.

    `filters` are the method's own where none are given. Memory holds what the method learns and 9 to 24 bytes a pair; the chosen
    text too, where the best come first. InputError of pool, method or budget; nothing is written then.
    """
    if not outputs.files.keys() <= {"scores", "decisions"}:
        check_read_again(pool.paths)
    scorer = make_scorer(method, pool, materials or Materials(), budget)
    if outputs.features is not None and not isinstance(scorer, ParallelScorer):
        raise InputError("invalid-request", "the method la has features", ("--features",))
    scores = score_pool(pool, scorer)
    if isinstance(scorer, GivenScorer):
        scorer.end(len(scores))
    choice = choose(pool, scores, budget, filters or method_called(method).filters)
    _write(pool, scores, choice, outputs, best_first, scorer)
    counts = np.bincount(choice.decisions, minlength=len(Decision)).tolist()
    return Selection(len(scores), dict(zip(Decision, counts, strict=True)), int(scores.words[choice.order].sum()))


def _write(pool: Pool, scores: PoolScores, choice: Choice, outputs: Outputs, best_first: bool, scorer: Scorer) -> None:
    """The files are there when all are written."""
    named = {name: path for name, path in outputs.files.items() if name != TABLE}
    with files_aside(named) as files, pair_table(outputs.table, pool) as write_table:
        for first in range(0, len(scores), BLOCK):
            if "scores" in files:
                values = scores.scores[first : first + BLOCK].tolist()
                files["scores"].write("".join([f"{score:.{DIGITS}g}\n" for score in values]).encode())
            if "decisions" in files:
                decisions = choice.decisions[first : first + BLOCK].tolist()
                files["decisions"].write("".join([NAMES[decision] for decision in decisions]).encode())
        if outputs.files.keys() <= {"scores", "decisions"}:
            return
        if "features" in files:
            files["features"].write(("\t".join(FEATURES) + "\n").encode())
        columns = [(files[name], number) for number, name in enumerate(("source", "target", "links")) if name in files]
        held: dict[int, list[bytes]] = {}
        for chunk in pool.chunks():
            rows = np.flatnonzero(choice.decisions[chunk.first : chunk.first + len(chunk)] == Decision.CHOSEN).tolist()
            if best_first:
                held |= {chunk.first + row: [lines[row] for lines in chunk.lines] for row in rows}
            else:
                for file, column in columns:
                    file.write(b"".join([chunk.lines[column][row] for row in rows]))
                write_table([[lines[row] for row in rows] for lines in chunk.lines])
            if "features" in files and isinstance(scorer, ParallelScorer):
                numbers = scorer.values(chunk).tolist()
                files["features"].write("".join(["\t".join([f"{x:.6f}" for x in row]) + "\n" for row in numbers]).encode())
        for first in range(0, len(choice.order) if best_first else 0, BLOCK):
            best = [held[place] for place in choice.order[first : first + BLOCK].tolist()]
            for file, column in columns:
                file.write(b"".join([lines[column] for lines in best]))
            write_table([list(lines) for lines in zip(*best, strict=True)])


@contextmanager
def pair_table(path: Path | None, pool: Pool) -> Iterator[WriteRows]:
    """Where lines of a pool's files go as rows of a table, if one is asked for."""
    if path is None:
        yield lambda columns: None
        return
    with table_aside(path, COLUMNS[: len(pool.paths)]) as write:
        yield write


@contextmanager
def files_aside(paths: Mapping[str, Path]) -> Iterator[dict[str, BinaryIO]]:
    """Open files by name, packed where they end in ``.gz``; each takes its place when all are whole."""
    with ExitStack() as renamed, ExitStack() as closed:
        asides = {name: renamed.enter_context(file_aside(path)) for name, path in paths.items()}
        yield {name: open_packed(asides[name], path, closed) for name, path in paths.items()}
