"""Which n-grams one system gets right and another does not (MT-ComparEval, compare-mt)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.metrics.definition import Segments
from app.metrics.tokenisers import METRIC_TOKENISERS

__all__ = ["NgramDifference", "metric_tokens", "ngram_differences"]


@dataclass(frozen=True)
class NgramDifference:
    """An n-gram: how often both systems match it in the references, and how often they have it without need."""

    ngram: tuple[str, ...]
    baseline_matches: int
    system_matches: int
    baseline_surplus: int
    system_surplus: int
    in_references: int


def metric_tokens(segments: Segments, tokenise: str) -> list[list[str]]:
    """Tokens of each segment, as BLEU with that tokeniser has them."""
    tokeniser = METRIC_TOKENISERS[tokenise]

    def tokens(text: str) -> Iterator[str]:
        words = tokeniser.clean(text.rstrip()).split()
        for place, word in enumerate(words):
            before = "" if not tokeniser.padded and place == 0 else " "
            after = "" if not tokeniser.padded and place == len(words) - 1 else " "
            yield from tokeniser.split(f"{before}{word}{after}")

    return [list(tokens(text)) for text in segments]


def _ngrams(tokens: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[at : at + n]) for n in range(1, order + 1) for at in range(len(tokens) - n + 1))


def ngram_differences(
    baseline: Segments, system: Segments, references: Sequence[Segments], tokenise: str = "13a", order: int = 4, most: int = 20
) -> tuple[list[NgramDifference], list[NgramDifference]]:
    """The n-grams that `system` matches more often than `baseline`, and those it matches less often, `most` of each.

    Matches are clipped per segment at the reference that has most of the n-gram.
    """
    counts: dict[tuple[str, ...], list[int]] = {}
    of_references = [metric_tokens(reference, tokenise) for reference in references]
    sides = (metric_tokens(baseline, tokenise), metric_tokens(system, tokenise))
    for i in range(len(baseline)):
        wanted: Counter[tuple[str, ...]] = Counter()
        for reference_tokens in of_references:
            wanted |= _ngrams(reference_tokens[i], order)
        for ngram, count in wanted.items():
            counts.setdefault(ngram, [0] * 5)[4] += count
        for which, side in enumerate(sides):
            for ngram, count in _ngrams(side[i], order).items():
                matched = min(count, wanted.get(ngram, 0))
                row = counts.setdefault(ngram, [0] * 5)
                row[which] += matched
                row[2 + which] += count - matched
    rows = [NgramDifference(ngram, *row) for ngram, row in counts.items() if row[0] != row[1]]
    rows.sort(key=lambda d: (-abs(d.system_matches - d.baseline_matches), -len(d.ngram), d.ngram))
    better = [row for row in rows if row.system_matches > row.baseline_matches][:most]
    worse = [row for row in rows if row.system_matches < row.baseline_matches][:most]
    return better, worse
