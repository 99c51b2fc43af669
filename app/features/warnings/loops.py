"""Words that are said again and again: what a decoder does that does not find its end."""

import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Final

from app.features.warnings.words import is_unspaced, plain_words

__all__ = ["repeated_words"]

ORDER: Final = 3
# How often a word or two, and how often more words, are said in a row before they are a loop.
FEW_WORDS: Final = 2
OFTEN: Final = {True: 4, False: 3}
# A whole text said twice, of so many words at least.
WHOLE: Final = 4
TWICE: Final = 2
# So often the same three words, scattered, which make such a part of the text.
SCATTERED: Final = 5
SCATTERED_SHARE: Final = 0.5
# Letters of a word that says the same ones again and again.
LONG_WORD: Final = 20
LETTERS_OFTEN: Final = 6
# A word of so many letters (one of a script without blanks counts for two) is a loop once it is said so often in a row.
LONG_ENOUGH: Final = 4
IN_A_ROW: Final = 3
# Hyphens of what is a chain, and how often so many words of it, or fewer, are said in a row.
CHAIN: Final = 5
PHRASE: Final = 3
IN_CHAIN: Final = {True: TWICE, False: IN_A_ROW}
HYPHENS: Final = frozenset("-\u2010\u2011")
ITEM: Final = re.compile(r"\w+")
# The translation may say things this much oftener than the source.
MORE: Final = 2


@dataclass(frozen=True)
class _Loop:
    """A run of items from `begin`, `length` of them, in which each is the same as `period` before."""

    begin: int
    length: int
    period: int

    @property
    def times(self) -> int:
        return self.length // self.period


def repeated_words(source: str, translation: str) -> list[str]:
    """What a translation repeats in a row, once, where its source does not; nothing where all is well. O(length)."""
    ours, theirs = [word.lower() for word in plain_words(source)], [word.lower() for word in plain_words(translation)]
    loop, of_source = _longest_loop(theirs), _longest_loop(ours)
    if loop.times >= of_source.times + MORE and loop.times >= OFTEN[loop.period <= FEW_WORDS]:
        return theirs[loop.begin : loop.begin + loop.period]
    doubled = loop.times >= TWICE and loop.period >= WHOLE and loop.length == len(theirs)
    if doubled and of_source.times < TWICE and 2 * len(theirs) >= 3 * len(ours) and ours:
        return theirs[: loop.period]
    in_source = max(of_source.times, _most_in_a_row(ours))
    return (
        _scattered(ours, theirs)
        or _stammered(ours, theirs)
        or _said_in_a_row(source, translation, in_source)
        or _chained(source, translation, of_source)
    )


def _longest_loop(items: Sequence[Hashable]) -> _Loop:
    """The run that repeats itself most often, found by the distance of each three items to the same three before."""
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


def _scattered(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Three words that come back all over a text, with others between."""
    threes = Counter(zip(theirs, theirs[1:], theirs[2:], strict=False))
    if not threes:
        return []
    (words, times), *_ = threes.most_common(1)
    others = Counter(zip(ours, ours[1:], ours[2:], strict=False))
    in_source = max(others.values(), default=0)
    if times >= SCATTERED and times >= 2 * in_source + MORE and ORDER * times >= SCATTERED_SHARE * len(theirs):
        return list(words)
    return []


def _stammered(ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """A long word that repeats its own letters, as no word of the source does."""
    for word in theirs:
        if len(word) >= LONG_WORD and _longest_loop(word).times >= LETTERS_OFTEN:
            stammers = any(len(other) >= LONG_WORD // 2 and _longest_loop(other).times >= LETTERS_OFTEN for other in ours)
            return [] if stammers else [word]
    return []


def _most_in_a_row(words: Sequence[str]) -> int:
    return max((sum(1 for _ in same) for _, same in groupby(words)), default=0)


def _said_in_a_row(source: str, translation: str, in_source: int) -> list[str]:
    """A word of some length that is said three times with nothing but signs between, as no word of the source is.

    Not what is most of a text, as a call, nor what is in capitals, as a shout: people say these again and mean it.
    """
    items = list(ITEM.finditer(translation))
    times = most = 1
    echoed = ""
    for item, after in pairwise(items):
        follows = item[0].lower() == after[0].lower() and _only_signs(translation[item.end() : after.start()])
        times = times + 1 if follows else 1
        if times > most and _is_long(after[0]):
            most, echoed = times, after[0].lower()
    if most < IN_A_ROW or len(items) < 2 * most:
        return []
    in_source = max(in_source, _most_in_a_row(ITEM.findall(source.lower())))
    return [echoed] if most >= in_source + MORE else []


def _only_signs(between: str) -> bool:
    """Whether words stand apart: marks belong to letters, and hyphens make one word of two, as many languages do on purpose."""
    return HYPHENS.isdisjoint(between) and not any(unicodedata.category(c)[0] == "M" for c in between)


def _is_long(word: str) -> bool:
    return word.isalpha() and not word.isupper() and sum(1 + is_unspaced(c) for c in word) >= LONG_ENOUGH


def _chained(source: str, translation: str, of_source: _Loop) -> list[str]:
    """A phrase that a chain of hyphens repeats, as ``of-the-news-of-the-news``, where the source repeats none."""
    if of_source.times >= TWICE or any(_phrase_of(chain) for chain in _chains(source)):
        return []
    return next((phrase for chain in _chains(translation) if (phrase := _phrase_of(chain))), [])


def _chains(text: str) -> Iterator[list[str]]:
    return (ITEM.findall(chain) for chain in text.lower().split() if chain.count("-") >= CHAIN)


def _phrase_of(chain: Sequence[str]) -> list[str]:
    """What a chain repeats; nothing where that is numbers, or too short or too seldom."""
    loop = _longest_loop(chain)
    phrase = list(chain[loop.begin : loop.begin + loop.period])
    return phrase if loop.period > 1 and loop.times >= IN_CHAIN[loop.period >= PHRASE] and all(map(str.isalpha, phrase)) else []
