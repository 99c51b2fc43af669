"""Words that are said again and again: what a decoder does that does not find its end."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from app.features.warnings.words import plain_words

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
    return _scattered(ours, theirs) or _stammered(ours, theirs)


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
