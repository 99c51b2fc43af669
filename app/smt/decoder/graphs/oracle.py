"""The oracle of a search: the unpruned derivation that is closest to references by add-one BLEU."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.smt.decoder.decoder import SearchResult
from app.smt.decoder.derivation import Derivation
from app.smt.decoder.graphs.oracle_kernels import best_way
from app.smt.tuning.pairs.sentence_bleu import ORDER, smoothed_bleu

__all__ = ["WIDTH", "Oracle", "find_oracle"]

WIDTH: Final = 50
# If states were pruned, this many of the best translations compete too.
LIST: Final = 100
LARGEST_COUNT: Final = 255


@dataclass(frozen=True)
class Oracle:
    """A derivation and its BLEU in [0, 1]; `exact` if no unpruned derivation has a better one."""

    derivation: Derivation
    bleu: float
    exact: bool


def find_oracle(result: SearchResult, references: Sequence[str], width: int = WIDTH) -> Oracle | None:
    """Oracle of a search with alternatives; None if it has no translation.

    Up to `width` states of each hypothesis are followed. The oracle is never worse than the best of the 100 best translations of
    the search.
    """
    if result.graph is None:
        best = result.best()
        return None if best is None else Oracle(best, 0.0, True)
    options, words, stacks = result.graph
    length = len(result.tokens)
    if not stacks.counts[3 + length]:
        return None
    texts = [reference.split() for reference in references]
    numbers: dict[str, int] = {}
    for text in texts:
        for word in text:
            numbers.setdefault(word, len(numbers) + 1)
    base = len(numbers) + 1
    gram_counts: Counter[int] = Counter()
    for text in texts:
        gram_counts |= Counter(_grams([numbers[word] for word in text], base))
    grams = np.array(sorted(gram_counts), np.int64)
    way, bleu, score, exact = best_way(
        stacks.hypotheses, stacks.scores, stacks.arcs, stacks.arc_scores, stacks.items, stacks.counts, length, options.offsets,
        np.array([numbers.get(word, 0) for phrase in words for word in phrase], np.int32), grams,
        np.array([min(gram_counts[gram], LARGEST_COUNT) for gram in grams.tolist()], np.int64),
        np.random.default_rng(1).integers(-(2**62), 2**62, len(grams)), base, np.array([len(text) for text in texts]), width,
    )  # fmt: skip
    oracle = Oracle(Derivation(result.phrases(way[::-1].tolist()), float(score)), float(bleu), bool(exact))
    if exact:
        return oracle
    for derivation in result.n_best(LIST, distinct=True):
        own_bleu = bleu_of(derivation.words, texts)
        if own_bleu > oracle.bleu:
            oracle = Oracle(derivation, own_bleu, False)
    return oracle


def _grams(words: Sequence[int], base: int) -> list[int]:
    """N-grams as numbers to `base`, the last word first."""
    return [
        sum(words[end - place] * base**place for place in range(order))
        for order in range(1, ORDER + 1)
        for end in range(order - 1, len(words))
    ]


def bleu_of(words: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Add-one BLEU of words against references, in [0, 1]."""
    closest = min((len(text) for text in references), key=lambda length: (abs(length - len(words)), length))
    row = [float(len(words)), float(closest)]
    totals = []
    for order in range(1, ORDER + 1):
        of_words, *of_references = (
            Counter(tuple(text[k : k + order]) for k in range(len(text) - order + 1)) for text in (words, *references)
        )
        reference_counts: Counter[tuple[str, ...]] = Counter()
        for counts in of_references:
            reference_counts |= counts
        row.append(float((of_words & reference_counts).total()))
        totals.append(float(of_words.total()))
    return float(smoothed_bleu(np.array([row + totals]))[0])
