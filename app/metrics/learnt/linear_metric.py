"""Scores of a trained linear metric: BEER, ROSE, or a user's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.learnt.artifact import PARSER, TABLES, TrainedMetric
from app.metrics.learnt.dependency_trees import parser_of
from app.metrics.learnt.features import feature_values
from app.metrics.learnt.segment_pairs import SegmentPairs, Side
from app.metrics.learnt.several_references import SeveralReferences
from app.metrics.meteor.aligner import Aligner
from app.metrics.meteor.folders import checksum_of
from app.metrics.meteor.tables import NO_TABLES, tables_named
from app.metrics.numbering import Numbering
from app.metrics.plausible import LARGEST_STATISTIC
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.order_metric import stemmer

__all__ = ["LinearMetric", "PairMaker", "resources_of", "split_factors"]

# Rounding may put a score this far beyond its bounds.
ROUNDING = 1e-6
SegmentMetric = Callable[[str], Metric]


def split_factors(segments: Segments, place: str) -> tuple[list[str], list[str]]:
    """Words and tags of n segments such as ``word|TAG word|TAG`` (Moses' factors); InputError names the first bad segment."""
    words: list[str] = []
    tags: list[str] = []
    for number, segment in enumerate(segments):
        pairs = [token.rpartition("|") for token in segment.split()]
        if any(not separator or not word or not tag for word, separator, tag in pairs):
            raise InputError("invalid-request", "every token of factored text is word|TAG", (place, number))
        words.append(" ".join(word for word, _, _ in pairs))
        tags.append(" ".join(tag for _, _, tag in pairs))
    return words, tags


def resources_of(trained_metric: TrainedMetric, tables: str | None) -> dict[str, str]:
    """First digits of the checksums of the tables and of the parser that the metric reads here; InputError if one is missing."""
    digits = {} if tables is None else {TABLES: checksum_of(tables)}
    return digits | ({PARSER: parser_of(trained_metric.language).checksum[:8]} if trained_metric.needs_trees else {})


class PairMaker:
    """Turns hypotheses and references into `SegmentPairs` with a shared numbering of words.

    InputError if METEOR's `tables` or a parser of the metric's language is needed and missing.
    """

    def __init__(self, trained_metric: TrainedMetric, factored: bool, metrics: SegmentMetric, tables: str | None = None) -> None:
        tokeniser = METRIC_TOKENISERS["none" if factored else trained_metric.tokenise]
        self._words = Numbering(tokeniser, trained_metric.lowercase)
        self._tags = Numbering(METRIC_TOKENISERS["none"], False)
        self._has_tags = factored
        self._parser = parser_of(trained_metric.language) if trained_metric.needs_trees else None
        self._function_words = frozenset(word for word in trained_metric.function_words if any(map(str.isalnum, word)))
        found_tables = NO_TABLES if tables is None else tables_named(tables)
        self._aligner = Aligner(self._words, found_tables, stemmer(trained_metric.stem), self._function_words)
        self._metrics = metrics

    def side(self, segments: Segments, place: str) -> Side:
        """Number the words of one side; `place` names it in errors."""
        words, tags = split_factors(segments, place) if self._has_tags else (segments, None)
        side = Side.number(self._words, words, place)
        if tags is not None:
            side = replace(side, tags=self._tags.number(tags)[0])
        return side if self._parser is None else replace(side, trees=self._parser.parse(side.segments()))

    def pair(
        self, hypotheses: tuple[Side, Segments], references: tuple[Side, Segments], reference_of: Int64s | None = None
    ) -> SegmentPairs:
        """Pairs of hypothesis i and reference ``reference_of[i]``, or i by default. Both sides come with their texts."""
        rows = reference_rows(len(hypotheses[1]), len(references[1]), reference_of)

        def scores(name: str) -> Float64s:
            metric = self._metrics(name)
            return metric.segment_scores(metric.prepare([references[1]]).statistics(hypotheses[1], rows))

        return SegmentPairs(hypotheses[0], references[0], rows, self._aligner, self._function_words, scores)


@dataclass(frozen=True)
class LinearMetric(Metric):
    """Statistics: the segment's score and 1; a corpus score is the mean.

    Of several references, the one with the best score counts; ROSE uses `SeveralReferences`.
    """

    trained: TrainedMetric
    metrics: SegmentMetric
    factored: bool = False
    tables: str | None = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """The trained metric's id."""
        return self.trained.id

    @property
    def unit(self) -> str:  # type: ignore[override]
        """Unit of the trained metric."""
        return self.trained.unit

    @property
    def range(self) -> tuple[float | None, float | None]:  # type: ignore[override]
        """Lowest and highest score; None if there is no bound."""
        low, high = self.trained.clip
        if self.trained.output in ("logistic", "ratio"):
            low, high = 0.0, 1.0 if self.trained.output == "logistic" or high is not None else 2.0
        scale = self.trained.scale
        return None if low is None else scale * low, None if high is None else scale * high

    def prepare(self, references: Sequence[Segments]) -> "PreparedLinear":
        """Number the references once."""
        return PreparedLinear(self, references)

    def options(self) -> str:
        """Case, tokeniser, the model with the first digits of its checksum; stemmer, tables and parser of a metric with them."""
        case = "lc" if self.trained.lowercase else "mixed"
        tokeniser = "factored" if self.factored else self.trained.tokenise
        parts = [f"case:{case}|tok:{tokeniser}|model:{self.trained.id}|sha:{self.trained.checksum[:8] or 'none'}"]
        if self.trained.aligns:
            parts.append(f"stem:{self.trained.stem or 'no'}|tables:{self.tables or 'no'}")
        return "|".join(parts + [f"{name}-sha:{digits}" for name, digits in resources_of(self.trained, self.tables).items()])

    def cautions(self, statistics: Float64s) -> list[str]:
        """A sentence for tables and for a parser that differ from those of the training."""
        return [
            f"{self.name} learned with another file of {name} (checksum {self.trained.resources[name]}); "
            "its agreement with people is not known with this one"
            for name, digits in resources_of(self.trained, self.tables).items()
            if digits != self.trained.resources.get(name, digits)
        ]

    def score(self, sums: Float64s) -> Float64s:
        """Mean of the segment scores."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], 0.0))

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows with a score within the metric's bounds, of one segment."""
        low, high = self.range
        bounds = -LARGEST_STATISTIC if low is None else low - ROUNDING, LARGEST_STATISTIC if high is None else high + ROUNDING
        scores = statistics[:, 0]
        return np.asarray((scores >= bounds[0]) & (scores <= bounds[1]) & (statistics[:, 1] == 1.0))


class PreparedLinear(PreparedMetric):
    """Numbered references of one trained metric."""

    def __init__(self, metric: LinearMetric, references: Sequence[Segments]) -> None:
        if metric.trained.needs_tags and not metric.factored:
            raise InputError("unknown-metric", f"{metric.name} needs tagged text: add |factored:yes to its name and send word|TAG")
        self._metric = metric
        self._maker = PairMaker(metric.trained, metric.factored, metric.metrics, metric.tables)
        self._references = [(self._maker.side(segments, "references"), segments) for segments in references]
        self._reference_features: list[Float64s] | None = None
        if metric.trained.output == "ratio":
            self._reference_features = [self._features(reference, reference, None) for reference in self._references]

    def _features(
        self, hypothesis: tuple[Side, Segments], reference: tuple[Side, Segments], reference_of: Int64s | None
    ) -> Float64s:
        return feature_values(self._metric.trained.features, self._maker.pair(hypothesis, reference, reference_of))

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of score and 1; shape (h, 2)."""
        segments = reference_rows(len(hypotheses), len(self._references[0][1]), reference_of)
        hypothesis = self._maker.side(hypotheses, "systems"), hypotheses
        trained_metric = self._metric.trained
        if trained_metric.kind == "rose" and len(self._references) > 1:
            pairs = SeveralReferences.of([self._maker.pair(hypothesis, reference, segments) for reference in self._references])
            scores = trained_metric.scores(feature_values(trained_metric.features, pairs))
            return np.column_stack([scores, np.ones(len(scores))])
        rows = [
            trained_metric.scores(
                self._features(hypothesis, reference, segments),
                None if self._reference_features is None else self._reference_features[place][segments],
            )
            for place, reference in enumerate(self._references)
        ]
        best: Float64s = np.max(rows, axis=0)
        return np.column_stack([best, np.ones(len(best))])
