"""What selectors are given beside the pool: texts of the domain, other texts, models, and samples of the pool itself."""

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

# What options of the shell call these files.
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
    "given": "--given",
    "inside_links": "--in-links",
    "function_words": "--function-words",
    "n_best": "--n-best",
    "wanted_n_best": "--wanted-n-best",
}


@dataclass(frozen=True)
class Materials:
    """Files by what they are for; the texts in `inside` are of the domain, those in `outside` of everything."""

    inside_source: Path | None = None
    inside_target: Path | None = None
    outside_source: Path | None = None
    outside_target: Path | None = None
    model_source: Path | None = None
    model_target: Path | None = None
    parallel_source: Path | None = None
    parallel_target: Path | None = None
    aligner: Path | None = None
    given: Path | None = None
    inside_links: Path | None = None
    function_words: tuple[str, ...] | None = None
    n_best: Path | None = None
    wanted_n_best: Path | None = None

    @property
    def there(self) -> set[str]:
        """The names of files that are given."""
        return {field.name for field in fields(self) if getattr(self, field.name) is not None}

    def refuse_others(self, used: frozenset[str], method: str) -> None:
        """InputError where a file is given that a method has no use for."""
        others = sorted(OPTION_OF[name] for name in self.there - used)
        if others:
            raise InputError("invalid-request", f"{method} has no use for this file", (others[0],))

    def path(self, name: str, method: str) -> Path:
        """The file of this name; InputError (`invalid-request`) says which option a method needs."""
        path: Path | None = getattr(self, name)
        if path is None:
            raise InputError("invalid-request", f"{method} needs this file", (OPTION_OF[name],))
        return path


def read_pairs(source: Path, target: Path, most: int) -> ParallelCorpus:
    """The words of two texts, of which `most` pairs are drawn where there are more; the same each time."""
    return sample_pool(Pool(source, target), most, 0)


def sample_pool(pool: Pool, most: int, seed: int) -> ParallelCorpus:
    """The pairs with words on both sides, or `most` of them that are drawn, in their order. Memory holds twice as many at most."""
    kept: list[tuple[float, str, str]] = []
    bound = np.inf
    for chunk in pool.chunks():
        numbers = draw(chunk.first + np.arange(len(chunk)), seed)
        rows = np.flatnonzero(chunk.usable & (numbers < bound))
        sides = [_texts(side.rows(rows)) for side in (chunk.pairs.source, chunk.pairs.target)]
        kept += zip(numbers[rows].tolist(), *sides, strict=True)
        if len(kept) > 2 * most:
            kept, bound = _lowest(kept, most)
    if len(kept) > most:
        kept, _ = _lowest(kept, most)
    return ParallelCorpus(pack_tokenised(source for _, source, _ in kept), pack_tokenised(target for _, _, target in kept))


def _lowest(rows: list[tuple[float, str, str]], most: int) -> tuple[list[tuple[float, str, str]], float]:
    bound = sorted(row[0] for row in rows)[most]
    return [row for row in rows if row[0] < bound], bound


def _texts(column: TokenColumn) -> list[str]:
    words = list(column.vocabulary)
    ids, offsets = column.ids.tolist(), column.offsets.tolist()
    return [" ".join([words[word] for word in ids[offsets[row] : offsets[row + 1]]]) for row in range(len(column))]


def inside(materials: Materials, side: int, method: str) -> TokenColumn:
    """The text of the domain on a side."""
    return read_side(materials.path(("inside_source", "inside_target")[side], method))
