"""Rules that clean parallel text: each class has options, the reason to leave a pair out, and the decision.

A new rule is a class in `RULES`; `assay corpus filter` reads its options there.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Annotated, ClassVar, Final

from app.errors import InputError
from app.smt.corpus.selection.sides import check_language, check_script, has_markup, is_foreign, punctuation, repeats, script_share

__all__ = ["RULES", "Rule", "RuleOption", "SentencePair"]


@dataclass(frozen=True)
class RuleOption:
    """An option of a rule: help and bounds; a share may be a percentage."""

    help: str
    low: float | None = None
    high: float | None = None
    share: bool = False


class SentencePair:
    """A sentence pair: both texts, stripped of blanks, and their words."""

    def __init__(self, source: str, target: str) -> None:
        self.sides = source.strip(), target.strip()

    @cached_property
    def words(self) -> tuple[list[str], list[str]]:
        """Words of both sides, divided by blanks."""
        return self.sides[0].split(), self.sides[1].split()


@dataclass(frozen=True, kw_only=True)
class Rule(ABC):
    """A rule: fields are options, `name` is its word in files of decisions, and `reason` ends "left out N pairs ..."."""

    name: ClassVar[str]
    reason: ClassVar[str]
    always_active: ClassVar[bool] = False

    @property
    def active(self) -> bool:
        """Return True if an option has another value than its default, or if the rule is always active."""
        return self.always_active or any(getattr(self, option.name) != option.default for option in fields(self))

    @abstractmethod
    def accept(self, pair: SentencePair) -> bool:
        """Return True if a pair passes the rule."""


@dataclass(frozen=True, kw_only=True)
class WordCount(Rule):
    """Both sides have `min_words` to `max_words` words."""

    name = "words"
    reason = "with too few or too many words"
    always_active = True
    min_words: Annotated[int, RuleOption("Fewest words of a side.", low=1)] = 1
    max_words: Annotated[int, RuleOption("Most words of a side.", low=1)] = 80

    def __post_init__(self) -> None:
        if not 1 <= self.min_words <= self.max_words:
            raise InputError(
                "invalid-request", "the maximum of words is below the minimum, or the minimum is below 1", ("--max-words",)
            )

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        return all(self.min_words <= len(words) <= self.max_words for words in pair.words)


@dataclass(frozen=True, kw_only=True)
class LengthRatio(Rule):
    """The longer side has at most `max_ratio` times as many words as the shorter."""

    name = "ratio"
    reason = "of too different lengths"
    always_active = True
    max_ratio: Annotated[float, RuleOption("Most words of the longer side per word of the other.", low=1)] = 9.0

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        shorter, longer = sorted(map(len, pair.words))
        return longer <= self.max_ratio * shorter


@dataclass(frozen=True, kw_only=True)
class WordLength(Rule):
    """No word has more than `max_word_length` characters."""

    name = "word"
    reason = "with too long a word"
    max_word_length: Annotated[int | None, RuleOption("Most characters of a word.", low=1)] = None

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        return all(len(word) <= (self.max_word_length or 0) for words in pair.words for word in words)


@dataclass(frozen=True, kw_only=True)
class Copy(Rule):
    """Both sides have different words."""

    name = "copy"
    reason = "with the same text on both sides"
    no_copies: Annotated[bool, RuleOption("Leave out pairs whose sides are equal.")] = False

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        return pair.words[0] != pair.words[1]


@dataclass(frozen=True, kw_only=True)
class Letters(Rule):
    """Letters are at least the share `min_letters` of the characters of each side; blanks do not count."""

    name = "letters"
    reason = "with too few letters"
    min_letters: Annotated[float, RuleOption("Least share of letters on either side.", low=0, high=1, share=True)] = 0.0

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        return all(_letters("".join(words)) >= self.min_letters for words in pair.words)


@dataclass(frozen=True, kw_only=True)
class Numbers(Rule):
    """Both sides have equal runs of digits, in any order."""

    name = "numbers"
    reason = "with other numbers on the other side"
    same_numbers: Annotated[bool, RuleOption("Leave out pairs whose runs of digits differ.")] = False

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        source, target = map(_numbers, pair.sides)
        return source == target


@dataclass(frozen=True, kw_only=True)
class CharacterCount(Rule):
    """Both sides have `min_characters` to `max_characters` characters, without outer blanks."""

    name = "characters"
    reason = "with too few or too many characters"
    min_characters: Annotated[int, RuleOption("Fewest characters of a side.", low=0)] = 0
    max_characters: Annotated[int | None, RuleOption("Most characters of a side.", low=1)] = None

    def __post_init__(self) -> None:
        if self.max_characters is not None and self.max_characters < self.min_characters:
            raise InputError("invalid-request", "the maximum of characters is below the minimum", ("--max-characters",))

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        limit = self.max_characters
        return all(self.min_characters <= len(side) and (limit is None or len(side) <= limit) for side in pair.sides)


@dataclass(frozen=True, kw_only=True)
class Script(Rule):
    """Letters of the right script are at least the share `min_script` of the letters of a side."""

    name = "script"
    reason = "in other scripts"
    source_script: Annotated[str | None, RuleOption("Script of the source, as latin, cyrillic, han.")] = None
    target_script: Annotated[str | None, RuleOption("Script of the target.")] = None
    min_script: Annotated[float, RuleOption("Least share of letters of that script.", low=0, high=1, share=True)] = 1.0

    def __post_init__(self) -> None:
        for option, script in (("--source-script", self.source_script), ("--target-script", self.target_script)):
            if script is not None:
                check_script(script, option)
        if not 0 <= self.min_script <= 1:
            raise InputError("invalid-request", "a share of letters is 0 to 1", ("--min-script",))
        if self.min_script != 1 and self.source_script is None and self.target_script is None:
            raise InputError("invalid-request", "name a script: --source-script, --target-script", ("--min-script",))

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        sides = _sides_with(pair, self.source_script, self.target_script)
        return all(script_share(side, script) >= self.min_script for side, script in sides)


@dataclass(frozen=True, kw_only=True)
class Markup(Rule):
    """No side has a tag or an entity of HTML."""

    name = "markup"
    reason = "with remains of HTML"
    no_markup: Annotated[bool, RuleOption("Leave out pairs with tags or entities of HTML.")] = False

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        return not any(map(has_markup, pair.sides))


@dataclass(frozen=True, kw_only=True)
class Punctuation(Rule):
    """Agreement of sentence-final marks is at least `min_punctuation` (`sides.punctuation`)."""

    name = "punctuation"
    reason = "with other marks at ends of sentences"
    min_punctuation: Annotated[
        float | None, RuleOption("Least agreement of sentence ends: 0 is best, -2 usual.", low=-1000, high=0)
    ] = None

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        return punctuation(*pair.sides) >= (self.min_punctuation or 0)


@dataclass(frozen=True, kw_only=True)
class Loop(Rule):
    """No span of characters repeats immediately more than `max_repeats` times."""

    name = "loop"
    reason = "with a stretch that is repeated at once"
    max_repeats: Annotated[int | None, RuleOption("Most immediate repeats of a stretch of 3 to 100 characters.", low=0)] = None

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        return all(repeats(side) <= (self.max_repeats or 0) for side in pair.sides)


@dataclass(frozen=True, kw_only=True)
class Language(Rule):
    """No side is clearly in a wrong language."""

    name = "language"
    reason = "in other languages"
    source_language: Annotated[str | None, RuleOption("Language of the source, as de; leaves out texts clearly in another.")] = None
    target_language: Annotated[str | None, RuleOption("Language of the target.")] = None

    def __post_init__(self) -> None:
        for option, language in (("--source-language", self.source_language), ("--target-language", self.target_language)):
            if language is not None:
                check_language(language, option)

    def accept(self, pair: SentencePair) -> bool:
        """See `Rule`."""
        sides = _sides_with(pair, self.source_language, self.target_language)
        return not any(is_foreign(side, language) for side, language in sides)


# Cheap rules decide first.
RULES: Final[tuple[type[Rule], ...]] = (
    WordCount,
    LengthRatio,
    WordLength,
    Copy,
    Letters,
    Numbers,
    CharacterCount,
    Script,
    Markup,
    Punctuation,
    Loop,
    Language,
)


def _letters(text: str) -> float:
    """Share of letters among characters; 1 for an empty text."""
    return sum(map(str.isalpha, text)) / len(text) if text else 1.0


def _numbers(text: str) -> list[str]:
    return sorted("".join(c if c.isdecimal() else " " for c in text).split())


def _sides_with(pair: SentencePair, source: str | None, target: str | None) -> Iterator[tuple[str, str]]:
    """Yield sides with their script or language, if it is set."""
    yield from ((side, name) for side, name in zip(pair.sides, (source, target), strict=True) if name is not None)
