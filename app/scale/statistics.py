"""Corpus metrics of tables of any size: sufficient statistics of shards add up to those of the corpus.

The segments fall into blocks, and a block stands for a segment in resamples, so that intervals and tests cost little for any
number of segments. Sums of BLEU, chrF and TER are whole numbers, so any number of processes gives equal scores.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric, Significance, SystemScore, metrics_named, segment_statistics
from app.metrics.scoring import scores_of_statistics
from app.scale.batches import column_of
from app.scale.engines import longest_segment
from app.scale.files.places import place_of
from app.scale.files.reading import read_shard
from app.scale.files.shards import Shard
from app.scale.rows import text_rows

__all__ = ["CorpusStatistics", "StatisticsTask", "corpus_scores", "corpus_statistics"]

# Blocks of resamples. Of 10^8 segments one holds 10^5; a corpus with fewer segments has one block for each segment.
BLOCKS: Final = 1000
# Key of the numbers of segments.
COUNTS: Final = "segments"


@dataclass(frozen=True)
class StatisticsTask:
    """Sums of statistics by block, of `systems`, columns by name, against columns of `references`, for metrics by name.

    A row with a fault in any column counts for no system.
    """

    metrics: tuple[str, ...]
    systems: Mapping[str, str]
    references: tuple[str, ...]
    out: str

    def cards(self) -> Mapping[str, str]:
        """No cards; InputError for unknown metrics, and for metrics that are no sums of segments."""
        for name, metric in metrics_named(self.metrics).items():
            if metric.needs_all_references:
                raise InputError(
                    "invalid-request", f"{name} reads all references at once, so that parts do not add up", ("metrics",)
                )
        return {}

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        return shard.output(".npz")

    def write(self, shard: Shard, file: BinaryIO) -> tuple[int, int]:
        """Write the sums of a shard, (blocks, statistics) by metric and system, and the number of its rows."""
        metrics, names = metrics_named(self.metrics), (*self.systems.values(), *self.references)
        sums: dict[str, Float64s] = {}
        rows = faults = empty = 0
        for batch in read_shard(shard):
            texts = text_rows({name: column_of(batch, name) for name in dict.fromkeys(names)}, longest_segment())
            columns = dict(zip(dict.fromkeys(names), texts.columns, strict=True))
            # Neighbours go to different blocks.
            blocks = (rows + texts.numbers + shard.begin) % BLOCKS
            rows, faults = rows + len(texts.errors), faults + len(texts.errors) - len(texts.numbers)
            if len(texts.numbers):
                empty += sum(not all(map(str.strip, segment)) for segment in zip(*texts.columns, strict=True))
                statistics = segment_statistics(
                    metrics,
                    {system: columns[name] for system, name in self.systems.items()},
                    {name: columns[name] for name in self.references},
                )
                for name, of_systems in zip(metrics, statistics, strict=True):
                    for system, matrix in of_systems.items():
                        key = f"{name}\t{system}"
                        np.add.at(sums.setdefault(key, np.zeros((BLOCKS, matrix.shape[1]))), blocks, matrix)
        sums[COUNTS] = np.array([rows - faults, empty], np.float64)
        with io.BytesIO() as buffer:
            np.savez_compressed(buffer, allow_pickle=False, **sums)
            file.write(buffer.getvalue())
        return rows, faults


@dataclass(frozen=True)
class CorpusStatistics:
    """Sums of a corpus: metrics by name, blocks of each system for each; segments, and those with an empty text."""

    metrics: Mapping[str, Metric]
    blocks: Sequence[Mapping[str, Float64s]]
    segments: int
    empty: int


def corpus_statistics(task: StatisticsTask, shards: Sequence[Shard]) -> CorpusStatistics:
    """Statistics of the corpus of all shards; InputError (`empty-input`) without a segment."""
    metrics = metrics_named(task.metrics)
    totals: dict[str, Float64s] = {}
    for shard in shards:
        with place_of(f"{task.out}/{task.output(shard)}").open() as file, np.load(io.BytesIO(file.read())) as stored:
            for key in stored.files:
                totals[key] = totals[key] + stored[key] if key in totals else stored[key]
    segments, empty = map(int, totals.pop(COUNTS, np.zeros(2)))
    if not segments:
        raise InputError("empty-input", "there are no segments to score", ("references",))
    # Blocks without a segment are none.
    nonempty = np.any([matrix.any(1) for matrix in totals.values()], axis=0)
    blocks = [{system: totals[f"{name}\t{system}"][nonempty] for system in task.systems} for name in metrics]
    return CorpusStatistics(metrics, blocks, segments, empty)


def corpus_scores(task: StatisticsTask, shards: Sequence[Shard], significance: Significance | None = None) -> list[SystemScore]:
    """Scores of the corpus of all shards, in the order of metrics, then of systems; intervals and tests resample blocks."""
    corpus = corpus_statistics(task, shards)
    return scores_of_statistics(corpus.metrics, corpus.blocks, len(task.references), significance=significance)
