"""Resources of selectors beside the pool: in-domain texts, general texts, models, and samples of the pool."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

import numpy as np

from app.errors import InputError
from app.smt.corpus.selection.pool import Pool, read_side
from app.smt.corpus.selection.scorers.plain import draw
from app.text.batch import TokenColumn, pack_tokenised
from app.text.parallel_corpus import ParallelCorpus

__all__ = ["OPTION_OF", "Materials", "inside", "read_pairs", "sample_pool"]

# Options of the shell for these files.
OPTION_OF: Final = {
    "inside_source": "--in-source",
    "inside_target": "--in-target",
    "outside_source": "--general-source",
    "outside_target": "--general-target",
    "model_source": "--lm-source",
    "model_target": "--lm-target",
    "parallel_source": "--train-source",
    "parallel_target": "--train-target",
    "aligner": "--aligner",
    "score_file": "--given",
    "inside_links": "--in-links",
    "function_words": "--function-words",
    "n_best": "--n-best",
    "wanted_n_best": "--wanted-n-best",
}


@dataclass(frozen=True)
class Materials:
    """Files by role: `inside` texts are in-domain, `outside` texts general."""

    inside_source: Path | None = None
    inside_target: Path | None = None
    outside_source: Path | None = None
    outside_target: Path | None = None
    model_source: Path | None = None
    model_target: Path | None = None
    parallel_source: Path | None = None
    parallel_target: Path | None = None
    aligner: Path | None = None
    score_file: Path | None = None
    inside_links: Path | None = None
    function_words: tuple[str, ...] | None = None
    n_best: Path | None = None
    wanted_n_best: Path | None = None

    @property
    def names(self) -> set[str]:
        """Names of the files that are set."""
        return {field.name for field in fields(self) if getattr(self, field.name) is not None}

    def refuse_unused(self, uses: frozenset[str], method: str) -> None:
        """InputError for a file that a method does not use."""
        surplus = sorted(OPTION_OF[name] for name in self.names - uses)
        if surplus:
            raise InputError("invalid-request", f"{method} has no use for this file", (surplus[0],))

    def path(self, name: str, method: str) -> Path:
        """File of a name; InputError (`invalid-request`) names the missing option."""
        path: Path | None = getattr(self, name)
        if path is None:
            raise InputError("invalid-request", f"{method} needs this file", (OPTION_OF[name],))
        return path


def read_pairs(source: Path, target: Path, size: int) -> ParallelCorpus:
    """Pairs of two texts, or a reproducible sample of `size` pairs if the texts have more."""
    return sample_pool(Pool(source, target), size, 0)


def sample_pool(pool: Pool, size: int, seed: int) -> ParallelCorpus:
    """Pairs with words on both sides, or a sample of `size` of them, in order. Memory holds up to twice this number."""
    sample: list[tuple[float, str, str]] = []
    bound = np.inf
    for chunk in pool.chunks():
        numbers = draw(chunk.first + np.arange(len(chunk)), seed)
        rows = np.flatnonzero(chunk.usable & (numbers < bound))
        sides = [_texts(side.rows(rows)) for side in (chunk.pairs.source, chunk.pairs.target)]
        sample += zip(numbers[rows].tolist(), *sides, strict=True)
        if len(sample) > 2 * size:
            sample, bound = _lowest(sample, size)
    if len(sample) > size:
        sample, _ = _lowest(sample, size)
    return ParallelCorpus(pack_tokenised(source for _, source, _ in sample), pack_tokenised(target for _, _, target in sample))


def _lowest(rows: list[tuple[float, str, str]], size: int) -> tuple[list[tuple[float, str, str]], float]:
    bound = sorted(row[0] for row in rows)[size]
    return [row for row in rows if row[0] < bound], bound


def _texts(column: TokenColumn) -> list[str]:
    words = list(column.vocabulary)
    ids, offsets = column.ids.tolist(), column.offsets.tolist()
    return [" ".join([words[word] for word in ids[offsets[row] : offsets[row + 1]]]) for row in range(len(column))]


def inside(materials: Materials, side: int, method: str) -> TokenColumn:
    """In-domain text of a side."""
    return read_side(materials.path(("inside_source", "inside_target")[side], method))
