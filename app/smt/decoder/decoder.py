"""Translation of sentences: one search for each, and the derivations that it found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import inf, log
from typing import Final

import numpy as np

from app.arrays import Int32s
from app.errors import InputError
from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.k_best import k_best
from app.smt.decoder.markup.marks import NO_MARKS, Marks
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.options import HINTS, OptionWords, PathParts, TranslationOptions, number_of_hint, options_of
from app.smt.decoder.search_kernels import search
from app.smt.decoder.sparse.boundaries import NO_BOUNDARIES, Boundaries, boundaries_of
from app.smt.decoder.stack_kernels import Stacks
from app.smt.decoder.system import System
from app.text.tokenisation import tokens_of

__all__ = ["BARS", "LONGEST_SENTENCE", "Decoder", "SearchResult", "check_sentence"]

# Tables of spans grow with the square of the length.
LONGEST_SENTENCE: Final = 1000
BARS: Final = "|||"
# Derivations that are read for each distinct translation, as in Moses.
DISTINCT_FACTOR: Final = 20
# Each new request for derivations asks for this many times more.
GROWTH: Final = 4


@dataclass(frozen=True)
class SearchResult:
    """Result of the search for one sentence: its words, options and hypotheses."""

    tokens: Sequence[str]
    _options: TranslationOptions | None
    _words: Sequence[list[str]]
    _stacks: Stacks | None
    _marks: Marks = NO_MARKS
    # Phrases by option: n-best lists repeat most of them.
    _phrases: dict[int, Phrase] = field(default_factory=dict)
    _paths: PathParts | None = None

    @cached_property
    def graph(self) -> tuple[TranslationOptions, list[list[str]], Stacks] | None:
        """Options, target words of each option, and hypotheses without the pruned ones; None for a sentence without words."""
        return None if self._options is None or self._stacks is None else (self._options, list(self._words), self._stacks)

    def derivations(self, count: int = 1) -> Iterator[Derivation]:
        """Yield the derivations that were not pruned, the best first.

        A search without alternatives yields only the best one. `count` is the expected number of derivations; a good guess saves
        time.
        """
        if self._stacks is None or self._options is None:
            yield Derivation((), 0.0)
            return
        begin, size = 0, count
        while True:
            options, offsets, scores = k_best(self._stacks, len(self.tokens), size)
            phrases = [self._phrase(self._options, o) for o in options.tolist()]
            ends = offsets.tolist()
            for d in range(begin, len(scores)):
                parts = tuple(phrases[ends[d] : ends[d + 1]])
                yield Derivation(parts, float(scores[d]), self._jumps(parts))
            if len(scores) < size:
                return
            begin, size = size, GROWTH * size

    def best(self) -> Derivation | None:
        """Best derivation; None if the search reached no end, which only a required target can cause."""
        return next(self.derivations(), None)

    def n_best(self, count: int, distinct: bool = False) -> list[Derivation]:
        """List the `count` best derivations; if `distinct`, the best one for each of `count` translations."""
        if not distinct:
            return list(islice(self.derivations(count), count))
        texts: dict[str, Derivation] = {}
        for derivation in islice(self.derivations(count), count * DISTINCT_FACTOR):
            texts.setdefault(derivation.text, derivation)
            if len(texts) == count:
                break
        return list(texts.values())

    def phrases(self, options: Sequence[int]) -> tuple[Phrase, ...]:
        """Phrases of these options."""
        return () if self._options is None else tuple(self._phrase(self._options, o) for o in options)

    def _phrase(self, options: TranslationOptions, o: int) -> Phrase:
        if o not in self._phrases:
            row = int(options.rows[o])
            hint = self._marks.hints[number_of_hint(row)].score if row <= HINTS else None
            words = tuple(self._words[o])
            start, end = int(options.starts[o]), int(options.ends[o])
            if self._paths is not None:
                source, inputs = self._paths.sources[o], tuple(self._paths.inputs[o].tolist())
                # An arc without a word is no unknown word.
                self._phrases[o] = Phrase(start, end, words, row, None if source else 0.0, source, inputs)
                return self._phrases[o]
            self._phrases[o] = Phrase(start, end, words, max(row, -1), hint, tuple(self.tokens[start:end]))
        return self._phrases[o]

    def _jumps(self, phrases: tuple[Phrase, ...]) -> tuple[int, ...] | None:
        """Distances before phrases of a lattice."""
        if self._paths is None:
            return None
        ends = [0, *(phrase.end for phrase in phrases)]
        return tuple(int(self._paths.distances[end, phrase.start]) for end, phrase in zip(ends, phrases, strict=False))


def check_sentence(text: str, file: str, line: int) -> None:
    """Raise InputError if a sentence is longer than the limit, or has a word that n-best lists cannot hold."""
    words = tokens_of(text)
    if len(words) > LONGEST_SENTENCE:
        raise InputError("segment-too-long", f"{len(words)} words; a sentence has at most {LONGEST_SENTENCE}", (file, line))
    if BARS in text:
        detail = f"line {line} of {file} has a word with {BARS}, which separates columns of n-best lists; remove it"
        raise InputError("invalid-character", detail, (file, line))


class Decoder:
    """A system and the limits of its search; it caches scores of language models, and belongs to one thread."""

    def __init__(self, system: System, limits: SearchLimits | None = None) -> None:
        """Take the limits of the system's configuration if `limits` is None."""
        self.system = system
        self.limits = limits or system.ini.limits
        self._hierarchical = any(model.kind.hierarchical for model in system.reordering)

    def translate(
        self,
        text: str,
        alternatives: bool = False,
        target: str | None = None,
        marks: Marks = NO_MARKS,
        prefix: bool = False,
        all_options: bool = False,
    ) -> SearchResult:
        """Search for translations of a sentence within its markup, or for derivations of one `target`.

        If `prefix`, translations need only begin with the target. `alternatives` keeps recombined derivations for n-best lists. A
        search for a target takes only options with words of the target. With `all_options` it takes all, so that future costs equal
        those of a free search. InputError if a sentence has more than 1,000 words.
        """
        tokens = tokens_of(text)
        if len(tokens) > LONGEST_SENTENCE:
            raise InputError("segment-too-long", f"a sentence has at most {LONGEST_SENTENCE} words")
        target_words = None if target is None else tokens_of(target)
        if not tokens:
            return SearchResult(tokens, None, [], None)
        options = options_of(self.system, tokens, None if prefix or all_options else target_words, marks)
        words = OptionWords(self.system, options, tokens, marks)
        spans = zip(options.starts.tolist(), options.ends.tolist(), strict=True)
        boundaries = self._boundaries([tokens[start:end] for start, end in spans], words)
        numbers: dict[str, int] = {}
        target_numbers = [numbers.setdefault(word, len(numbers)) for word in target_words or ()]
        option_words = [numbers.get(word, -1) for phrase in words for word in phrase] if target_words is not None else []
        within = (np.array(target_numbers, np.int32), np.array(option_words, np.int32), target_words is not None, prefix)
        stacks = self._search(options, alternatives, within, marks, boundaries)
        return SearchResult(tokens, options, words, stacks, marks)

    def translate_paths(
        self, length: int, options: TranslationOptions, words: list[list[str]], paths: PathParts, alternatives: bool = False
    ) -> SearchResult:
        """Search with the options of a lattice of `length` nodes behind the first; `words` are their target words."""
        no_target = (np.zeros(0, np.int32), np.zeros(0, np.int32), False, False)
        stacks = self._search(options, alternatives, no_target, NO_MARKS, self._boundaries(paths.sources, words))
        return SearchResult([""] * length, options, words, stacks, _paths=paths)

    def _boundaries(self, sources: Sequence[Sequence[str]], words: Sequence[Sequence[str]]) -> Boundaries:
        if not any(self.system.sparse_weights.by_classes):
            return NO_BOUNDARIES
        pairs = list(zip(sources, words, strict=True))
        return boundaries_of(self.system.sparse, self.system.sparse_weights, pairs)

    def _search(
        self,
        options: TranslationOptions,
        alternatives: bool,
        within: tuple[Int32s, Int32s, bool, bool],
        marks: Marks,
        boundaries: Boundaries,
    ) -> Stacks:
        """Hypotheses of a search; again with a larger cache of states if it was full."""
        models = self.system.models
        models.forget_much()
        while True:
            stacks: Stacks
            stacks, room = search(
                models.models, models.states, options, self.system.weight("Distortion"), self.limits.distortion, self.limits.stack,
                log(self.limits.threshold) if self.limits.threshold else -inf, self._hierarchical, alternatives, *within,
                *marks.bounds, boundaries,
            )  # fmt: skip
            if room:
                return stacks
            models.forget(larger=True)
