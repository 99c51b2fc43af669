"""SentScore and CorpScore: metrics of word order and matched words (Stanojević's thesis, equations 4.1 and 4.2)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.errors import InputError
from app.metrics.definition import Metric, PreparedMetric, Segments, reference_rows
from app.metrics.numbering import Numbering
from app.metrics.plausible import are_counts, are_sizes
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.word_order.matching import match_words
from app.metrics.word_order.names import ORDERINGS, STEMMERS
from app.permutations.permutation_kernels import LONGEST_QUADRATIC, permutation_similarities, ranks_of_links
from app.text.reading.options import shortest

__all__ = ["OrderMetric", "OrderedWords", "StemTable", "check_lengths", "order_scores", "stemmer"]

# The largest score, with room for rounding.
LARGEST_SCORE: Final = 1 + 1e-9


def check_lengths(offsets: Int64s, place: str) -> None:
    """Refuse segments too long for comparisons of all pairs of words; InputError names the first."""
    lengths = np.diff(offsets)
    if lengths.size and lengths.max() > LONGEST_QUADRATIC:
        raise InputError(
            "segment-too-long",
            f"metrics of word order and skip-bigrams take at most {LONGEST_QUADRATIC} words a segment",
            (place, int(np.argmax(lengths > LONGEST_QUADRATIC))),
        )


@dataclass(frozen=True)
class OrderedWords:
    """Word and stem numbers of many segments (CSR). Without a stemmer, stems equal words."""

    words: Int64s
    stems: Int64s
    offsets: Int64s

    @classmethod
    def number(cls, numbering: Numbering, segments: Segments, stems_of: "StemTable", place: str) -> "OrderedWords":
        """Number the words of `segments`; `place` names them in errors."""
        words, offsets = numbering.number(segments)
        check_lengths(offsets, place)
        return cls(words, stems_of.stems(numbering.symbols())[words] if len(words) else words, offsets)


class StemTable:
    """Stems of numbered words, stored between calls; without a function, stems equal words."""

    def __init__(self, stem: Callable[[str], str] | None) -> None:
        self._stem = stem
        self._numbers: dict[str, int] = {}
        self._stems: list[int] = []

    def stems(self, symbols: Sequence[str]) -> Int64s:
        """Stem numbers of all symbols; shape (symbols,)."""
        if self._stem is None:
            return np.arange(len(symbols))
        for symbol in symbols[len(self._stems) :]:
            stem = self._stem(symbol)
            self._stems.append(self._numbers.setdefault(stem, len(self._numbers)))
        return np.array(self._stems, np.int64)


def stemmer(language: str | None) -> Callable[[str], str] | None:
    """The function from a word to its lower-case stem in a language of `STEMMERS`; None for no language."""
    if language is None:
        return None
    import snowballstemmer

    snowball = snowballstemmer.stemmer(STEMMERS[language])
    return lambda word: str(snowball.stemWord(word.lower()))


def order_scores(
    similarity: Float64s, matches: Int64s, hypothesis: Int64s, reference: Int64s, alpha: float, lexical: str
) -> Float64s:
    """SentScore in [0, 1] of n segments from their order similarity, numbers of matched words and lengths; shape (n,).

    ``alpha × LEX + (1 - alpha) × BP(matches, reference) × similarity``; LEX is the F1 of words or unigram BLEU.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty = np.where(matches > reference, 1.0, np.exp(1.0 - reference / matches))
        penalty = np.where(matches > 0, penalty, 0.0)
        if lexical == "f1":
            lexical_score = np.where(matches > 0, 2.0 * matches / (hypothesis + reference), 0.0)
        else:
            brevity = np.where(hypothesis > reference, 1.0, np.exp(1.0 - reference / hypothesis))
            lexical_score = np.where(matches > 0, brevity * matches / hypothesis, 0.0)
    empty = (hypothesis == 0) & (reference == 0)
    return np.asarray(np.where(empty, 1.0, alpha * lexical_score + (1 - alpha) * penalty * similarity))


@dataclass(frozen=True)
class OrderMetric(Metric):
    """Statistics: reference length × score, reference length; of several references, those of the best."""

    ordering: str
    alpha: float = 0.5
    beta: float = 0.6
    lexical: str = "f1"
    stem: str | None = None
    lowercase: bool = False
    tokenise: str = "13a"

    @property
    def name(self) -> str:  # type: ignore[override]
        """``order:`` and the similarity."""
        return f"order:{self.ordering}"

    def prepare(self, references: Sequence[Segments]) -> "PreparedOrder":
        """Number and stem the references once."""
        return PreparedOrder(self, references)

    def options(self) -> str:
        """Case, tokeniser, weights, lexical score, stemmer. The similarity is in the name."""
        case, weights = "lc" if self.lowercase else "mixed", f"alpha:{shortest(self.alpha)}|beta:{shortest(self.beta)}"
        return f"case:{case}|tok:{self.tokenise}|{weights}|lex:{self.lexical}|stem:{self.stem or 'no'}"

    def score(self, sums: Float64s) -> Float64s:
        """Mean of the segment scores, weighted by reference length."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(sums[:, 1] > 0, 100.0 * sums[:, 0] / sums[:, 1], 0.0))

    def plausible_rows(self, statistics: Float64s, references: int) -> Bools:
        """Mask of rows with a length of at least one word and a score of at most that length."""
        weight = statistics[:, 1]
        return np.asarray(
            are_sizes(statistics) & are_counts(statistics[:, 1:]) & (weight >= 1) & (statistics[:, 0] <= weight * LARGEST_SCORE)
        )


class PreparedOrder(PreparedMetric):
    """Numbered references of one order metric."""

    def __init__(self, metric: OrderMetric, references: Sequence[Segments]) -> None:
        self._metric = metric
        self._numbering = Numbering(METRIC_TOKENISERS[metric.tokenise], metric.lowercase)
        self._stems = StemTable(stemmer(metric.stem))
        self._references = [OrderedWords.number(self._numbering, segments, self._stems, "references") for segments in references]

    def statistics(self, hypotheses: Segments, reference_of: Int64s | None = None) -> Float64s:
        """Rows of weighted score and weight; shape (h, 2)."""
        words = OrderedWords.number(self._numbering, hypotheses, self._stems, "systems")
        segments = reference_rows(len(hypotheses), len(self._references[0].offsets) - 1, reference_of)
        rows = [self._against(words, reference, segments) for reference in self._references]
        best = np.argmax([score for score, _ in rows], axis=0)
        hypothesis_rows = np.arange(len(best))
        score, length = (np.stack([row[k] for row in rows])[best, hypothesis_rows] for k in (0, 1))
        # An empty reference weighs as one word, so that invented text lowers the score.
        weight = np.maximum(length, 1)
        return np.column_stack([weight * score, weight]).astype(np.float64)

    def _against(self, hypothesis: OrderedWords, reference: OrderedWords, reference_of: Int64s) -> tuple[Float64s, Int64s]:
        metric = self._metric
        links = match_words(
            hypothesis.words,
            hypothesis.offsets,
            reference.words,
            reference.offsets,
            reference_of,
            hypothesis.stems,
            reference.stems,
        )
        ranks, offsets = ranks_of_links(links, hypothesis.offsets)
        ordering = ORDERINGS.index(metric.ordering)
        similarity = permutation_similarities(ranks, offsets, metric.beta, ordering)[:, ordering]
        length = np.diff(reference.offsets)[reference_of]
        scores = order_scores(similarity, np.diff(offsets), np.diff(hypothesis.offsets), length, metric.alpha, metric.lexical)
        return scores, length
