"""Languages of texts by the model of `identification.model`.

The model returns probabilities; `looks_otherwise` decides if they are clear enough to contradict the expected language.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from itertools import chain
from typing import Final

import numpy as np

from app.resources.identification.model import LanguageProbabilities, language_identifier
from app.resources.word_table import WordTable
from app.text.languages import LanguagePair, base_language

__all__ = [
    "CHARACTERS",
    "LIKELY",
    "SAMPLE_SIZE",
    "Probabilities",
    "identifiable",
    "identify",
    "identify_each",
    "kin_of",
    "letters_of",
    "likeliest",
    "looks_otherwise",
    "order_of",
    "spoken_words",
    "warm_up_identifier",
]

# By language code.
Probabilities = Mapping[str, float]
# A sample of this many segments, and of this many characters of each, is enough.
SAMPLE_SIZE: Final = 50
CHARACTERS: Final = 300
# Segments are joined up to this many letters: "Save" alone could be of any language.
LETTERS_AT_ONCE: Final = 40
# Groups of languages that short texts cannot distinguish.
KIN: Final = (
    frozenset({"da", "no", "nn"}),
    frozenset({"bs", "hr", "sr"}),
    frozenset({"id", "ms"}),
    frozenset({"cs", "sk"}),
    frozenset({"es", "gl", "an", "ext"}),
    frozenset({"pt", "gl"}),
)
# A text with enough letters contradicts a language of a lower probability, as a share of the probability of the likeliest.
UNLIKELY: Final = 0.05
# Limit for documents of `MANY_LETTERS` and more, which may quote another language.
UNLIKELY_IN_MANY: Final = 0.2
MANY_LETTERS: Final = 400
LIKELY: Final = 0.5
# Smallest probability of a language that contradicts another one, as related languages share the rest. Titles and quotations of any
# text are often English, which needs `LIKELY`.
CONTRADICTING: Final = 0.3
# Cyrillic letters that a language lacks. If several words have such letters, the higher limit holds.
MISSING_LETTERS: Final = {
    "ru": frozenset("іїєґўђјљњћџѓќѕ"),
    "uk": frozenset("ыэъёўђјљњћџѓќѕ"),
    "be": frozenset("щъїєґђјљњћџѓќѕ"),
    "bg": frozenset("ыэёіїєґўђјљњћџѓќѕ"),
}
MINIMUM_FOREIGN_WORDS: Final = 2
SHARE_OF_FOREIGN_WORDS: Final = 0.2
MINIMUM_LETTERS: Final = 16
MINIMUM_UNSPACED_LETTERS: Final = 5
# Japanese texts of as many letters have kana.
MANY_HAN: Final = 12
# Smallest share of lower-case words in a sentence, German sentences included.
MINIMUM_LOWER_CASE: Final = 0.4
# An ASCII token with one of these characters is an address, a placeholder or code.
NO_WORDS: Final = frozenset("@_\\{}%$#=/<>|~^*[]0123456789")
TAG_LENGTH: Final = 100


class _Letters(dict[int, str]):
    """A table for `str.translate` that keeps letters and their marks, and turns all else into blanks."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        replacement = character if unicodedata.category(character)[0] in "LM" else " "
        if code < 0x10000:
            self[code] = replacement
        return replacement


LETTERS: Final = _Letters()


def spoken_words(text: str) -> list[str]:
    """Words of letters in a text, without numbers, signs, addresses, tags and placeholders; O(length)."""
    return list(chain.from_iterable(map(SPOKEN_WORDS.__getitem__, _without_tags(text).split())))


def _words_in(word: str) -> tuple[str, ...]:
    """Words of letters between two blanks."""
    return () if word.isascii() and NO_WORDS.intersection(word) else tuple(word.translate(LETTERS).split())


SPOKEN_WORDS: Final = WordTable(_words_in)


def letters_of(text: str) -> str:
    """Words of a text's first characters, joined by blanks, lower-cased if most letters are in capitalised words; O(1)."""
    words = spoken_words(text[:CHARACTERS])
    capitals = sum(map(len, filter(str.isupper, words)))
    line = " ".join(words)
    # The model knows words in capitals only as names and abbreviations.
    return line.lower() if 2 * capitals > len(line) and capitals else line


def _without_tags(text: str) -> str:
    """A text without short tags in angle brackets."""
    if "<" not in text:
        return text
    first, *rest = text.split("<")
    parts = [first]
    for part in rest:
        end = part.find(">", 0, TAG_LENGTH) if part[:1].isalpha() or part[:1] == "/" else -1
        parts.append(part[end + 1 :])
    return " ".join(parts)


def identify(texts: Iterable[str]) -> Probabilities:
    """Probabilities by language code, the likeliest first, of a sample of the segments of a document.

    Segments are joined into groups with enough letters. The probabilities of groups are weighted by their letters, so that a
    document in two languages shows both. The result is empty if no text has letters.
    """
    identifier = language_identifier()
    groups = list(_groups(texts))
    if not groups:
        return {}
    letters = np.array(list(map(len, groups)), np.float64)
    return LanguageProbabilities(identifier, letters / letters.sum() @ identifier.probabilities(groups))


