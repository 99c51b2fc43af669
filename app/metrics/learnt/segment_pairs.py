"""Pairs of hypotheses and references as arrays, with cached overlaps of their units."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from app.arrays import Bools, Float64s, Int64s
from app.metrics.counting import ngram_counts
from app.metrics.definition import Segments
from app.metrics.learnt.dependency_trees import RELATIONS
from app.metrics.learnt.overlap_kernels import match_arcs, match_edges, match_mixed, match_skips
from app.metrics.lexical.matching import clipped_matches
from app.metrics.meteor.aligner import Aligner, Alignment
from app.metrics.meteor.count_kernels import FIRST_MATCHES, PIECES
from app.metrics.numbering import Numbering, code_points
from app.metrics.word_order.order_metric import check_lengths
from app.permutations.permutation_kernels import permutation_similarities, ranks_of_links

__all__ = ["PAIR_UNITS", "PairUnit", "SegmentPairs", "Side", "word_classes"]

MATCHED_ORDER: Final = 6
BETA: Final = 0.6
# Stages of the alignment, in the order of METEOR's counts.
STAGES: Final = ("exact", "stem", "synonym", "paraphrase")


class Counts(NamedTuple):
    """Matches, units of the hypothesis and of the reference, shape (h,) each.

    `reference_matches` are matched units of the reference, if paraphrases make them differ from those of the hypothesis.
    """

    matches: Int64s
    hypothesis_units: Int64s
    reference_units: Int64s
    reference_matches: Int64s | None = None


@dataclass(frozen=True)
class Side:
    """Numbered words (CSR) of one side of n segments; `symbols` are the distinct words, `tags` their parts of speech.

    `trees` are the head of each word within its segment, -1 for a root, and its relation.
    """

    words: Int64s
    offsets: Int64s
    symbols: list[str]
    tags: Int64s | None = None
    trees: tuple[Int64s, Int64s] | None = None

    @classmethod
    def number(cls, numbering: Numbering, segments: Segments, place: str) -> "Side":
        """Number the words of `segments`; `place` names them in errors."""
        words, offsets = numbering.number(segments)
        check_lengths(offsets, place)
        return cls(words, offsets, numbering.symbols())

    @cached_property
    def characters(self) -> tuple[Int64s, Int64s]:
        """Code points of every segment, its words joined by single blanks, and offsets (CSR)."""
        return code_points([" ".join(row) for row in self.segments()])

    def segments(self) -> list[list[str]]:
        """Words of every segment."""
        rows = np.split(self.words, self.offsets[1:-1]) if len(self.offsets) > 1 else []
        return [[self.symbols[word] for word in row.tolist()] for row in rows]


def _no_metrics(name: str) -> Float64s:
    raise ValueError(f"no texts to score by {name}")


@dataclass(frozen=True)
class SegmentPairs:
    """Pairs of hypothesis i and row ``reference_of[i]`` of `reference`; h pairs.

    `function_words` are lower-cased; `aligner` has the numbering of both sides.
    """

    hypothesis: Side
    reference: Side
    reference_of: Int64s
    aligner: Aligner
    function_words: frozenset[str] = frozenset()
    # Segment scores (h,) of a metric by its name, for features such as ``metric(bleu)``.
    metric_scores: Callable[[str], Float64s] = _no_metrics
    _counts: dict[tuple[str, int], Counts] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.hypothesis.offsets) - 1

    def overlap(self, unit: str, order: int) -> Counts:
        """Counts of matches, hypothesis units and reference units; shape (h,) each."""
        if (unit, order) not in self._counts:
            self._counts.update(UNITS[unit].count(self, order))
        return self._counts[unit, order]

    def shares(self, unit: str, order: int) -> tuple[Float64s, Float64s]:
        """Precision and recall of a unit; shape (h,) each. Both are 0 if the side has no such unit."""
        matches, hypothesis_units, reference_units, reference_matches = self.overlap(unit, order)
        reference_matches = matches if reference_matches is None else reference_matches
        return _share(matches, hypothesis_units), _share(reference_matches, reference_units)

    def class_ratio(self, kind: str, difference: bool) -> Float64s:
        """Ratio of hypothesis to reference words of a class, or their difference over the reference's length; shape (h,).

        Source: Song's thesis, section 3.1.
        """
        hypothesis_words, reference_words = word_classes(self, kind)
        length = np.maximum(self.lengths("word")[1], 1)
        if difference:
            return np.asarray((hypothesis_words - reference_words) / length)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Without such words in the reference, the ratio is 1 plus the share of the hypothesis's words.
            return np.asarray(
                np.where(
                    reference_words > 0,
                    hypothesis_words / reference_words,
                    np.where(hypothesis_words > 0, 1.0 + hypothesis_words / length, 1.0),
                )
            )

    def lengths(self, unit: str) -> tuple[Int64s, Int64s]:
        """Lengths of hypotheses and references, (h,) each, in characters (``char``) or words (``word``)."""
        if unit == "word":
            return np.diff(self.hypothesis.offsets), np.diff(self.reference.offsets)[self.reference_of]
        return np.diff(self.hypothesis.characters[1]), np.diff(self.reference.characters[1])[self.reference_of]

    @cached_property
    def alignment(self) -> Alignment:
        """METEOR's alignment of words; a match of phrases is one element of the permutation."""
        return self.aligner.align(_words(self.hypothesis), _words(self.reference), self.reference_of, False)

    @cached_property
    def arcs(self) -> Int64s:
        """Arcs of each relation: matched, of the hypothesis, of the reference; shape (h, 37, 3)."""
        hypothesis, reference = self.hypothesis, self.reference
        return np.asarray(match_arcs(
            hypothesis.words, *_trees(hypothesis), hypothesis.offsets,
            reference.words, *_trees(reference), reference.offsets, self.reference_of, len(RELATIONS),
        ))  # fmt: skip

    @cached_property
    def similarities(self) -> Float64s:
        """All similarities of the order of matched words; shape (h, 14)."""
        return np.asarray(permutation_similarities(*ranks_of_links(self.alignment.links, self.hypothesis.offsets), BETA, -1))


