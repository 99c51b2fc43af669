"""chrF, chrF+ and chrF++ (Popović 2015, 2017), as sacreBLEU computes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import punctuation

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.definition import Metric, Prepared, Segments, referred, several_systems
from app.metrics.lexical.clipped_kernel import clipped_matches
from app.metrics.numbering import Numbering
from app.metrics.plausible import are_counts
from app.metrics.tokenisers import MetricTokeniser

__all__ = ["Chrf"]

PUNCTUATION = frozenset(punctuation)
BETA = 2
EPSILON = 1e-16


def _split_word(padded: str) -> list[str]:
    """A word with one mark of ASCII punctuation at its end, or else at its start, split off."""
    word = padded.strip()
    if len(word) > 1 and word[-1] in PUNCTUATION:
        return [word[:-1], word[-1]]
    if len(word) > 1 and word[0] in PUNCTUATION:
        return [word[0], word[1:]]
    return [word]


WORDS = MetricTokeniser("chrf", str, _split_word)


@dataclass(frozen=True)
class Chrf(Metric):
    """Statistics per order (characters first, then words): hypothesis n-grams, reference n-grams, matches.

    With several references each segment counts against the one that scores it best.
    """

    lowercase: bool = False
    char_order: int = 6
    word_order: int = 0
    whitespace: bool = False
    beta: int = BETA
    epsilon: bool = False
    name: str = "chrf"

    def prepare(self, references: Sequence[Segments]) -> "PreparedChrf":
        """Split the references into characters and words once."""
        return PreparedChrf(self, references)

    def options(self) -> str:
        """As sacreBLEU's signature."""
        case, space = ("lc" if self.lowercase else "mixed"), ("yes" if self.whitespace else "no")
        # sacreBLEU says β in the name.
        beta = "" if self.beta == BETA else f"|beta:{self.beta}"
        effective = "no" if self.epsilon else "yes"
        return f"case:{case}|eff:{effective}|nc:{self.char_order}|nw:{self.word_order}{beta}|space:{space}"

    def score(self, sums: Float64s) -> Float64s:
        """F of the precision and recall averaged over the orders that both sides have; or F averaged over all orders."""
        rows = sums.reshape(len(sums), sums.shape[1] // 3, 3)
        hypothesis, reference, matches = rows[:, :, 0], rows[:, :, 1], rows[:, :, 2]
        if self.epsilon:
            return self._smoothed(hypothesis, reference, matches)
        both = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(both.sum(1), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(both, matches / hypothesis, 0.0).sum(1) / orders
            recall = np.where(both, matches / reference, 0.0).sum(1) / orders
            factor = self.beta**2
            f = (1 + factor) * precision * recall / (factor * precision + recall)
        return np.asarray(np.where(precision + recall > 0, 100.0 * f, 0.0))

    def possible(self, statistics: Float64s, references: int) -> Bools:
        """Counts, and no more matches than either side has n-grams."""
        hypothesis, reference, matches = np.moveaxis(statistics.reshape(len(statistics), -1, 3), 2, 0)
        return np.asarray(are_counts(statistics) & (matches <= np.minimum(hypothesis, reference)).all(1))

    def reference_columns(self, width: int) -> Sequence[int]:
        """The reference's n-grams of every order."""
        return range(1, width, 3)

    def _smoothed(self, hypothesis: Float64s, reference: Float64s, matches: Float64s) -> Float64s:
        """As chrF++'s own script, NLTK and Moses: what is divided by nothing is almost nothing, and no order is left out."""
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(hypothesis > 0, matches / hypothesis, EPSILON)
            recall = np.where(reference > 0, matches / reference, EPSILON)
            below = self.beta**2 * precision + recall
            f = np.where(below > 0, (1 + self.beta**2) * precision * recall / below, EPSILON)
        return np.asarray(100.0 * f.mean(1))


@dataclass(frozen=True)
class _Split:
    characters: Int64s
    character_offsets: Int64s
    words: Int64s
    word_offsets: Int64s


class PreparedChrf(Prepared):
    """References of one chrF as code points and word numbers."""

    def __init__(self, metric: Chrf, references: Sequence[Segments]) -> None:
        self._metric = metric
        self._numbering = Numbering(WORDS, False)
        self._references = [self._split(segments) for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of 3 × orders counts."""
        split = self._split(hypotheses)
        own = referred(len(hypotheses), len(self._references[0].character_offsets) - 1, reference_of)
        rows = [self._against(split, reference, own) for reference in self._references]
        if len(rows) == 1:
            return rows[0]
        best = np.argmax([self._metric.score(matrix) for matrix in rows], axis=0)
        return np.asarray(np.stack(rows)[best, np.arange(len(hypotheses))])

    def statistics_of_systems(self, systems: Sequence[Segments]) -> list[Float64s]:
        """Rows of 3 × orders counts per system."""
        return several_systems(self, systems)

    def _split(self, segments: Segments) -> _Split:
        metric = self._metric
        if metric.lowercase:
            segments = [text.lower() for text in segments]
        texts = segments if metric.whitespace else ["".join(text.split()) for text in segments]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        raw = "".join(texts).encode("utf-32-le", "surrogatepass")
        characters = np.frombuffer(raw, np.uint32).astype(np.int64)
        if not metric.word_order:
            return _Split(characters, offsets, np.empty(0, np.int64), np.zeros(len(texts) + 1, np.int64))
        return _Split(characters, offsets, *self._numbering.number(segments))

    def _against(self, hypothesis: _Split, reference: _Split, reference_of: Int64s) -> Float64s:
        metric = self._metric
        blocks = [
            _counts(hypothesis.characters, hypothesis.character_offsets,
                    reference.characters, reference.character_offsets, reference_of, metric.char_order)
        ]  # fmt: skip
        if metric.word_order:
            blocks.append(
                _counts(hypothesis.words, hypothesis.word_offsets,
                        reference.words, reference.word_offsets, reference_of, metric.word_order)
            )  # fmt: skip
        counts = np.concatenate(blocks, axis=1)
        return counts.reshape(len(counts), 3 * counts.shape[1]).astype(np.float64)


def _counts(hyp: Int64s, hyp_offsets: Int64s, ref: Int64s, ref_offsets: Int64s, reference_of: Int64s, order: int) -> Int64s:
    """Hypothesis n-grams (0 where the reference has none), reference n-grams, matches; shape (n, order, 3)."""
    matches = clipped_matches(hyp, hyp_offsets, ref, ref_offsets, reference_of, order)
    ours = np.maximum(np.diff(hyp_offsets)[:, None] - np.arange(order), 0)
    totals = np.maximum(np.diff(ref_offsets)[reference_of][:, None] - np.arange(order), 0)
    return np.stack([np.where(totals > 0, ours, 0), totals, matches], axis=2)
