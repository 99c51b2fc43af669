"""Which language a text is in, whether anything is loaded for it or not: py3langid's model of 140 languages.

The model is naive Bayes over byte n-grams, multinomial and with a temperature that keeps short texts uncertain. What comes back
are probabilities; `looks_otherwise` says when they are clear enough to contradict what somebody expected.
"""

import io
import lzma
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.text.languages import LanguagePair, base_language

__all__ = [
    "identifiable",
    "identify",
    "letters_of",
    "likeliest",
    "looks_otherwise",
    "order_of",
    "spoken_words",
    "warm_up_identifier",
]

Probabilities = Mapping[str, float]
# So many segments say enough, and so long a piece of each.
LOOKED_AT: Final = 50
CHARACTERS: Final = 300
# Segments are looked at together until they have so many letters: "Save" alone could be anything.
LETTERS_AT_ONCE: Final = 40
# Codes of the model that are called by another here.
CALLED: Final = {"wuu": "zh", "yue": "zh", "pcm": "en", "uzs": "uz", "ary": "ar", "arz": "ar", "sdh": "ku"}
# Languages that short texts do not tell apart.
KIN: Final = (
    frozenset({"da", "no", "nn"}),
    frozenset({"bs", "hr", "sr"}),
    frozenset({"id", "ms"}),
    frozenset({"cs", "sk"}),
    frozenset({"es", "gl", "an", "ext"}),
    frozenset({"pt", "gl"}),
)
# A language that is less likely than this is contradicted, where the evidence has enough letters for it.
UNLIKELY: Final = 0.01
# A document may quote another language: of so many letters that share may be in the one that was expected.
UNLIKELY_IN_MANY: Final = 0.2
MANY_LETTERS: Final = 400
LIKELY: Final = 0.5
# Letters that languages of one script lack: where several words have such, less must be likely for a contradiction.
LACKED: Final = {
    "ru": frozenset("іїєґўђјљњћџѓќѕ"),
    "uk": frozenset("ыэъёўђјљњћџѓќѕ"),
    "be": frozenset("щъїєґђјљњћџѓќѕ"),
    "bg": frozenset("ыэёіїєґўђјљњћџѓќѕ"),
}
FEWEST_WITH_LACKED: Final = 2
SHARE_WITH_LACKED: Final = 0.2
FEWEST_LETTERS: Final = 16
FEWEST_UNSPACED: Final = 5
# The share of words in small letters that a sentence has, a German one too.
FEWEST_SMALL: Final = 0.4
# Of words that are written in ASCII, those with one of these are addresses, placeholders or code.
NO_WORDS: Final = frozenset("@_\\{}%$#=/<>|~^*[]0123456789")
TAG_LENGTH: Final = 100


class _Letters(dict[int, str]):
    """A table for `str.translate`: letters and their marks stay, all else becomes a blank."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kept = character if unicodedata.category(character)[0] in "LM" else " "
        if code < 0x10000:
            self[code] = kept
        return kept


LETTERS: Final = _Letters()


def spoken_words(text: str) -> list[str]:
    """The words of a text, of letters alone: no numbers, signs, addresses, tags or placeholders; O(length)."""
    words = []
    for word in _without_tags(text).split():
        if not (word.isascii() and NO_WORDS.intersection(word)):
            words += word.translate(LETTERS).split()
    return words


def letters_of(text: str) -> str:
    """The words of a text's beginning with blanks between, in small letters where most are capitals; O(1)."""
    words = spoken_words(text[:CHARACTERS])
    shouted = sum(len(word) for word in words if word.isupper())
    joined = " ".join(words)
    # The model knows words in capitals as names and abbreviations alone.
    return joined.lower() if 2 * shouted > len(joined) and shouted else joined


def _without_tags(text: str) -> str:
    """A text without what stands in angle brackets, where that is short."""
    if "<" not in text:
        return text
    first, *others = text.split("<")
    parts = [first]
    for part in others:
        end = part.find(">", 0, TAG_LENGTH) if part[:1].isalpha() or part[:1] == "/" else -1
        parts.append(part[end + 1 :])
    return " ".join(parts)


def identify(texts: Iterable[str]) -> dict[str, float]:
    """Probabilities by language code, the likeliest first, of some of the segments of one document together.

    Segments are joined until there are letters enough, and the probabilities of such groups are weighed by their letters, so that a
    document in two languages is in both. Empty where no text has letters.
    """
    totals: dict[str, float] = {}
    letters = 0
    for group in _groups(texts):
        letters += len(group)
        for language, probability in _identifier().rank(group):
            called = CALLED.get(language, language)
            totals[called] = totals.get(called, 0.0) + probability * len(group)
    return {language: total / letters for language, total in sorted(totals.items(), key=lambda item: (-item[1], item[0]))}


