"""chrF, chrF+ and chrF++ (Popović 2015, 2017), as sacreBLEU computes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import punctuation

import numpy as np

from app.arrays import Float64s, Int64s
from app.metrics.definition import Metric, Prepared, Segments
from app.metrics.lexical.clipped_kernel import clipped_matches
from app.metrics.numbering import Numbering
from app.metrics.tokenisers import MetricTokeniser

__all__ = ["Chrf"]

PUNCTUATION = frozenset(punctuation)


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
    beta: int = 2
    name: str = "chrf"

    def prepare(self, references: Sequence[Segments]) -> "PreparedChrf":
        """Split the references into characters and words once."""
        return PreparedChrf(self, references)

    def options(self) -> str:
        """As sacreBLEU's signature."""
        case, space = ("lc" if self.lowercase else "mixed"), ("yes" if self.whitespace else "no")
        return f"case:{case}|eff:yes|nc:{self.char_order}|nw:{self.word_order}|space:{space}"

    def score(self, sums: Float64s) -> Float64s:
        """F of the precision and recall averaged over the orders that both sides have."""
        rows = sums.reshape(len(sums), -1, 3)
        hypothesis, reference, matches = rows[:, :, 0], rows[:, :, 1], rows[:, :, 2]
        both = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(both.sum(1), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(both, matches / hypothesis, 0.0).sum(1) / orders
            recall = np.where(both, matches / reference, 0.0).sum(1) / orders
            factor = self.beta**2
            f = (1 + factor) * precision * recall / (factor * precision + recall)
        return np.asarray(np.where(precision + recall > 0, 100.0 * f, 0.0))


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

    def statistics(self, hypotheses: Segments) -> Float64s:
        """Rows of 3 × orders counts."""
        return self.statistics_of_systems([hypotheses])[0]

    def statistics_of_systems(self, systems: Sequence[Segments]) -> list[Float64s]:
        """Rows of 3 × orders counts per system."""
        split = self._split([text for hypotheses in systems for text in hypotheses])
        rows = [self._against(split, reference) for reference in self._references]
        chosen = rows[0]
        if len(rows) > 1:
            best = np.argmax([self._metric.score(each) for each in rows], axis=0)
            chosen = np.asarray(np.stack(rows)[best, np.arange(len(chosen))])
        return np.split(chosen, len(systems))

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

    def _against(self, hypothesis: _Split, reference: _Split) -> Float64s:
        metric = self._metric
        blocks = [
            _counts(hypothesis.characters, hypothesis.character_offsets,
                    reference.characters, reference.character_offsets, metric.char_order)
        ]  # fmt: skip
        if metric.word_order:
            blocks.append(
                _counts(hypothesis.words, hypothesis.word_offsets, reference.words, reference.word_offsets, metric.word_order)
            )
        return np.concatenate(blocks, axis=1).reshape(len(hypothesis.character_offsets) - 1, -1).astype(np.float64)


def _counts(hyp: Int64s, hyp_offsets: Int64s, ref: Int64s, ref_offsets: Int64s, order: int) -> Int64s:
    """Hypothesis n-grams (0 where the reference has none), reference n-grams, matches; shape (n, order, 3)."""
    matches = clipped_matches(hyp, hyp_offsets, ref, ref_offsets, order)
    ours = np.maximum(np.diff(hyp_offsets)[:, None] - np.arange(order), 0)
    totals = np.maximum(np.diff(ref_offsets)[:, None] - np.arange(order), 0)
    totals = np.tile(totals, (len(ours) // max(len(totals), 1), 1))
    return np.stack([np.where(totals > 0, ours, 0), totals, matches], axis=2)
