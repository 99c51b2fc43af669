"""Corpus metrics of tables of any size: sufficient statistics of shards add up to those of the corpus.

The segments fall into blocks, and a block stands for a segment in resamples, so that intervals and tests cost little for any
number of segments. Wins and losses count segments. Sums of BLEU, chrF and TER are whole numbers, so any number of processes gives
equal scores.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
# Version of the sums, in the plan of a run.
VERSION: Final = "2"


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
        """The version of the sums; InputError for unknown metrics, and for metrics that are no sums of segments."""
        for name, metric in metrics_named(self.metrics).items():
            if metric.needs_all_references:
                raise InputError(
                    "invalid-request", f"{name} reads all references at once, so that parts do not add up", ("metrics",)
                )
        return {"statistics": VERSION}

    def output(self, shard: Shard) -> str:
        """Name of the result of a shard."""
        return shard.companion(".npz")

    def write(self, shard: Shard, file: BinaryIO) -> tuple[int, int]:
        """Write the sums of a shard, (blocks, statistics) by metric and system, and return the numbers of its rows and faults.

        By metric, the segments on which one system is better than another, (systems, systems), are written as well.
        """
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
                for (name, metric), of_systems in zip(metrics.items(), statistics, strict=True):
                    sums[name] = sums.get(name, 0) + _wins(metric, of_systems)
                    for system, matrix in of_systems.items():
                        key = f"{name}\t{system}"
                        np.add.at(sums.setdefault(key, np.zeros((BLOCKS, matrix.shape[1]))), blocks, matrix)
        sums[COUNTS] = np.array([rows - faults, empty], np.float64)
        with io.BytesIO() as buffer:
            np.savez_compressed(buffer, allow_pickle=False, **sums)
            file.write(buffer.getvalue())
        return rows, faults

    def check(self, shard: Shard) -> None:
        """Read the sums; any error for damaged ones."""
        self.read(shard)

    def read(self, shard: Shard) -> dict[str, Float64s]:
        """The sums of a shard, by their keys."""
        with place_of(f"{self.out}/{self.output(shard)}").open() as file, np.load(io.BytesIO(file.read())) as stored:
            return {key: stored[key] for key in stored.files}


@dataclass(frozen=True)
class CorpusStatistics:
    """Sums of a corpus: metrics by name, blocks of each system for each; segments, and those with an empty text.

    `wins` are the segments on which one system is better than another, (systems, systems) by metric.
    """

    metrics: Mapping[str, Metric]
    blocks: Sequence[Mapping[str, Float64s]]
    wins: Mapping[str, Float64s]
    segments: int
    empty: int

    def duel(self, metric: str, system: str, baseline: str) -> tuple[int, int, int]:
        """Segments on which a system is better than the baseline, worse, and equal."""
        systems = list(self.blocks[0])
        first, second = systems.index(system), systems.index(baseline)
        wins, losses = int(self.wins[metric][first, second]), int(self.wins[metric][second, first])
        return wins, losses, self.segments - wins - losses


def _wins(metric: Metric, statistics: Mapping[str, Float64s]) -> Float64s:
    scores = np.array([metric.segment_scores(matrix) for matrix in statistics.values()])
    if not metric.higher_is_better:
        scores = -scores
    return np.array([(of_system > scores).sum(1) for of_system in scores], np.float64)


def corpus_statistics(task: StatisticsTask, shards: Sequence[Shard]) -> CorpusStatistics:
    """Statistics of the corpus of all shards; InputError (`empty-input`) without a segment."""
    metrics = metrics_named(task.metrics)
    totals: dict[str, Float64s] = {}
    for shard in shards:
        for key, sums in task.read(shard).items():
            totals[key] = totals[key] + sums if key in totals else sums
    segments, empty = map(int, totals.pop(COUNTS, np.zeros(2)))
    if not segments:
        raise InputError("empty-input", "there are no segments to score", ("references",))
    wins = {name: totals.pop(name) for name in metrics}
    # Blocks without a segment are none.
    nonempty = np.any([matrix.any(1) for matrix in totals.values()], axis=0)
    blocks = [{system: totals[f"{name}\t{system}"][nonempty] for system in task.systems} for name in metrics]
    return CorpusStatistics(metrics, blocks, wins, segments, empty)


def corpus_scores(task: StatisticsTask, shards: Sequence[Shard], significance: Significance | None = None) -> list[SystemScore]:
    """Scores of the corpus of all shards, in the order of metrics, then of systems; intervals and tests resample blocks."""
    corpus = corpus_statistics(task, shards)
    rows = scores_of_statistics(corpus.metrics, corpus.blocks, len(task.references), significance=significance)
    baseline = (significance and significance.baseline) or next(iter(task.systems))
    return [_with_wins(row, corpus, baseline) for row in rows]


def _with_wins(row: SystemScore, corpus: CorpusStatistics, baseline: str) -> SystemScore:
    if row.against_baseline is None:
        return row
    wins, losses, ties = corpus.duel(row.metric, row.system, baseline)
    return replace(row, against_baseline=replace(row.against_baseline, wins=wins, losses=losses, ties=ties))
