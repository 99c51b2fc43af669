"""Reasons to review a segment, in a translator's words: wrong, missing and unusual words.

Each reason names its words, neighbours as one phrase. It claims no more than its evidence: "probably" for words that a tagger marks
as wrong, "may be" for possible ones. Reasons stand beside a prediction and are no parts of it. The contributions of features
explain the score.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from app.arrays import Bools, Float64s
from app.checks import WARNINGS, SegmentWarning
from app.features.black_box.grammar import source_tags
from app.features.lexical_links import source_links, target_links
from app.features.view import JudgedWords, View, copies_in, token_mask
from app.resources.tagger import UNIVERSAL_TAGS
from app.text.batch import TokenColumn
from app.text.pieces import places_of_words

__all__ = ["REASONS", "Reason", "WordMarks", "segment_reasons"]

REASONS: Final[Mapping[str, str]] = {
    "wrong": "these words of the translation are probably wrong",
    "doubtful": "these words of the translation may be wrong",
    "missing": "words may be missing here",
    "uncovered": "these source words seem to be untranslated",
    **WARNINGS,
    "added": "these translation words have no known counterpart in the source",
    "long": "the translation is more than twice as long as the source",
    "short": "the translation is less than half as long as the source",
    "rare": "these source words are rare: they are absent from the counted texts",
    "unknown": "the language model does not know these translation words",
    "unusual": "these translation words are unusual in this place",
}
# Phrases of one reason at most.
PHRASE_LIMIT: Final = 5
# Words of closed classes come and go in translation; without tags, short words are left out.
CONTENT: Final = tuple(UNIVERSAL_TAGS.index(tag) for tag in ("NOUN", "PROPN", "VERB", "ADJ", "NUM"))
SHORTEST_CONTENT: Final = 4
SHORTEST_WORD: Final = 2
# log10 of a probability: one in a million, even after the previous word.
IMPROBABLE: Final = -6.0
LENGTH_RATIO_LIMIT: Final = 2.0
# Lengths of shorter segments are no evidence.
LONG_ENOUGH: Final = 6
# Mark of missing words.
ELLIPSIS: Final = "…"


class WordMarks(JudgedWords, Protocol):
    """Probabilities of a word tagger, and its marks."""

    @property
    def wrong_words(self) -> Bools:
        """Mask of words that are marked as wrong."""

    @property
    def possible_words(self) -> Bools:
        """Mask of words that are marked as possibly wrong."""

    @property
    def marked_gaps(self) -> Bools:
        """Mask of gaps that are marked."""


@dataclass(frozen=True)
class Reason:
    """A reason: its code, its text, and its phrases of the source and of the translation."""

    code: str
    text: str
    source: tuple[str, ...] = ()
    translation: tuple[str, ...] = ()


def segment_reasons(
    view: View, judgement: WordMarks | None, warnings: Sequence[Sequence[SegmentWarning]]
) -> list[tuple[Reason, ...]]:
    """Reasons of each segment of a batch, the strongest kinds first; a missing resource gives no reasons."""
    source, target = _EvidenceSide.of(view, view.batch.cased_source, 0), _EvidenceSide.of(view, view.batch.cased_translation, 1)
    wrong, doubtful = (None, None) if judgement is None else (judgement.wrong_words, judgement.possible_words)
    uncovered_words, added_words = _without_counterpart(view)
    rare, (unknown, unusual) = _rare(view), _unusual(view)
    reasons: list[tuple[Reason, ...]] = []
    for i in range(len(view)):
        texts = [
            _reason("wrong", translation=target.phrases(i, wrong)),
            _reason("doubtful", translation=target.phrases(i, doubtful)),
            _reason("missing", translation=_gaps(judgement, target, i)),
            _reason("uncovered", source=source.phrases(i, uncovered_words)),
            *(_checked(warning, source, target, i) for warning in warnings[i]),
            _reason("added", translation=target.phrases(i, added_words)),
            _length(source.size(i), target.size(i)),
            _reason("rare", source=source.phrases(i, rare)),
            _reason("unknown", translation=target.phrases(i, unknown)),
            _reason("unusual", translation=target.phrases(i, unusual)),
        ]
        reasons.append(tuple(reason for reason in texts if reason is not None))
    return reasons


def _reason(code: str, source: Iterable[str] = (), translation: Iterable[str] = ()) -> Reason | None:
    """Return a reason with the words of both sides, or None if neither side has words."""
    left, right = tuple(source)[:PHRASE_LIMIT], tuple(translation)[:PHRASE_LIMIT]
    return Reason(code, REASONS[code], left, right) if left or right else None


def _checked(warning: SegmentWarning, source: "_EvidenceSide", target: "_EvidenceSide", i: int) -> Reason:
    """The reason of a failed check, for some checks about whole texts."""
    left, right = source.joined(i, warning.source), target.joined(i, warning.translation)
    return Reason(warning.code, REASONS[warning.code], tuple(left[:PHRASE_LIMIT]), tuple(right[:PHRASE_LIMIT]))


def _length(source: int, target: int) -> Reason | None:
    if not source or not target or max(source, target) < LONG_ENOUGH:
        return None
    ratio = target / source
    code = "long" if ratio > LENGTH_RATIO_LIMIT else "short" if ratio < 1 / LENGTH_RATIO_LIMIT else None
    return None if code is None else Reason(code, REASONS[code])


@dataclass(frozen=True)
class _EvidenceSide:
    """Tokens of one side in their original case, with their texts."""

    column: TokenColumn
    texts: Sequence[str] | None

    @classmethod
    def of(cls, view: View, column: TokenColumn, side: int) -> "_EvidenceSide":
        return cls(column, None if view.batch.texts is None else view.batch.texts[side])

    def size(self, i: int) -> int:
        return int(self.column.lengths[i])

    def phrases(self, i: int, mask: Bools | None) -> list[str]:
        """Selected words of a segment; neighbours form one phrase of the text."""
        if mask is None:
            return []
        hit = mask[self.column.offsets[i] : self.column.offsets[i + 1]]
        return [self._text(i, first, last) for first, last in _runs(hit)[:PHRASE_LIMIT]]

    def joined(self, i: int, words: Sequence[str]) -> list[str]:
        """Neighbouring words as one phrase of the text."""
        phrases: list[str] = []
        for word in words:
            phrase = f"{phrases[-1]} {word}" if phrases else ""
            if phrase and self.texts is not None and phrase in self.texts[i]:
                phrases[-1] = phrase
            else:
                phrases.append(word)
        return phrases

    def _text(self, i: int, first: int, last: int) -> str:
        words = self.column.tokens(i)
        if self.texts is not None:
            places = places_of_words(self.texts[i], words)
            begin, end = places[first], places[last]
            if begin is not None and end is not None:
                return self.texts[i][begin[0] : end[1]]
        return " ".join(words[first : last + 1])


def _runs(hit: Bools) -> list[tuple[int, int]]:
    """First and last place of each stretch of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], hit, [False]]).astype(np.int8)))
    return [(int(first), int(last) - 1) for first, last in zip(edges[::2], edges[1::2], strict=True)]


