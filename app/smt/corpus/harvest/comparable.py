"""Pairs of sentences out of texts on the same matters: retrieval by automatic translations, then TER (Schwenk et al. 2011)."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_matrix

from app.arrays import Bools, Float64s, Int64s
from app.building.line_files import read_lines
from app.building.writing import check_apart, check_new, written_aside
from app.metrics.registry import metric_named
from app.smt.corpus.phrases.aligned_chunks import MOST_WORDS
from app.smt.corpus.weighting.columns import check_rows, read_days
from app.text.batch import TokenColumn, pack_lines
from app.text.reading.lines import decode_text

__all__ = ["Limits", "Mined", "mine_files", "mined_pairs"]

# Products of sentences that are held together, nearly all of which are some number: 12 bytes each.
PRODUCTS: Final = 20_000_000
# A word that more sentences have tells none of them.
COMMONEST: Final = 0.2


@dataclass(frozen=True)
class Limits:
    """What a pair may be: `candidates` that are looked at for a sentence, highest `ter` (0.75 is three edits in four words) and
    `ratio` of lengths, highest share of words with digits, days between both."""

    candidates: int = 10
    ter: float = 0.75
    ratio: float = 2.0
    numbers: float = 0.5
    days: int = 5


@dataclass(frozen=True)
class Mined:
    """Sentences of the source and of the target that were paired, with the TER and the cosine of each pair."""

    sources: Int64s
    targets: Int64s
    ter: Float64s
    cosine: Float64s

    def __len__(self) -> int:
        return len(self.sources)


def mined_pairs(
    translations: Sequence[str], target: Sequence[str], limits: Limits = Limits(), days: tuple[Int64s, Int64s] | None = None
) -> Mined:
    """For each automatic translation the sentence of the target text with the lowest TER against it, where that is within limits.

    Candidates are those with the highest cosine of TF-IDF vectors (tf as it is, idf ln(n / df)), of sentences within `days` where
    there are dates. TER is that of the candidate, with the translation as its reference. A target sentence may be paired more than
    once; one of more than `MOST_WORDS` words is no sentence, and never paired.
    """
    documents, queries = pack_lines(target), pack_lines(translations)
    index = {word: k for k, word in enumerate(documents.vocabulary)}
    counted = _counted(documents, np.arange(len(index)), len(index))
    frequency = np.bincount(counted.indices, minlength=len(index))
    idf = np.where(frequency <= max(1, COMMONEST * len(target)), np.log(max(len(target), 1) / np.maximum(frequency, 1)), 0.0)
    vectors = _normalised(counted, idf)
    of_query = np.array([index.get(word, -1) for word in queries.vocabulary], np.int64)
    wanted = _normalised(_counted(queries, of_query, len(index)), idf)
    sources, targets, cosines = [], [], []
    block = max(1, min(500, PRODUCTS // max(1, vectors.shape[0])))
    for first in range(0, len(translations), block):
        likeness = (wanted[first : first + block] @ vectors.T).tocsr()
        for row in range(likeness.shape[0]):
            places = likeness.indices[likeness.indptr[row] : likeness.indptr[row + 1]]
            values = likeness.data[likeness.indptr[row] : likeness.indptr[row + 1]]
            if days is not None:
                near = np.abs(days[1][places] - days[0][first + row]) <= limits.days
                places, values = places[near], values[near]
            best = np.lexsort((places, -values))[: limits.candidates]
            sources.append(np.full(len(best), first + row))
            targets.append(places[best])
            cosines.append(values[best])
    rows, columns = (np.concatenate(part).astype(np.int64) if part else np.zeros(0, np.int64) for part in (sources, targets))
    cosine = np.concatenate(cosines) if cosines else np.zeros(0)
    usable = _usable(queries, documents, rows, columns, limits)
    rows, columns, cosine = rows[usable], columns[usable], cosine[usable]
    if not len(rows):
        return Mined(rows, columns, cosine, cosine)
    metric = metric_named("ter")
    statistics = metric.prepare([list(translations)]).statistics([target[k] for k in columns], rows)
    ter = metric.segment_scores(statistics) / 100
    order = np.lexsort((-cosine, ter, rows))
    chosen = order[np.concatenate([[True], np.diff(rows[order]) > 0])]
    chosen = chosen[ter[chosen] < limits.ter]
    return Mined(rows[chosen], columns[chosen], ter[chosen], cosine[chosen])


def _counted(column: TokenColumn, names: Int64s, words: int) -> Any:
    ids = names[column.ids]
    inside = ids >= 0
    return csr_matrix((np.ones(int(inside.sum())), (column.segments[inside], ids[inside])), (len(column), words))


def _normalised(counts: Any, idf: Float64s) -> Any:
    vectors = counts.copy()
    vectors.data *= idf[vectors.indices]
    rows = np.repeat(np.arange(vectors.shape[0]), np.diff(vectors.indptr))
    lengths = np.sqrt(np.bincount(rows, vectors.data**2, vectors.shape[0]))
    vectors.data /= np.maximum(lengths[rows], np.finfo(np.float64).tiny)
    vectors.eliminate_zeros()
    return vectors


def _usable(queries: TokenColumn, documents: TokenColumn, rows: Int64s, columns: Int64s, limits: Limits) -> Bools:
    one, other = queries.lengths[rows].astype(np.float64), documents.lengths[columns].astype(np.float64)
    digits = np.array([any(letter.isdigit() for letter in word) for word in documents.vocabulary], np.bool_)
    share = np.bincount(documents.segments, digits[documents.ids], len(documents)) / np.maximum(documents.lengths, 1)
    # Edits are counted in a time that grows with the product of the lengths.
    sentences = np.maximum(one, other) <= MOST_WORDS
    return sentences & (np.maximum(one, other) <= limits.ratio * np.minimum(one, other)) & (share[columns] <= limits.numbers)


def mine_files(
    source: Path,
    translations: Path,
    target: Path,
    folder: Path,
    limits: Limits = Limits(),
    dates: tuple[Path, Path] | None = None,
    replace: bool = False,
) -> Mined:
    """Write `source`, `target` and `pairs.tsv` (line of the source, line of the target, TER, cosine) of what was paired into a
    folder.

    `translations` are automatic ones of the source, line by line. Texts are read into memory. InputError (`unequal-lengths`) names
    a file that has not a line for each of its text.
    """
    names = ("source", "target", "pairs.tsv")
    check_apart((source, translations, target, *(dates or ())), [folder / name for name in names])
    if not replace:
        check_new(folder, names)
    sources, queries, targets = (_lines(path) for path in (source, translations, target))
    check_rows(translations, len(queries), len(sources))
    days = None
    if dates is not None:
        days = (read_days(dates[0]), read_days(dates[1]))
        for path, column, text in zip(dates, days, (sources, targets), strict=True):
            check_rows(path, len(column), len(text))
    made = mined_pairs(queries, targets, limits, days)
    with written_aside(folder, replace) as aside:
        (aside / "source").write_text("".join(f"{sources[k]}\n" for k in made.sources), "utf-8")
        (aside / "target").write_text("".join(f"{targets[k]}\n" for k in made.targets), "utf-8")
        rows = zip(made.sources.tolist(), made.targets.tolist(), made.ter.tolist(), made.cosine.tolist(), strict=True)
        table = "".join(f"{one + 1}\t{other + 1}\t{ter:.4f}\t{cosine:.4f}\n" for one, other, ter, cosine in rows)
        (aside / "pairs.tsv").write_text("source\ttarget\tter\tcosine\n" + table, "utf-8")
    return made


def _lines(path: Path) -> list[str]:
    with ExitStack() as stack:
        return [decode_text(raw, str(path), line).strip() for line, raw in enumerate(read_lines(path, stack), 1)]