def _groups(texts: Iterable[str]) -> Iterator[str]:
    waiting: list[str] = []
    size = 0
    for _, text in zip(range(LOOKED_AT), texts, strict=False):
        letters = letters_of(text)
        if letters:
            waiting.append(letters)
            size += len(letters)
        if size >= LETTERS_AT_ONCE:
            yield " ".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield " ".join(waiting)


def identifiable(language: str) -> bool:
    """Whether the model knows a language; of others it says nothing."""
    return language in _languages()


def likeliest(probabilities: Probabilities) -> str | None:
    """The language that is likelier than all others together; None where it is not clear."""
    language = next(iter(probabilities), None)
    return language if language is not None and probabilities[language] >= LIKELY else None


def looks_otherwise(texts: Sequence[str], language: str, probabilities: Probabilities) -> bool:
    """Whether texts are clearly in another language than this one, by what `identify` said of them.

    A few letters are never clear, nor is anything of a language that the model does not know.
    """
    if not identifiable(language) or likeliest(probabilities) is None:
        return False
    kin = {language}.union(*(group for group in KIN if language in group))
    words = [word for text in texts[:LOOKED_AT] for word in letters_of(text).split()]
    limit = UNLIKELY if sum(map(len, words)) < MANY_LETTERS and not _lacks_letters(language, words) else UNLIKELY_IN_MANY
    return sum(probabilities.get(code, 0.0) for code in kin) < limit and _enough(words)


def order_of(pair: LanguagePair | None) -> Callable[[Sequence[str], Sequence[str]], bool | None] | None:
    """What tells whether the first of two columns of text is in the source's language of a pair; None without a pair."""
    return None if pair is None else partial(_in_order, base_language(pair.source), base_language(pair.target))


def _in_order(source: str, target: str, first: Sequence[str], second: Sequence[str]) -> bool | None:
    """Whether columns are clearly in these two languages, or False where the other way round; None of all else."""
    looks = tuple(likeliest(identify(texts)) for texts in (first, second))
    if looks == (source, target):
        return True
    if looks == (target, source) and all(map(_is_contradicted, (first, second), (source, target))):
        return False
    return None


def _is_contradicted(texts: Sequence[str], language: str) -> bool:
    return looks_otherwise(texts, language, identify(texts))


def _lacks_letters(language: str, words: Sequence[str]) -> bool:
    """Whether several words have letters that a language is not written with; a name or a quoted word may."""
    lacked = LACKED.get(language)
    count = 0 if lacked is None else sum(not lacked.isdisjoint(word.lower()) for word in words)
    return count >= max(FEWEST_WITH_LACKED, SHARE_WITH_LACKED * len(words))


def _enough(words: Sequence[str]) -> bool:
    """Whether there are letters enough, in sentences: a title or a list of names may stand in any language."""
    if sum(_is_unspaced(c) for word in words for c in word) >= FEWEST_UNSPACED:
        return True
    # A script without capitals is all small.
    small = sum(word.islower() or word.lower() == word.upper() for word in words)
    return sum(map(len, words)) >= FEWEST_LETTERS and small >= FEWEST_SMALL * len(words)


def _is_unspaced(character: str) -> bool:
    """Whether a letter is of a script in which a word is a letter or two: Han, kana, Hangul."""
    return "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3" or character >= "\U00020000"


def warm_up_identifier() -> None:
    """Load the model now, half a second's work, so that no request waits for it."""
    _identifier()


@cache
def _languages() -> frozenset[str]:
    return frozenset(CALLED.get(label, label) for label in _identifier().labels)


@cache
def _identifier() -> Any:
    """The package's own model. Unpacked in memory: the package's loader needs a disk with room for a temporary file."""
    import py3langid.langid

    packed = Path(py3langid.langid.MODEL_DIR) / py3langid.langid.MODEL_FILE
    with lzma.open(packed) as file, np.load(io.BytesIO(file.read()), allow_pickle=False) as model:
        moves, rows = array("I"), array("I")
        moves.frombytes(model["nextmove"].astype(np.uint32).tobytes())
        rows.frombytes(model["nextmove_row"].astype(np.uint32).tobytes())
        return py3langid.langid.LanguageIdentifier(
            model["ptc"], model["pc"], model["classes"].tolist(), moves, model["out_feat"].tolist(), norm_probs=True, tk_row=rows
        )
