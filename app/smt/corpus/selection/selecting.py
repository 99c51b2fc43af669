"""Selection from a pool into files: a pass for scores, and a pass that writes the selected pairs."""

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
from app.smt.corpus.selection.exemptions import MARK, Exemptions, judged_part
from app.smt.corpus.selection.greedy import Decision, PoolDecisions, TextFilters, choose
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.methods import make_scorer, method_called
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.files import FileScorer
from app.smt.corpus.selection.scorers.parallel_features import FEATURES, ParallelScorer
from app.smt.corpus.selection.scoring import PoolScores, Scorer, score_pool

__all__ = ["TABLE", "Selection", "SelectionFiles", "files_aside", "pair_table", "select_data"]

# Scores are written with all significant digits of 32-bit floats.
DIGITS: Final = 7
BLOCK: Final = 1 << 16
COLUMNS: Final = ("source", "target", "links")
# Name of the output with a table of pairs.
TABLE: Final = "table"
NAMES: Final = {int(decision): f"{decision.word}\n" for decision in Decision}


@dataclass(frozen=True)
class SelectionFiles:
    """Output files: selected pairs and their links; scores, decisions and parallel features of all pairs. `.gz` packs.

    `table` has the selected pairs in columns `source` and `target`, and `links` if the pool has them.
    `domains` is a domain file of the selected pairs.
    """

    source: Path | None = None
    target: Path | None = None
    links: Path | None = None
    scores: Path | None = None
    decisions: Path | None = None
    features: Path | None = None
    table: Path | None = None
    domains: Path | None = None

    @property
    def files(self) -> dict[str, Path]:
        """Files that are set, by name, without that of domains."""
        return {name: path for name, path in vars(self).items() if path is not None and name != "domains"}


@dataclass(frozen=True)
class Selection:
    """Scores of all pairs, numbers of pairs with each decision, and number of source words of selected pairs."""

    scores: PoolScores
    decisions: Mapping[Decision, int]
    words: int


def select_data(
    pool: Pool,
    method: str,
    budget: Budget,
    outputs: SelectionFiles,
    materials: Materials | None = None,
    filters: TextFilters | None = None,
    best_first: bool = False,
    exemptions: Exemptions | None = None,
) -> Selection:
    """Select the best pairs of a pool by a method within a budget; write them unchanged, in order or `best_first`.

    `filters` are those of the method by default. Exempt pairs are always selected, before others and outside the budget. Memory
    holds the models of the method and 9 to 24 bytes for each pair; `best_first` holds the selected text too. InputError of pool,
    method or budget; nothing is written then.
    """
    if not outputs.files.keys() <= {"scores", "decisions"}:
        check_read_again(pool.paths)
    scorer = make_scorer(method, pool, materials or Materials(), budget)
    if outputs.features is not None and not isinstance(scorer, ParallelScorer):
        raise InputError("invalid-request", "only the method la has features; use it, or omit this file", ("--features",))
    scores = score_pool(pool, scorer)
    if isinstance(scorer, FileScorer):
        scorer.end(len(scores))
    exempt = (exemptions or Exemptions()).mask(scores)
    judged_scores, rest_budget = judged_part(scores, budget, exempt)
    choice = choose(pool, judged_scores, rest_budget, filters or method_called(method).filters)
    if exempt.any():
        choice.decisions[exempt] = Decision.SELECTION
        choice = PoolDecisions(choice.decisions, np.concatenate([np.flatnonzero(exempt), choice.order]))
        scores = PoolScores(np.where(exempt, np.float32(MARK), scores.scores), scores.words)
    _write(pool, scores, choice, outputs, best_first, scorer)
    if outputs.domains is not None and exemptions is not None:
        with files_aside({"domains": outputs.domains}) as files:
            files["domains"].write("".join(exemptions.boundaries(choice)).encode())
    counts = np.bincount(choice.decisions, minlength=len(Decision)).tolist()
    return Selection(scores, dict(zip(Decision, counts, strict=True)), int(scores.words[choice.order].sum()))


def _write(
    pool: Pool, scores: PoolScores, choice: PoolDecisions, outputs: SelectionFiles, best_first: bool, scorer: Scorer
) -> None:
    """Write all files; they appear together at the end."""
    file_paths = {name: path for name, path in outputs.files.items() if name != TABLE}
    with files_aside(file_paths) as files, pair_table(outputs.table, pool) as write_table:
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
        selected_lines: dict[int, list[bytes]] = {}
        for chunk in pool.chunks():
            rows = np.flatnonzero(choice.decisions[chunk.first : chunk.first + len(chunk)] == Decision.SELECTION).tolist()
            if best_first:
                selected_lines |= {chunk.first + row: [lines[row] for lines in chunk.lines] for row in rows}
            else:
                for file, column in columns:
                    file.write(b"".join([chunk.lines[column][row] for row in rows]))
                write_table([[lines[row] for row in rows] for lines in chunk.lines])
            if "features" in files and isinstance(scorer, ParallelScorer):
                numbers = scorer.values(chunk).tolist()
                files["features"].write("".join(["\t".join([f"{x:.6f}" for x in row]) + "\n" for row in numbers]).encode())
        for first in range(0, len(choice.order) if best_first else 0, BLOCK):
            best = [selected_lines[place] for place in choice.order[first : first + BLOCK].tolist()]
            for file, column in columns:
                file.write(b"".join([lines[column] for lines in best]))
            write_table([list(lines) for lines in zip(*best, strict=True)])


@contextmanager
def pair_table(path: Path | None, pool: Pool) -> Iterator[WriteRows]:
    """Yield a writer of pairs as rows of a table; without a path it does nothing."""
    if path is None:
        yield lambda columns: None
        return
    with table_aside(path, COLUMNS[: len(pool.paths)]) as write:
        yield write


@contextmanager
def files_aside(paths: Mapping[str, Path]) -> Iterator[dict[str, BinaryIO]]:
    """Yield open files by name, packed if they end in ``.gz``; they appear under their paths when all are complete."""
    with ExitStack() as renaming, ExitStack() as closing:
        asides = {name: renaming.enter_context(file_aside(path)) for name, path in paths.items()}
        yield {name: open_packed(asides[name], path, closing) for name, path in paths.items()}
