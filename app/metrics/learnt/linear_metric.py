"""A trained linear metric at work: BEER, ROSE, or one that a user trained."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics.definition import Metric, Prepared, Segments, referred
from app.metrics.learnt.artifact import TrainedMetric
from app.metrics.learnt.features import feature_values
from app.metrics.learnt.segment_pairs import SegmentPairs, Side
from app.metrics.learnt.several_references import SeveralReferences
from app.metrics.numbering import Numbering
from app.metrics.plausible import LARGEST_STATISTIC
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.order_metric import StemTable

__all__ = ["LinearMetric", "PairMaker", "split_factors"]

# How far beyond its bounds a score may be by rounding.
ROUNDING = 1e-6
SegmentMetric = Callable[[str], Metric]


def split_factors(segments: Segments, place: str) -> tuple[list[str], list[str]]:
    """Words and tags of ``word|TAG word|TAG`` (Moses' factors); InputError names the first segment without a tag."""
    words: list[str] = []
    tags: list[str] = []
    for number, segment in enumerate(segments):
        pairs = [token.rpartition("|") for token in segment.split()]
        if any(not separator or not word or not tag for word, separator, tag in pairs):
            raise InputError("invalid-request", "every token of factored text is word|TAG", (place, number))
        words.append(" ".join(word for word, _, _ in pairs))
        tags.append(" ".join(tag for _, _, tag in pairs))
    return words, tags


class PairMaker:
    """Turns hypotheses and references into `SegmentPairs`, with one numbering for both."""

    def __init__(self, trained: TrainedMetric, factored: bool, metrics: SegmentMetric) -> None:
        tokeniser = METRIC_TOKENISERS["none" if factored else trained.tokenise]
        self._words = Numbering(tokeniser, trained.lowercase)
        self._tags = Numbering(METRIC_TOKENISERS["none"], False)
        self._factored = factored
        self._stems = StemTable(trained.stem)
        self._function_words = frozenset(trained.function_words)
        self._metrics = metrics

    def side(self, segments: Segments, place: str) -> Side:
        """Number one side; `place` is what errors call it."""
        if not self._factored:
            return Side.number(self._words, segments, place)
        words, tags = split_factors(segments, place)
        side = Side.number(self._words, words, place)
        return Side(side.words, side.offsets, side.symbols, self._tags.number(tags)[0])

    def pair(
        self, hypotheses: tuple[Side, Segments], references: tuple[Side, Segments], reference_of: Int64s | None = None
    ) -> SegmentPairs:
        """Two sides with the texts they came from, hypothesis i with reference ``reference_of[i]``, or one each."""
        rows = referred(len(hypotheses[1]), len(references[1]), reference_of)

        def scores(name: str) -> Float64s:
            metric = self._metrics(name)
            return metric.segment_scores(metric.prepare([references[1]]).statistics(hypotheses[1], rows))

        return SegmentPairs(hypotheses[0], references[0], rows, self._function_words, self._stems, scores)


@dataclass(frozen=True)
class LinearMetric(Metric):
    """Statistics: the segment's score and 1; a corpus score is their mean.

    Of several references the one that scores best counts; ROSE has its own way.
    """

    trained: TrainedMetric
    metrics: SegmentMetric
    factored: bool = False

    @property
    def name(self) -> str:  # type: ignore[override]
        """The trained metric's id."""
        return self.trained.id

    @property
    def unit(self) -> str:  # type: ignore[override]
        """As the trained metric says."""
        return self.trained.unit

    @property
    def range(self) -> tuple[float | None, float | None]:  # type: ignore[override]
        """The bounds that scores are cut at."""
        low, high = self.trained.clip
        if self.trained.output in ("logistic", "ratio"):
            low, high = 0.0, 1.0 if self.trained.output == "logistic" or high is not None else 2.0
        scale = self.trained.scale
        return None if low is None else scale * low, None if high is None else scale * high

    def prepare(self, references: Sequence[Segments]) -> "PreparedLinear":
        """Number the references once."""
        return PreparedLinear(self, references)

    def options(self) -> str:
        """Case, tokeniser, which model by the first digits of its checksum."""
        case = "lc" if self.trained.lowercase else "mixed"
        tokeniser = "factored" if self.factored else self.trained.tokenise
        return f"case:{case}|tok:{tokeniser}|model:{self.trained.id}|sha:{self.trained.checksum[:8] or 'none'}"

    def score(self, sums: Float64s) -> Float64s:
        """Mean of the segment scores."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], 0.0))

    def possible(self, statistics: Float64s, references: int) -> Bools:
        """A score within the metric's bounds, of one segment."""
        low, high = self.range
        bounds = -LARGEST_STATISTIC if low is None else low - ROUNDING, LARGEST_STATISTIC if high is None else high + ROUNDING
        scores = statistics[:, 0]
        return np.asarray((scores >= bounds[0]) & (scores <= bounds[1]) & (statistics[:, 1] == 1.0))


class PreparedLinear(Prepared):
    """Numbered references of one trained metric."""

    def __init__(self, metric: LinearMetric, references: Sequence[Segments]) -> None:
        if metric.trained.needs_tags and not metric.factored:
            raise InputError("unknown-metric", f"{metric.name} needs tagged text: say |factored:yes and send word|TAG")
        self._metric = metric
        self._maker = PairMaker(metric.trained, metric.factored, metric.metrics)
        self._references = [(self._maker.side(segments, "references"), segments) for segments in references]
        self._own: list[Float64s] | None = None
        if metric.trained.output == "ratio":
            self._own = [self._features(reference, reference, None) for reference in self._references]

    def _features(self, ours: tuple[Side, Segments], theirs: tuple[Side, Segments], reference_of: Int64s | None) -> Float64s:
        return feature_values(self._metric.trained.features, self._maker.pair(ours, theirs, reference_of))

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of score and 1."""
        segments = referred(len(hypotheses), len(self._references[0][1]), reference_of)
        ours = self._maker.side(hypotheses, "systems"), hypotheses
        trained = self._metric.trained
        if trained.kind == "rose" and len(self._references) > 1:
            pairs = SeveralReferences.of([self._maker.pair(ours, theirs, segments) for theirs in self._references])
            scores = trained.scores(feature_values(trained.features, pairs))
            return np.column_stack([scores, np.ones(len(scores))])
        rows = [
            trained.scores(self._features(ours, theirs, segments), None if self._own is None else self._own[place][segments])
            for place, theirs in enumerate(self._references)
        ]
        best: Float64s = np.max(rows, axis=0)
        return np.column_stack([best, np.ones(len(best))])