def _share(matches: Int64s, units: Int64s) -> Float64s:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(units > 0, matches / units, 0.0))


@dataclass(frozen=True)
class PairUnit:
    """A kind of unit with its overlap counts; `orders` are the lowest and highest order, None for units without order."""

    name: str
    description: str
    orders: tuple[int, int] | None
    count: Callable[[SegmentPairs, int], Mapping[tuple[str, int], Counts]]


def _look_up(table: Int64s, places: Int64s) -> Int64s:
    return table[places] if len(places) else places


def _ngrams(pairs: SegmentPairs, view: Callable[[Side], tuple[Int64s, Int64s]], order: int) -> Counts:
    hypothesis, reference = view(pairs.hypothesis), view(pairs.reference)
    matches = clipped_matches(*hypothesis, *reference, pairs.reference_of, order)
    return Counts(matches, ngram_counts(hypothesis[1], order), ngram_counts(reference[1], order)[pairs.reference_of])


def _columns(unit: str, first: int, counts: Counts) -> dict[tuple[str, int], Counts]:
    matches, hypothesis_units, reference_units, _ = counts
    return {
        (unit, first + k): Counts(matches[:, k], hypothesis_units[:, k], reference_units[:, k]) for k in range(matches.shape[1])
    }


def _words(side: Side) -> tuple[Int64s, Int64s]:
    return side.words, side.offsets


def _edged_ngrams(pairs: SegmentPairs, order: int) -> Mapping[tuple[str, int], Counts]:
    highest = max(order, 4)
    matches, hypothesis_units, reference_units, _ = _ngrams(pairs, _words, highest)
    edges = match_edges(*_words(pairs.hypothesis), *_words(pairs.reference), pairs.reference_of, highest)
    return _columns("ngram", 1, Counts(matches + edges, hypothesis_units + 2, reference_units + 2))


def _character_ngrams(pairs: SegmentPairs, order: int) -> Mapping[tuple[str, int], Counts]:
    return _columns("character", 1, _ngrams(pairs, lambda side: side.characters, max(order, MATCHED_ORDER)))


def _released_characters(pairs: SegmentPairs, order: int) -> Mapping[tuple[str, int], Counts]:
    # Order k counts the (k - 1)-grams of the text without its last character. Order 1, of empty strings, counts characters.
    columns = _columns("char", 2, _ngrams(pairs, lambda side: _without_last(side.characters), max(order, MATCHED_ORDER) - 1))
    hypothesis_lengths, reference_lengths = pairs.lengths("char")
    return {
        **columns,
        ("char", 1): Counts(np.minimum(hypothesis_lengths, reference_lengths), hypothesis_lengths, reference_lengths),
    }


def _without_last(side: tuple[Int64s, Int64s]) -> tuple[Int64s, Int64s]:
    characters, offsets = side
    lengths = np.diff(offsets)
    keep = np.ones(len(characters), np.bool_)
    keep[offsets[1:][lengths > 0] - 1] = False
    return characters[keep], np.concatenate([[0], np.cumsum(np.maximum(lengths - 1, 0))])


def _skips(pairs: SegmentPairs, order: int) -> Mapping[tuple[str, int], Counts]:
    counts = match_skips(*_words(pairs.hypothesis), *_words(pairs.reference), pairs.reference_of, order)
    return {("skip", order): Counts(counts[:, 0], counts[:, 1], counts[:, 2])}


def _tags(side: Side) -> tuple[Int64s, Int64s]:
    if side.tags is None:
        raise ValueError("features of parts of speech need tagged text")
    return side.tags, side.offsets


