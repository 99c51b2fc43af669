"""METEOR of 2005 (Banerjee and Lavie) and METEOR 1.5 (Denkowski and Lavie 2014): matched words, recall first, few pieces.

Stages match equal words, words of one stem, synonyms and paraphrases. The last two, a stemmer's table and function words come
from tables of the operator; a stage without its table matches nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.meteor.aligner import Aligner
from app.metrics.meteor.count_kernels import FIRST_MATCHES, PIECES
from app.metrics.meteor.folders import checksum_of
from app.metrics.meteor.presets import STEM_TABLE, Weights
from app.metrics.meteor.tables import NO_TABLES, MeteorTables, tables_named
from app.metrics.numbering import Numbering
from app.metrics.plausible import are_counts
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.order_metric import stemmer
from app.text.reading.options import shortest

__all__ = ["Meteor"]


@dataclass(frozen=True)
class Meteor(Metric):
    """Statistics: the 21 counts of `alignment_counts`; of several references, those of the best.

    P and R are weighted shares of matched words: a word of stage s counts ``weights[s]``, a content word `delta`, a function word
    1 - `delta`. The score is ``PR / (alpha P + (1 - alpha) R) · (1 - gamma (pieces / matches)^beta)``.
    """

    version: str
    stem: str
    tables: str | None
    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Weights
    lowercase: bool = True
    tokenise: str = "13a"

    @property
    def name(self) -> str:  # type: ignore[override]
        """``meteor`` for 2005, ``meteor:1.5``."""
        return "meteor:1.5" if self.version == "1.5" else "meteor"

    def prepare(self, references: Sequence[Segments]) -> "PreparedMeteor":
        """Number and stem the references once; InputError if a table is missing or bad."""
        return PreparedMeteor(self, references)

    def options(self) -> str:
        """Case, tokeniser, stemmer, tables, parameters, and the checksum of the tables."""
        parameters = (f"{key}:{shortest(getattr(self, key))}" for key in ("alpha", "beta", "gamma", "delta"))
        parts = [
            f"case:{'lc' if self.lowercase else 'mixed'}",
            f"tok:{self.tokenise}",
            f"stem:{self.stem}",
            f"tables:{self.tables or 'no'}",
            *parameters,
            f"weights:{'_'.join(map(shortest, self.weights))}",
            *([f"sha:{checksum_of(self.tables)}"] if self.tables else []),
        ]
        return "|".join(parts)

    def score(self, sums: Float64s) -> Float64s:
        """METEOR of each row of counts; (m, 21) to (m,)."""
        importance = np.array([self.delta, 1 - self.delta])
        stages = sums[:, FIRST_MATCHES:PIECES].reshape(-1, 4, 2, 2)
        # Content and function words of hypothesis and reference; shape (m, 2, 2).
        matched_words = np.einsum("mskt,s->mkt", stages, np.array(self.weights))
        lengths, function_words = sums[:, :2], sums[:, 2:4]
        words = np.stack([lengths - function_words, function_words], 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision, recall = np.einsum("mkt,k->tm", matched_words, importance) / np.einsum("mkt,k->tm", words, importance)
            mean = 1.0 / ((1.0 - self.alpha) / precision + self.alpha / recall)
            penalty = self.gamma * (sums[:, PIECES] / (stages.sum((1, 2, 3)) / 2)) ** self.beta
            scores = 100.0 * mean * (1.0 - penalty)
        return np.asarray(np.where(np.isfinite(scores), scores, 0.0))

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows of counts with no more matches than words, content and function words apart, nor pieces than matches."""
        lengths, function_words = statistics[:, :2], statistics[:, 2:4]
        matched_words = statistics[:, FIRST_MATCHES:PIECES].reshape(-1, 4, 2, 2).sum(1)
        words = np.stack([lengths - function_words, function_words], 1)
        total = matched_words.sum(1)
        pieces = statistics[:, PIECES]
        fits = (matched_words <= words).all((1, 2)) & (pieces <= total.min(1)) & ((total > 0).all(1) == (total > 0).any(1))
        return np.asarray(are_counts(statistics) & fits & ((pieces > 0) | (total == lengths).all(1) | (total == 0).all(1)))

    def reference_columns(self, width: int) -> Sequence[int]:
        """The columns of the reference's length and function words."""
        return (1, 3)


class PreparedMeteor(PreparedMetric):
    """A METEOR metric with its references as word numbers."""

    def __init__(self, metric: Meteor, references: Sequence[Segments]) -> None:
        self._metric = metric
        tables = NO_TABLES if metric.tables is None else tables_named(metric.tables)
        numbering = Numbering(METRIC_TOKENISERS[metric.tokenise], metric.lowercase)
        self._aligner = Aligner(numbering, tables, _stem_function(metric, tables), tables.function_words)
        self._references = [self._aligner.number(segments, "references") for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of 21 counts; shape (h, 21)."""
        words = self._aligner.number(hypotheses, "systems")
        segments = reference_rows(len(hypotheses), len(self._references[0][1]) - 1, reference_of)
        in_turn = self._metric.version != "1.5"
        rows = np.stack([self._aligner.align(words, reference, segments, in_turn).counts for reference in self._references])
        best = np.argmax([self._metric.score(row) for row in rows], axis=0)
        return np.asarray(rows[best, np.arange(len(segments))])


def _stem_function(metric: Meteor, tables: MeteorTables) -> Callable[[str], str] | None:
    if metric.stem != STEM_TABLE:
        return stemmer(None if metric.stem == "no" else metric.stem)
    if not tables.stems:
        raise InputError("unknown-metric", f"stem:table needs the table stem.gz, and tables:{metric.tables or 'no'} have none")
    return lambda word: tables.stems.get(word, word)