def identify_each(texts: Sequence[str]) -> list[Probabilities]:
    """Probabilities of `identify` for each text alone, computed at once."""
    identifier = language_identifier()
    lines = list(map(letters_of, texts))
    rows = iter(identifier.probabilities([line for line in lines if line]))
    return [LanguageProbabilities(identifier, next(rows)) if line else {} for line in lines]


def _groups(texts: Iterable[str]) -> Iterator[str]:
    group: list[str] = []
    size = 0
    for _, text in zip(range(SAMPLE_SIZE), texts, strict=False):
        letters = letters_of(text)
        if letters:
            group.append(letters)
            size += len(letters)
        if size >= LETTERS_AT_ONCE:
            yield " ".join(group)
            group, size = [], 0
    if group:
        yield " ".join(group)


def identifiable(language: str) -> bool:
    """Return True if the model knows a language."""
    return language in _languages()


def likeliest(probabilities: Probabilities) -> str | None:
    """The language with a probability of at least one half; None if there is none."""
    language = next(iter(probabilities), None)
    return language if language is not None and probabilities[language] >= LIKELY else None


def looks_otherwise(texts: Sequence[str], language: str, probabilities: Probabilities) -> bool:
    """Return True if texts are clearly not in `language`, by the `probabilities` of `identify`.

    Texts of a few letters are never clear, nor are languages outside the model.
    """
    apparent = next(iter(probabilities), language)
    kin = kin_of(language)
    smallest = LIKELY if apparent == "en" else CONTRADICTING
    if not identifiable(language) or apparent in kin or probabilities[apparent] < smallest:
        return False
    words = [word for text in texts[:SAMPLE_SIZE] for word in letters_of(text).split()]
    if language == "ja" and apparent == "zh" and sum(map(len, words)) < MANY_HAN:
        # Japanese labels such as 再生成 have no kana.
        return False
    limit = UNLIKELY if sum(map(len, words)) < MANY_LETTERS and not _lacks_letters(language, words) else UNLIKELY_IN_MANY
    # Galician is like Spanish and like Portuguese, but its share is no evidence against either of both.
    probability = sum(probabilities.get(code, 0.0) for code in kin - kin_of(apparent))
    return probability < limit * probabilities[apparent] and _has_sentences(words)


@lru_cache(maxsize=1024)
def kin_of(language: str) -> frozenset[str]:
    """A language and those that short texts cannot distinguish from it."""
    return frozenset({language}).union(*(group for group in KIN if language in group))


def order_of(pair: LanguagePair | None) -> Callable[[Sequence[str], Sequence[str]], bool | None] | None:
    """A function of two columns of text: True if they are source and target of `pair`, False if swapped, None if unclear.

    Without a pair, the result is None.
    """
    return None if pair is None else partial(_in_order, base_language(pair.source), base_language(pair.target))


def _in_order(source: str, target: str, first: Sequence[str], second: Sequence[str]) -> bool | None:
    """Return True if two columns are in `source` and `target`, False if they are swapped, None if it is unclear."""
    languages = tuple(likeliest(identify(texts)) for texts in (first, second))
    if languages == (source, target):
        return True
    is_swapped = languages == (target, source)
    if is_swapped and all(looks_otherwise(texts, tag, identify(texts)) for texts, tag in ((first, source), (second, target))):
        return False
    return None


def _lacks_letters(language: str, words: Sequence[str]) -> bool:
    """Return True if several words have letters that `language` lacks; a single name or quotation may have them."""
    missing_letters = MISSING_LETTERS.get(language)
    count = 0 if missing_letters is None else sum(not missing_letters.isdisjoint(word.lower()) for word in words)
    return count >= max(MINIMUM_FOREIGN_WORDS, SHARE_OF_FOREIGN_WORDS * len(words))


def _has_sentences(words: Sequence[str]) -> bool:
    """Return True if words have enough letters of sentences; titles and lists of names are similar in many languages."""
    if sum(_is_unspaced(c) for word in words for c in word) >= MINIMUM_UNSPACED_LETTERS:
        return True
    # Words of a script without capitals count as lower case.
    lower_case_words = sum(word.islower() or word.lower() == word.upper() for word in words)
    return sum(map(len, words)) >= MINIMUM_LETTERS and lower_case_words >= MINIMUM_LOWER_CASE * len(words)


def _is_unspaced(character: str) -> bool:
    """Return True for scripts with words of a letter or two: Han, kana, Hangul."""
    return "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3" or character >= "\U00020000"


def warm_up_identifier() -> None:
    """Load the model, which takes half a second, and its kernels, so that no request waits for them."""
    language_identifier().probabilities(["a"])


@cache
def _languages() -> frozenset[str]:
    return frozenset(language_identifier().codes)
