"""Sentence pairs from comparable texts: retrieval with automatic translations, then TER (Schwenk et al. 2011)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.sparse import csr_matrix

from app.arrays import Bools, Float64s, Int64s
from app.building.writing import check_apart, check_new, folder_aside
from app.metrics.registry import metric_named
from app.smt.corpus.lines import numbered_lines
from app.smt.corpus.phrases.aligned_chunks import MOST_WORDS
from app.smt.corpus.weighting.columns import check_rows, read_days
from app.text.batch import TokenColumn, pack_lines

__all__ = ["MinedPairs", "MiningLimits", "mine_files", "mined_pairs"]

# Similarities of a block, 12 bytes each; nearly all are nonzero.
PRODUCTS: Final = 20_000_000
# Words in a larger share of sentences do not discriminate.
COMMONEST: Final = 0.2


@dataclass(frozen=True)
class MiningLimits:
    """Limits of pairs: `candidates` of a sentence, `ter` (0.75 is three edits in four words), `ratio` of lengths, share of words
    with digits (`numbers`), and distance in `days`.
    """

    candidates: int = 10
    ter: float = 0.75
    ratio: float = 2.0
    numbers: float = 0.5
    days: int = 5


@dataclass(frozen=True)
class MinedPairs:
    """Indices of paired sentences of source and target, with TER and cosine of each pair; shape (pairs,)."""

    sources: Int64s
    targets: Int64s
    ter: Float64s
    cosine: Float64s

    def __len__(self) -> int:
        return len(self.sources)


def mined_pairs(
    translations: Sequence[str],
    target: Sequence[str],
    limits: MiningLimits = MiningLimits(),
    days: tuple[Int64s, Int64s] | None = None,
) -> MinedPairs:
    """Pair each automatic translation with the target sentence of lowest TER, within limits.

    Candidates have the highest cosine of TF-IDF vectors (raw tf, idf ln(n / df)); `days` restricts them to near dates. The
    translation is the reference of TER. A target sentence may have several pairs. Sentences of more than `MOST_WORDS` words have
    none.
    """
    documents, queries = pack_lines(target), pack_lines(translations)
    index = {word: k for k, word in enumerate(documents.vocabulary)}
    counts = _count_matrix(documents, np.arange(len(index)), len(index))
    frequency = np.bincount(counts.indices, minlength=len(index))
    idf = np.where(frequency <= max(1, COMMONEST * len(target)), np.log(max(len(target), 1) / np.maximum(frequency, 1)), 0.0)
    vectors = _normalised(counts, idf)
    of_query = np.array([index.get(word, -1) for word in queries.vocabulary], np.int64)
    query_vectors = _normalised(_count_matrix(queries, of_query, len(index)), idf)
    sources, targets, cosines = [], [], []
    block = max(1, min(500, PRODUCTS // max(1, vectors.shape[0])))
    for first in range(0, len(translations), block):
        likeness = (query_vectors[first : first + block] @ vectors.T).tocsr()
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
        return MinedPairs(rows, columns, cosine, cosine)
    metric = metric_named("ter")
    statistics = metric.prepare([list(translations)]).statistics([target[k] for k in columns], rows)
    ter = metric.segment_scores(statistics) / 100
    order = np.lexsort((-cosine, ter, rows))
    best_rows = order[np.concatenate([[True], np.diff(rows[order]) > 0])]
    best_rows = best_rows[ter[best_rows] < limits.ter]
    return MinedPairs(rows[best_rows], columns[best_rows], ter[best_rows], cosine[best_rows])


def _count_matrix(column: TokenColumn, names: Int64s, words: int) -> Any:
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


def _usable(queries: TokenColumn, documents: TokenColumn, rows: Int64s, columns: Int64s, limits: MiningLimits) -> Bools:
    query_lengths, document_lengths = queries.lengths[rows].astype(np.float64), documents.lengths[columns].astype(np.float64)
    digits = np.array([any(letter.isdigit() for letter in word) for word in documents.vocabulary], np.bool_)
    share = np.bincount(documents.segments, digits[documents.ids], len(documents)) / np.maximum(documents.lengths, 1)
    longer = np.maximum(query_lengths, document_lengths)
    # The cost of TER grows with the product of lengths.
    sentences = longer <= MOST_WORDS
    return sentences & (longer <= limits.ratio * np.minimum(query_lengths, document_lengths)) & (share[columns] <= limits.numbers)


def mine_files(
    source: Path,
    translations: Path,
    target: Path,
    folder: Path,
    limits: MiningLimits = MiningLimits(),
    dates: tuple[Path, Path] | None = None,
    replace: bool = False,
) -> MinedPairs:
    """Mine pairs, and write `source`, `target` and `pairs.tsv` (line of source, line of target, TER, cosine) into a folder.

    `translations` are automatic translations of the source, line by line. Texts are held in memory. InputError (`unequal-lengths`)
    names a file whose lines do not match its text.
    """
    names = ("source", "target", "pairs.tsv")
    check_apart((source, translations, target, *(dates or ())), [folder / name for name in names])
    if not replace:
        check_new(folder, names)
    sources, queries, targets = ([line.strip() for _, line in numbered_lines(path)] for path in (source, translations, target))
    check_rows(translations, len(queries), len(sources))
    days = None
    if dates is not None:
        days = (read_days(dates[0]), read_days(dates[1]))
        for path, column, text in zip(dates, days, (sources, targets), strict=True):
            check_rows(path, len(column), len(text))
    pairs = mined_pairs(queries, targets, limits, days)
    with folder_aside(folder, replace) as temporary:
        (temporary / "source").write_text("".join(f"{sources[k]}\n" for k in pairs.sources), "utf-8")
        (temporary / "target").write_text("".join(f"{targets[k]}\n" for k in pairs.targets), "utf-8")
        rows = zip(pairs.sources.tolist(), pairs.targets.tolist(), pairs.ter.tolist(), pairs.cosine.tolist(), strict=True)
        table = "".join(f"{line + 1}\t{target_line + 1}\t{ter:.4f}\t{cosine:.4f}\n" for line, target_line, ter, cosine in rows)
        (temporary / "pairs.tsv").write_text("source\ttarget\tter\tcosine\n" + table, "utf-8")
    return pairs