def _gaps(judgement: WordMarks | None, target: _EvidenceSide, i: int) -> list[str]:
    """Reasons for missing words, with the words before and after."""
    if judgement is None:
        return []
    words = target.column.tokens(i)
    gap_mask = judgement.marked_gaps[judgement.gap_offsets[i] : judgement.gap_offsets[i + 1]]
    return [
        " ".join([*words[max(0, gap - 1) : gap], ELLIPSIS, *words[gap : gap + 1]])
        for gap in np.flatnonzero(gap_mask)[:PHRASE_LIMIT].tolist()
    ]


def _is_word(word: str) -> bool:
    return len(word) >= SHORTEST_WORD and word.isalpha()


def _content(view: View) -> Bools:
    """True for content words of the source."""
    column = view.batch.cased_source
    if view.resources.source_tagger is not None and len(column.ids):
        return np.asarray(np.isin(view.cached(source_tags), CONTENT)) & token_mask(column, _is_word)
    return token_mask(column, lambda word: word.isalpha() and len(word) >= SHORTEST_CONTENT)


def _without_counterpart(view: View) -> tuple[Bools | None, Bools | None]:
    """Reasons for source words without a translation, and for words of the translation without a source word.

    A word counts if the tables know translations of it and no link in either direction explains it. Copied words are explained.
    """
    forward, back = view.resources.lexical_table, view.resources.reverse_table
    if forward is None or back is None or not len(view.source.ids) or not len(view.target.ids):
        return None, None
    free_source, free_target = view.cached(source_links).place < 0, view.cached(target_links).place < 0
    uncovered_words = free_source & (forward.rows(view.source.hashes) >= 0)[view.source.ids] & ~copies_in(view.source, view.target)
    added_words = free_target & (back.rows(view.target.hashes) >= 0)[view.target.ids] & ~copies_in(view.target, view.source)
    longer = token_mask(view.target, lambda word: word.isalpha() and len(word) >= SHORTEST_CONTENT)
    return _surplus_words(view.source, uncovered_words & _content(view), view.target, free_target), _surplus_words(
        view.target, added_words & longer, view.source, free_source
    )


def _surplus_words(side: TokenColumn, mask: Bools, opposite: TokenColumn, free: Bools) -> Bools:
    """Selected words in segments with more of them than unexplained words on the opposite side.

    Otherwise those words may be their counterparts, as pairs that the tables lack. A segment without an opposite side has no
    reason, in any company.
    """
    words = free & token_mask(opposite, str.isalpha)
    counts, opposite_counts = (
        np.bincount(column.segments[hit], minlength=len(side)) for column, hit in ((side, mask), (opposite, words))
    )
    return np.asarray(mask & ((counts > opposite_counts) & (opposite.lengths > 0))[side.segments])


def _rare(view: View) -> Bools | None:
    counts = view.resources.source_counts
    if counts is None:
        return None
    rare_words = counts.word_frequencies(view.source.hashes) == 0
    return np.asarray(rare_words[view.source.ids] & token_mask(view.source, _is_word))


def _unusual(view: View) -> tuple[Bools | None, Bools | None]:
    """Reasons for words of the translation that the language model does not know, or finds improbable."""
    model = view.resources.target_model
    if model is None:
        return None, None
    scores = model.score_both(view.target)[1]
    # Each segment's words are followed by its end.
    at = np.arange(len(view.target.ids)) + view.target.segments
    orders = scores.matched_orders[at]
    log_probs: Float64s = scores.log_prob[at]
    words = token_mask(view.target, _is_word)
    return np.asarray((orders == 0) & words), np.asarray((orders == 1) & (log_probs < IMPROBABLE) & words)
