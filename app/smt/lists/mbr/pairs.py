"""Scores of candidate-reference pairs, the terms of expected scores."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics import Metric, PreparedMetric
from app.metrics.counting import Counting, Symbols
from app.metrics.definition import statistics_in_groups
from app.running.deadline import check_deadline
from app.smt.lists.mbr.distinct import DistinctTexts
from app.smt.lists.mbr.pair_kernels import match_pairs
from app.text.ragged import ragged_rows

__all__ = ["TextPairs"]

# Pairs scored at once: their counts fit into the processor's cache, and a job can be cancelled between groups.
PAIRS_AT_ONCE: Final = 20_000


@dataclass(frozen=True, eq=False)
class TextPairs:
    """Candidates and references of n lists under a metric, as indices of distinct texts."""

    metric: Metric
    candidates: DistinctTexts
    references: DistinctTexts
    _sums: list[Float64s] = field(default_factory=list)

    @property
    def sums(self) -> Float64s:
        """Sum of the statistics of all pairs that were scored as texts; empty without any; shape (s,)."""
        return np.asarray(sum(self._sums)) if self._sums else np.empty(0)

    @cached_property
    def counts(self) -> Int64s:
        """Number of pairs of each list; shape (n,)."""
        return self.candidates.lengths * self.references.lengths

    @cached_property
    def _counting(self) -> Counting | None:
        return self.metric.counting()

    @cached_property
    def _symbols(self) -> tuple[list[Symbols], list[Symbols]]:
        assert self._counting is not None
        reference_symbols = list(self._counting.symbols(self.references.texts))
        if self.candidates is self.references:
            return reference_symbols, reference_symbols
        return list(self._counting.symbols(self.candidates.texts)), reference_symbols

    @cached_property
    def _prepared_references(self) -> PreparedMetric:
        """References, prepared once."""
        return self.metric.prepare([self.references.texts])

    def scores(self, candidates: Int64s, references: Int64s) -> Float64s:
        """Return segment scores of pairs of distinct texts, in the metric's unit; (p,) and (p,) to (p,)."""
        texts = self.candidates.texts
        candidate_texts = [texts[c] for c in candidates.tolist()]
        # Metrics by counts are quick; others align texts and take seconds for a few long pairs.
        measure, quick = self._prepared_references, self._counting is not None
        statistics = (
            measure.statistics(candidate_texts, references) if quick else statistics_in_groups(measure, candidate_texts, references)
        )
        if not quick:
            self._sums[:] = [statistics.sum(0) + self.sums] if self._sums else [statistics.sum(0)]
        return self.metric.segment_scores(statistics)

    def groups(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of lists, about `PAIRS_AT_ONCE` pairs each."""
        totals = np.concatenate([[0], np.cumsum(self.counts)])
        begin = 0
        while begin < len(self.counts):
            end = int(np.searchsorted(totals, totals[begin] + PAIRS_AT_ONCE, "right")) - 1
            end = min(max(end, begin + 1), len(self.counts))
            yield begin, end
            begin = end

    def matrices(self, begin: int, end: int) -> Iterator[Float64s]:
        """Yield the scores of all candidates with all references, for lists `begin` to `end`; (c, r) each."""
        candidate_offsets, reference_offsets = self.candidates.offsets[begin : end + 1], self.references.offsets[begin : end + 1]
        if end - begin > 1 or self.counts[begin] <= PAIRS_AT_ONCE:
            scores = self._scores(candidate_offsets, reference_offsets)
        else:
            # A long list is scored in parts: a job can be cancelled between them.
            rows = max(1, PAIRS_AT_ONCE // int(reference_offsets[1] - reference_offsets[0]))
            bounds = [*range(int(candidate_offsets[0]), int(candidate_offsets[1]), rows), int(candidate_offsets[1])]
            scores = np.concatenate([self._scores(np.array(part), reference_offsets) for part in pairwise(bounds)])
        offsets = np.concatenate([[0], np.cumsum(self.counts[begin:end])])
        for i, (first, last) in enumerate(pairwise(offsets.tolist())):
            yield scores[first:last].reshape(self.candidates.lengths[begin + i], self.references.lengths[begin + i])

    def _scores(self, lists: Int64s, reference_lists: Int64s) -> Float64s:
        """Return the scores of all pairs of some lists, ordered by candidate, then reference."""
        check_deadline()
        candidates = np.arange(lists[0], lists[-1])
        lists_of_candidates = self.candidates.list_of[candidates]
        references, _ = ragged_rows(self.references.offsets, lists_of_candidates)
        candidates = np.repeat(candidates, self.references.lengths[lists_of_candidates])
        if self._counting is None:
            return self.scores(candidates, references)
        blocks = [
            match_pairs(
                candidate_parts.numbers,
                candidate_parts.offsets,
                lists,
                reference_parts.numbers,
                reference_parts.offsets,
                reference_lists,
                candidate_parts.order,
            )
            for candidate_parts, reference_parts in zip(*self._symbols, strict=True)
        ]
        matches = np.concatenate(blocks, axis=1).astype(np.float64)
        return self.metric.segment_scores(
            self._counting.statistics(self._totals[0][candidates], self._totals[1][references], matches)
        )

    @cached_property
    def _totals(self) -> tuple[Float64s, Float64s]:
        candidates, references = (np.concatenate([block.totals() for block in blocks], axis=1) for blocks in self._symbols)
        return candidates, references
