"""Neural metrics: scores of segments by an imported checkpoint; the score of a system is their mean."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.plausible import LARGEST_STATISTIC
from app.resources.checkpoints import Checkpoint, Row, VectorCache

__all__ = ["NeuralMetric"]

# Columns of statistics: sum of scores, number of segments, number of segments with a cut text.
SCORE, COUNT, CUT = range(3)


class NeuralMetric(Metric):
    """A checkpoint as a metric; with several references, a segment's score is the mean over references."""

    name = "neural"
    unit = "the model's own scale"

    def __init__(self, checkpoint: Checkpoint, sources: Segments | None = None) -> None:
        card = checkpoint.card
        self.checkpoint: Final = checkpoint
        self.sources: Final = sources
        self.higher_is_better = card.higher_is_better
        self.range = (card.lowest, card.highest)
        self.needs_references = card.reference == "needed"
        self.reads_references = card.reference != "unused"

    def with_sources(self, sources: Segments | None) -> Metric:
        """The metric with sources; InputError if the checkpoint needs sources and there are none."""
        if sources is None and self.checkpoint.card.source == "needed":
            raise InputError(
                "invalid-request",
                f"neural:{self.checkpoint.name} compares {self.checkpoint.card.needs}: sources are missing",
                ("sources",),
            )
        return NeuralMetric(self.checkpoint, sources)

    def prepare(self, references: Sequence[Segments]) -> "PreparedNeural":
        """The metric with references; InputError if the checkpoint needs references and there are none."""
        if not references and self.needs_references:
            raise InputError(
                "empty-input",
                f"neural:{self.checkpoint.name} compares {self.checkpoint.card.needs}: references are missing",
                ("references",),
            )
        return PreparedNeural(self.checkpoint, self.sources, references)

    def score(self, sums: Float64s) -> Float64s:
        """Mean scores of segments; (m, 3) to (m,)."""
        mean: Float64s = sums[:, SCORE] / np.maximum(sums[:, COUNT], 1)
        return mean

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """True for rows that can be the statistics of one segment."""
        low, high = (np.inf if bound is None else bound for bound in self.range)
        score = statistics[:, SCORE]
        inside = (score >= (-LARGEST_STATISTIC if np.isinf(low) else low)) & (
            score <= (LARGEST_STATISTIC if np.isinf(high) else high)
        )
        return np.asarray(inside & (statistics[:, COUNT] == 1) & np.isin(statistics[:, CUT], (0, 1)))

    def cautions(self, statistics: Float64s) -> list[str]:
        """Cautions about a licence without commercial use, and about cut texts."""
        card, name = self.checkpoint.card, f"neural:{self.checkpoint.name}"
        cautions = [f"{name}: the licence {card.licence} forbids commercial use"] if card.non_commercial else []
        cut = int(statistics[:, CUT].sum())
        if cut:
            segments = "1 segment" if cut == 1 else f"{cut} segments"
            cautions.append(f"{name} reads at most {card.longest} tokens: it cut {segments}")
        return cautions

    def options(self) -> str:
        """The model, its architecture, its weights and its length."""
        card = self.checkpoint.card
        return f"model:{card.name}|arch:{card.architecture}|sha:{self.checkpoint.checksum[:12]}|len:{card.longest}"


class PreparedNeural(PreparedMetric):
    """A checkpoint with sources and references; it stops between two segments once its deadline has passed."""

    def __init__(self, checkpoint: Checkpoint, sources: Segments | None, references: Sequence[Segments]) -> None:
        self._checkpoint = checkpoint
        self._sources = sources
        references = references if checkpoint.card.reference != "unused" else ()
        self._references: Sequence[Segments | None] = references or [None]
        self._vectors: VectorCache | None = None

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Score, 1, and 1 for a cut text; shape (h, 3)."""
        beside = [texts for texts in (self._sources, *self._references) if texts is not None]
        segments = len(beside[0]) if beside else len(hypotheses)
        rows = reference_rows(len(hypotheses), segments, reference_of).tolist()
        return self._scored([(text, row) for text, row in zip(hypotheses, rows, strict=True)])

    def statistics_of_systems(self, systems: Sequence[Segments]) -> list[Float64s]:
        """Statistics of several systems, computed segment by segment, so that sources and references are encoded once."""
        segments = list(zip(*systems, strict=True))
        all_scores = self._scored([(text, row) for row, texts in enumerate(segments) for text in texts])
        return [all_scores[number :: len(systems)] for number in range(len(systems))]

    def _scored(self, pairs: Sequence[tuple[str, int]]) -> Float64s:
        """Statistics of translations with the numbers of their segments; each distinct row is scored once."""
        if self._vectors is None:
            self._vectors = self._checkpoint.vectors()
        places: dict[Row, int] = {}
        place_of = [places.setdefault(row, len(places)) for row in self._rows(pairs)]
        results = list(self._checkpoint.scores(places, self._vectors))
        shape = (len(pairs), len(self._references))
        scores = np.array([row.score for row in results], np.float64)[place_of].reshape(shape)
        cut = np.array([row.cut for row in results], np.bool_)[place_of].reshape(shape)
        return np.stack([scores.mean(1), np.ones(len(pairs)), cut.any(1).astype(np.float64)], 1)

    def _rows(self, pairs: Sequence[tuple[str, int]]) -> Iterator[Row]:
        unread = self._checkpoint.card.source == "unused"
        for text, row in pairs:
            source = None if self._sources is None or unread else self._sources[row]
            for references in self._references:
                yield source, text, None if references is None else references[row]
