"""Loops: words repeated by a decoder that does not find its end."""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from operator import eq
from typing import Final

from app.checks.words import is_unspaced, plain_words
from app.resources.word_table import WordTable

__all__ = ["repeated_words"]

ORDER: Final = 3
# Repetitions in a row that make a loop, for one or two words and for more.
FEW_WORDS: Final = 2
REPETITION_LIMITS: Final = {True: 4, False: 3}
LETTER_LIMIT: Final = 6
# A whole text twice, with at least this many words.
TEXT_MINIMUM: Final = 4
TWO_TIMES: Final = 2
# Occurrences of three scattered words, and their share of the text.
WORD_OCCURRENCES: Final = 5
SCATTERED_SHARE: Final = 0.5
# Letters of a word with repeated letters, and their repetitions.
LONG_WORD: Final = 20
LETTERS_OFTEN: Final = 6
# Letters (one of a script without blanks counts twice) of a word, and its repetitions in a row that make a loop.
LONG_ENOUGH: Final = 4
IN_A_ROW: Final = 3
# Hyphens of a chain, words of a long phrase in it, and repetitions in a row of short and long phrases.
CHAIN: Final = 5
PHRASE: Final = 3
IN_CHAIN: Final = {True: TWO_TIMES, False: IN_A_ROW}
HYPHENS: Final = frozenset("-\u2010\u2011")
ITEM: Final = re.compile(r"\w+")
# Repetitions that the translation may have beyond the source.
SURPLUS: Final = 2


@dataclass(frozen=True)
class _Loop:
    """A run of `length` items from `begin`, each equal to the item `period` before."""

    begin: int
    length: int
    period: int

    @property
    def times(self) -> int:
        return self.length // self.period


def repeated_words(source: str, translation: str) -> list[str]:
    """Words that a translation, but not its source, repeats in a row; each once. Empty without a loop. O(length)."""
    target_words = list(map(str.lower, plain_words(translation)))
    if not _may_repeat(target_words, translation):
        return []
    source_words = [word.lower() for word in plain_words(source)]
    loop, of_source = _longest_loop(target_words), _longest_loop(source_words)
    limit = REPETITION_LIMITS[loop.period <= FEW_WORDS]
    if loop.period == 1 and loop.times and is_unspaced(target_words[loop.begin][0]):
        # 谢谢，谢谢！ and 看看，看看 have a letter four times.
        limit = LETTER_LIMIT
    if loop.times >= of_source.times + SURPLUS and loop.times >= limit:
        return target_words[loop.begin : loop.begin + loop.period]
    is_doubled = loop.times >= TWO_TIMES and loop.period >= TEXT_MINIMUM and loop.length == len(target_words)
    if is_doubled and of_source.times < TWO_TIMES and 2 * len(target_words) >= 3 * len(source_words) and source_words:
        return target_words[: loop.period]
    in_source = max(of_source.times, _most_in_a_row(source_words))
    return (
        _scattered(source_words, target_words)
        or _stammered(source_words, target_words)
        or _said_in_a_row(source, translation, in_source)
        or _chained(source, translation, of_source)
    )


def _may_repeat(words: Sequence[str], text: str) -> bool:
    """Return True if a text may have a loop.

    Three words in a row or one word behind itself stand in it again, or three letters of a long word, or it has a chain.
    """
    # Three words that stand in a text again are repetitions, each of them.
    if len(words) - len(set(words)) >= ORDER and _repeats(words):
        return True
    items = ITEM.findall(text.lower()) if text.isascii() else list(chain.from_iterable(map(ITEMS.__getitem__, text.split())))
    return (
        any(map(eq, items, items[1:]))
        or any(len(word) >= LONG_WORD and _repeats(word) for word in words)
        or (text.count("-") >= CHAIN and any(piece.count("-") >= CHAIN for piece in text.split()))
    )


def _repeats(items: Sequence[Hashable]) -> bool:
    """Return True if three items in a row stand in a sequence again."""
    threes = list(zip(items, items[1:], items[2:], strict=False))
    return len(set(threes)) < len(threes)


def _items_of(piece: str) -> tuple[str, ...]:
    """Items of a piece between two blanks, in lower case."""
    return tuple(map(str.lower, ITEM.findall(piece)))


