"""Translating sentences: one search each, and what is read from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import inf, log
from typing import Final

import numpy as np

from app.errors import InputError
from app.smt.decoder.derivation import Derivation, Phrase
from app.smt.decoder.k_best import k_best
from app.smt.decoder.markup.marks import NO_MARKS, Marks
from app.smt.decoder.moses_ini import Limits
from app.smt.decoder.options import HINTS, Options, number_of_hint, options_of, words_of_options
from app.smt.decoder.search_kernels import search
from app.smt.decoder.sparse.boundaries import NO_BOUNDARIES, boundaries_of
from app.smt.decoder.stack_kernels import Stacks
from app.smt.decoder.system import System
from app.text.tokenisation import tokens_of

__all__ = ["BARS", "LONGEST_SENTENCE", "Decoder", "Translations", "check_sentence"]

# Tables of spans are square in it.
LONGEST_SENTENCE: Final = 1000
BARS: Final = "|||"
# As Moses has it: so many derivations are looked at for each translation that is to be another one.
DISTINCT_FACTOR: Final = 20
# Where derivations do not suffice, so many times as many are looked for.
MORE: Final = 4


@dataclass(frozen=True)
class Translations:
    """What a search came to."""

    tokens: Sequence[str]
    _options: Options | None
    _words: list[list[str]]
    _stacks: Stacks | None
    _marks: Marks = NO_MARKS
    # Phrases by their option: lists have most of them many times.
    _made: dict[int, Phrase] = field(default_factory=dict)

    @property
    def searched(self) -> tuple[Options, list[list[str]], Stacks] | None:
        """The options, the words of each, and all hypotheses that were not pruned; nothing of a sentence without words."""
        return None if self._options is None or self._stacks is None else (self._options, self._words, self._stacks)

    def derivations(self, about: int = 1) -> Iterator[Derivation]:
        """The derivations that were not pruned, the best first; the very best alone where the search kept no others.

        It is quickest where it is said how many are asked for.
        """
        if self._stacks is None or self._options is None:
            yield Derivation((), 0.0)
            return
        done, size = 0, about
        while True:
            options, offsets, scores = k_best(self._stacks, len(self.tokens), size)
            phrases = [self._phrase(self._options, o) for o in options.tolist()]
            ends = offsets.tolist()
            for d in range(done, len(scores)):
                yield Derivation(tuple(phrases[ends[d] : ends[d + 1]]), float(scores[d]))
            if len(scores) < size:
                return
            done, size = size, MORE * size

    def best(self) -> Derivation | None:
        """The best derivation; None where there is none, which only a translation that was asked for can lead to."""
        return next(self.derivations(), None)

    def n_best(self, count: int, distinct: bool = False) -> list[Derivation]:
        """The `count` best derivations, or the best one of each of as many translations."""
        if not distinct:
            return list(islice(self.derivations(count), count))
        texts: dict[str, Derivation] = {}
        for derivation in islice(self.derivations(count), count * DISTINCT_FACTOR):
            texts.setdefault(derivation.text, derivation)
            if len(texts) == count:
                break
        return list(texts.values())

    def phrases(self, chosen: Sequence[int]) -> tuple[Phrase, ...]:
        """Options of the search as phrases."""
        return () if self._options is None else tuple(self._phrase(self._options, o) for o in chosen)

    def _phrase(self, options: Options, o: int) -> Phrase:
        if o not in self._made:
            row = int(options.rows[o])
            hint = self._marks.hints[number_of_hint(row)].score if row <= HINTS else None
            words = tuple(self._words[o])
            start, end = int(options.starts[o]), int(options.ends[o])
            self._made[o] = Phrase(start, end, words, max(row, -1), hint, tuple(self.tokens[start:end]))
        return self._made[o]


def check_sentence(text: str, file: str, line: int) -> None:
    """InputError with the place of a sentence that has more words than are translated, or one that lists cannot hold."""
    words = tokens_of(text)
    if len(words) > LONGEST_SENTENCE:
        raise InputError("segment-too-long", f"{len(words)} words; a sentence has at most {LONGEST_SENTENCE}", (file, line))
    if BARS in text:
        detail = f"line {line} of {file} has a word with {BARS}, which divides columns of n-best lists"
        raise InputError("invalid-character", detail, (file, line))


class Decoder:
    """A system with limits of the search; it remembers what language models said, and belongs to one thread."""

    def __init__(self, system: System, limits: Limits | None = None) -> None:
        """`limits` are those of the system's configuration where they are not given."""
        self.system = system
        self.limits = limits or system.ini.limits
        self._hierarchical = any(model.kind.hierarchical for model in system.reordering)

    def translate(
        self,
        text: str,
        alternatives: bool = False,
        needed: str | None = None,
        marks: Marks = NO_MARKS,
        begins: bool = False,
        everything: bool = False,
    ) -> Translations:
        """Search for translations of a sentence, or for derivations of the one that is `needed`, within what its markup says.

        Where translations only have to begin with what is needed, `begins` is true. `alternatives` are kept for n-best lists.
        With `everything`, options that are not in what is needed are looked at too: nothing is found by them, but as much is hoped
        as without it. InputError where a sentence has more than 1,000 words.
        """
        tokens = tokens_of(text)
        if len(tokens) > LONGEST_SENTENCE:
            raise InputError("segment-too-long", f"a sentence has at most {LONGEST_SENTENCE} words")
        wanted = None if needed is None else tokens_of(needed)
        if not tokens:
            return Translations(tokens, None, [], None)
        options = options_of(self.system, tokens, None if begins or everything else wanted, marks)
        words = words_of_options(self.system, options, tokens, marks)
        boundaries = NO_BOUNDARIES
        if any(self.system.sparse_weights.by_classes):
            spans = zip(options.starts.tolist(), options.ends.tolist(), words, strict=True)
            pairs = [(tokens[start:end], phrase) for start, end, phrase in spans]
            boundaries = boundaries_of(self.system.sparse, self.system.sparse_weights, pairs)
        numbers: dict[str, int] = {}
        needed_numbers = [numbers.setdefault(word, len(numbers)) for word in wanted or ()]
        option_words = [numbers.get(word, -1) for phrase in words for word in phrase] if wanted is not None else []
        models = self.system.models
        models.forget_much()
        while True:
            stacks, room = search(
                models.models, models.states, options, self.system.weight("Distortion"), self.limits.distortion, self.limits.stack,
                log(self.limits.threshold) if self.limits.threshold else -inf, self._hierarchical, alternatives,
                np.array(needed_numbers, np.int32), np.array(option_words, np.int32), wanted is not None, begins,
                *marks.bounds, boundaries,
            )  # fmt: skip
            if room:
                return Translations(tokens, options, words, stacks, marks)
            models.forget(larger=True)
