"""Reading of features and statistics of a score, which belong together hypothesis by hypothesis."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Float64s, Int64s
from app.errors import InputError
from app.text.n_best import NBestLists
from app.text.reading.extractor_files.blocks import FEATURES, SCORES, blocks_of
from app.text.reading.moses_n_best import UNNAMED
from app.text.reading.n_best_lists.gathering import UPLOAD_LIMIT, Gatherer, ListHypothesis
from app.text.reading.n_best_lists.opening import File, opened

__all__ = ["ExtractorFiles", "ScoreStatistics", "read_extractor_files"]


@dataclass(frozen=True, eq=False)
class ScoreStatistics:
    """Statistics of h hypotheses in the order of their segments: `rows` (h, s) of a score that Moses calls `score`."""

    score: str
    segments: Int64s
    rows: Float64s


@dataclass(frozen=True, eq=False)
class ExtractorFiles:
    """Hypotheses without texts and totals, and the statistics of each."""

    lists: NBestLists
    statistics: ScoreStatistics


def read_extractor_files(features: Sequence[File], scores: Sequence[File]) -> ExtractorFiles:
    """Read files of features and as many of scores, which may be gzip; several are joined segment by segment.

    Features ``d_0 d_1`` are the components of ``d``; features without names are called ``score``. InputError names a bad line
    (`invalid-table`), or files with other hypotheses than their neighbours (`unequal-lengths`).
    """
    lists, statistics = _read_features(features), _read_scores(scores)
    if not np.array_equal(lists.segments, statistics.segments):
        counts = np.bincount(statistics.segments, minlength=len(lists))
        segment = next((k for k, length in enumerate(lists.lengths.tolist()) if length != counts[k]), len(lists))
        feature_count = int(lists.lengths[segment]) if segment < len(lists) else 0
        detail = f"segment {segment} has {feature_count} hypotheses with features, but {int(counts[segment])} with scores"
        raise InputError("unequal-lengths", detail, ("scores", segment))
    return ExtractorFiles(lists, statistics)


def _read_features(files: Sequence[File]) -> NBestLists:
    gatherer = Gatherer(limit=UPLOAD_LIMIT)
    for file in files:
        with opened(file) as text:
            for block in blocks_of(text, FEATURES):
                width = block.numbers.shape[1]
                names = _features_of(block.names) if len(block.names) == width else [UNNAMED] * width
                for row, further in zip(block.numbers.tolist(), block.sparse, strict=True):
                    values = [*zip(names, row, strict=True), *further]
                    gatherer.add(ListHypothesis(block.segment, "", 0.0, values))
            gatherer.file_ends.append(len(gatherer))
            gatherer.file_names.append(text.name)
    if not len(gatherer):
        raise InputError("empty-input", "the files of features have no hypotheses", ("n_best",))
    return gatherer.lists()[0]


def _features_of(names: Sequence[str]) -> list[str]:
    """Names of features from names of their columns, as ``d_0 d_1 lm_0``."""
    features: list[str] = []
    for column in names:
        name, _, number = column.rpartition("_")
        features.append(name if name and number == str(features.count(name)) else column)
    return features


def _read_scores(files: Sequence[File]) -> ScoreStatistics:
    segments: list[Int64s] = []
    rows: list[Float64s] = []
    scores: dict[tuple[str, int], str] = {}
    for file in files:
        with opened(file) as text:
            for block in blocks_of(text, SCORES):
                rows.append(block.numbers)
                segments.append(np.full(len(block.numbers), block.segment, np.int64))
                scores[" ".join(block.names), block.numbers.shape[1]] = text.name
    if len(scores) != 1:
        listing = ", ".join(f"{score} with {width} statistics in {name}" for (score, width), name in scores.items())
        detail = f"the statistics must be of one score, but are {listing}" if scores else "the files of scores have no hypotheses"
        raise InputError("invalid-table" if scores else "empty-input", detail, ("scores",))
    numbers = np.concatenate(segments)
    order = np.argsort(numbers, kind="stable")
    return ScoreStatistics(next(iter(scores))[0], numbers[order], np.concatenate(rows)[order])