ITEMS: Final = WordTable(_items_of)


def _longest_loop(items: Sequence[Hashable]) -> _Loop:
    """The run with the most repetitions, found by the distance of each three items to their previous occurrence."""
    last: dict[tuple[Hashable, ...], int] = {}
    best = _Loop(0, 0, 1)
    period = run = 0
    for k in range(len(items) - ORDER + 1):
        three = tuple(items[k : k + ORDER])
        before = last.get(three)
        last[three] = k
        if before is None:
            period = run = 0
            continue
        run = run + 1 if k - before == period else 1
        period = k - before
        length = run + ORDER - 1 + period
        if length // period > best.times or (length // period == best.times and length > best.length):
            best = _Loop(k + ORDER - length, length, period)
    return best


def _scattered(source_words: Sequence[str], target_words: Sequence[str]) -> list[str]:
    """Three words that recur throughout a text, with other words between."""
    threes = Counter(zip(target_words, target_words[1:], target_words[2:], strict=False))
    if not threes:
        return []
    (words, times), *_ = threes.most_common(1)
    source_threes = Counter(zip(source_words, source_words[1:], source_words[2:], strict=False))
    in_source = max(source_threes.values(), default=0)
    if times >= WORD_OCCURRENCES and times >= 2 * in_source + SURPLUS and ORDER * times >= SCATTERED_SHARE * len(target_words):
        return list(words)
    return []


def _stammered(source_words: Sequence[str], target_words: Sequence[str]) -> list[str]:
    """A long word that repeats its own letters, unlike all words of the source."""
    for word in target_words:
        if len(word) >= LONG_WORD and _longest_loop(word).times >= LETTERS_OFTEN:
            stammers = any(
                len(source_word) >= LONG_WORD // 2 and _longest_loop(source_word).times >= LETTERS_OFTEN
                for source_word in source_words
            )
            return [] if stammers else [word]
    return []


def _most_in_a_row(words: Sequence[str]) -> int:
    return max((sum(1 for _ in run) for _, run in groupby(words)), default=0)


def _said_in_a_row(source: str, translation: str, in_source: int) -> list[str]:
    """A long word three times with only signs between, unlike all words of the source.

    Intended repetitions are no loops: calls that are most of a text, and shouts in capitals.
    """
    items = list(ITEM.finditer(translation))
    times = largest_times = 1
    echo = ""
    for item, after in pairwise(items):
        follows = item[0].lower() == after[0].lower() and _only_signs(translation[item.end() : after.start()])
        times = times + 1 if follows else 1
        if times > largest_times and _is_long(after[0]):
            largest_times, echo = times, after[0].lower()
    if largest_times < IN_A_ROW or len(items) < 2 * largest_times:
        return []
    in_source = max(in_source, _most_in_a_row(ITEM.findall(source.lower())))
    return [echo] if largest_times >= in_source + SURPLUS else []


def _only_signs(between: str) -> bool:
    """True if the characters separate words: combining marks belong to letters, and hyphens join words on purpose."""
    return HYPHENS.isdisjoint(between) and not any(unicodedata.category(c)[0] == "M" for c in between)


def _is_long(word: str) -> bool:
    return word.isalpha() and not word.isupper() and sum(1 + is_unspaced(c) for c in word) >= LONG_ENOUGH


def _chained(source: str, translation: str, of_source: _Loop) -> list[str]:
    """A phrase that a chain of hyphens repeats, as ``of-the-news-of-the-news``, if the source repeats none."""
    if of_source.times >= TWO_TIMES or any(_phrase_of(chain) for chain in _chains(source)):
        return []
    return next((phrase for chain in _chains(translation) if (phrase := _phrase_of(chain))), [])


def _chains(text: str) -> Iterator[list[str]]:
    return (ITEM.findall(chain) for chain in text.lower().split() if chain.count("-") >= CHAIN)


def _phrase_of(chain: Sequence[str]) -> list[str]:
    """The repeated phrase of a chain; empty for numbers, short phrases and few repetitions."""
    loop = _longest_loop(chain)
    phrase = list(chain[loop.begin : loop.begin + loop.period])
    return phrase if loop.period > 1 and loop.times >= IN_CHAIN[loop.period >= PHRASE] and all(map(str.isalpha, phrase)) else []
