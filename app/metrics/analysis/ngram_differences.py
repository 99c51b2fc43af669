"""N-grams that one system matches more often than another (MT-ComparEval, compare-mt)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.metrics.definition import Segments
from app.metrics.tokenisers import METRIC_TOKENISERS
from app.metrics.tokens.texts import Texts

__all__ = ["NgramDifference", "metric_tokens", "ngram_differences"]


@dataclass(frozen=True)
class NgramDifference:
    """An n-gram with each system's number of matches, its surplus occurrences, and its number in the references."""

    ngram: tuple[str, ...]
    baseline_matches: int
    system_matches: int
    baseline_surplus: int
    system_surplus: int
    in_references: int


def metric_tokens(segments: Segments, tokenise: str) -> list[list[str]]:
    """Tokens of each segment by the tokeniser `tokenise` of `METRIC_TOKENISERS`."""
    tokens = Texts.of(segments).tokens(METRIC_TOKENISERS[tokenise], lowercase=False, with_spans=True)
    words, offsets = tokens.strings(tokens.spans), tokens.offsets.tolist()
    return [words[begin:end] for begin, end in pairwise(offsets)]


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[start : start + n]) for n in range(1, order + 1) for start in range(len(tokens) - n + 1))


def ngram_differences(
    baseline: Segments, system: Segments, references: Sequence[Segments], tokenise: str = "13a", order: int = 4, limit: int = 20
) -> tuple[list[NgramDifference], list[NgramDifference]]:
    """N-grams that `system` matches more often than `baseline`, and those it matches less often, up to `limit` of each.

    Matches are clipped per segment at the largest count in any one reference.
    """
    counts: dict[tuple[str, ...], list[int]] = {}
    reference_tokens = [metric_tokens(reference, tokenise) for reference in references]
    sides = (metric_tokens(baseline, tokenise), metric_tokens(system, tokenise))
    for i in range(len(baseline)):
        largest_counts: Counter[tuple[str, ...]] = Counter()
        for tokens in reference_tokens:
            largest_counts |= _ngrams(tokens[i], order)
        for ngram, count in largest_counts.items():
            counts.setdefault(ngram, [0] * 5)[4] += count
        for side, tokens_of in enumerate(sides):
            for ngram, count in _ngrams(tokens_of[i], order).items():
                matches = min(count, largest_counts.get(ngram, 0))
                row = counts.setdefault(ngram, [0] * 5)
                row[side] += matches
                row[2 + side] += count - matches
    rows = [NgramDifference(ngram, *row) for ngram, row in counts.items() if row[0] != row[1]]
    rows.sort(key=lambda d: (-abs(d.system_matches - d.baseline_matches), -len(d.ngram), d.ngram))
    better = [row for row in rows if row.system_matches > row.baseline_matches][:limit]
    worse = [row for row in rows if row.system_matches < row.baseline_matches][:limit]
    return better, worse
