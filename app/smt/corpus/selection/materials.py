"""Resources of selectors beside the pool: in-domain texts, general texts, models, and samples of the pool."""

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from app.errors import InputError
from app.smt.corpus.selection.pool import Pool, read_side
from app.smt.corpus.selection.scorers.plain import draw
from app.text.batch import TokenColumn, pack_tokenised
from app.text.parallel_corpus import ParallelCorpus

__all__ = ["Materials", "inside", "option_of", "read_pairs", "sample_pool"]


@dataclass(frozen=True)
class Materials:
    """Files of a selection, named like the options of `assay corpus select`: `in` texts are in-domain."""

    in_source: Path | None = None
    in_target: Path | None = None
    general_source: Path | None = None
    general_target: Path | None = None
    lm_source: Path | None = None
    lm_target: Path | None = None
    train_source: Path | None = None
    train_target: Path | None = None
    aligner: Path | None = None
    score_file: Path | None = None
    in_links: Path | None = None
    function_words: tuple[str, ...] | None = None
    n_best: Path | None = None
    wanted_n_best: Path | None = None

    @property
    def names(self) -> set[str]:
        """Names of the files that are set."""
        return {field.name for field in fields(self) if getattr(self, field.name) is not None}

    def refuse_unused(self, uses: frozenset[str], method: str) -> None:
        """InputError for a file that a method does not use."""
        surplus = sorted(option_of(name) for name in self.names - uses)
        if surplus:
            raise InputError("invalid-request", f"{method} has no use for this file", (surplus[0],))

    def path(self, name: str, method: str) -> Path:
        """File of a name; InputError (`invalid-request`) names the missing option."""
        path: Path | None = getattr(self, name)
        if path is None:
            raise InputError("invalid-request", f"{method} needs this file", (option_of(name),))
        return path


def option_of(name: str) -> str:
    """Option of the shell for a file of `Materials`."""
    return "--given" if name == "score_file" else f"--{name.replace('_', '-')}"


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
    return read_side(materials.path(("in_source", "in_target")[side], method))