def _mixed_ngrams(pairs: SegmentPairs, order: int) -> Mapping[tuple[str, int], Counts]:
    hypothesis, reference, highest = pairs.hypothesis, pairs.reference, max(order, 4)
    matches = match_mixed(
        hypothesis.words,
        _tags(hypothesis)[0],
        hypothesis.offsets,
        reference.words,
        _tags(reference)[0],
        reference.offsets,
        pairs.reference_of,
        highest,
    )
    return _columns(
        "mixed",
        1,
        Counts(matches, ngram_counts(hypothesis.offsets, highest), ngram_counts(reference.offsets, highest)[pairs.reference_of]),
    )


def _per_segment(flags: Bools, offsets: Int64s) -> Int64s:
    sums = np.concatenate([[0], np.cumsum(flags, dtype=np.int64)])
    return np.asarray(sums[offsets[1:]] - sums[offsets[:-1]])


def _trees(side: Side) -> tuple[Int64s, Int64s]:
    if side.trees is None:
        raise ValueError("features of arcs need dependency trees")
    return side.trees


def _matched(pairs: SegmentPairs, order: int) -> Mapping[tuple[str, int], Counts]:
    hypothesis_lengths, reference_lengths = pairs.lengths("word")
    # Stages, content or function words, hypothesis or reference.
    matches = pairs.alignment.counts[:, FIRST_MATCHES:PIECES].astype(np.int64).reshape(-1, len(STAGES), 2, 2)
    content, function = matches[:, :, 0].sum(1), matches[:, :, 1].sum(1)
    units = {"matched": content + function, "matchedfunction": function, "matchedcontent": content}
    units |= {f"matched{stage}": matches[:, k].sum(1) for k, stage in enumerate(STAGES)}
    # As in BEER 1.1, the denominators are all words of a side.
    return {(unit, 0): Counts(m[:, 0], hypothesis_lengths, reference_lengths, m[:, 1]) for unit, m in units.items()}


def _class_of(pairs: SegmentPairs, side: Side, kind: str) -> Bools:
    """Mask of the words of a side in a class. Punctuation has no letters or digits; `function_words` lists function words."""
    if not side.symbols:
        return np.zeros(len(side.words), np.bool_)
    if kind == "words":
        return np.ones(len(side.words), np.bool_)
    function = np.array([symbol.lower() in pairs.function_words for symbol in side.symbols])
    punctuation = np.array([not any(map(str.isalnum, symbol)) for symbol in side.symbols])
    table = {"function": function & ~punctuation, "punctuation": punctuation, "content": ~function & ~punctuation}[kind]
    return np.asarray(_look_up(table, side.words), np.bool_)


def word_classes(pairs: SegmentPairs, kind: str) -> tuple[Int64s, Int64s]:
    """Number of words of a class in hypotheses and references; shape (h,) each.

    Classes are ``words``, ``function``, ``punctuation`` and ``content``.
    """
    sides = (pairs.hypothesis, pairs.reference)
    hypothesis_counts, reference_counts = (_per_segment(_class_of(pairs, side, kind), side.offsets) for side in sides)
    return hypothesis_counts, reference_counts[pairs.reference_of]


PAIR_UNITS: Final = (
    PairUnit("word", "word n-grams of order K", (1, 9), lambda p, k: _columns("word", 1, _ngrams(p, _words, max(k, 4)))),
    PairUnit("ngram", "word n-grams of order K with one unit for the start and one for the end (BEER 2.0)", (1, 9), _edged_ngrams),
    PairUnit("character", "character n-grams of order K over the words joined by blanks", (1, 12), _character_ngrams),
    PairUnit(
        "char",
        "character n-grams of nominal order K of the BEER 2.0 release: K - 1 characters, never the last",
        (1, 12),
        _released_characters,
    ),
    PairUnit("skip", "ordered pairs of words with at most K words in between", (0, 1_000_000), _skips),
    PairUnit("pos", "n-grams of parts of speech of order K", (1, 9), lambda p, k: _columns("pos", 1, _ngrams(p, _tags, max(k, 4)))),
    PairUnit("mixed", "n-grams of order K that match by word or by part of speech", (1, 9), _mixed_ngrams),
    PairUnit("matched", "words that the aligner matched", None, _matched),
    PairUnit("matchedfunction", "function words that the aligner matched, over all words", None, _matched),
    PairUnit("matchedcontent", "other words that the aligner matched, over all words", None, _matched),
    PairUnit("matchedexact", "equal words that the aligner matched", None, _matched),
    PairUnit("matchedstem", "different words that it matched by their stem", None, _matched),
    PairUnit("matchedsynonym", "words that it matched by a common set of synonyms", None, _matched),
    PairUnit("matchedparaphrase", "words of phrases that it matched as paraphrases", None, _matched),
)
UNITS: Final = {unit.name: unit for unit in PAIR_UNITS}
