"""Words of powers of ten behind numbers: million, Mrd., 万."""

import re
from functools import lru_cache
from typing import Final

from app.checks.cldr import LONGEST_AT_HAND, WORDS_AT_HAND, language_words, without_accents
from app.checks.words import LETTER

__all__ = ["CHINESE_POWERS", "has_magnitude", "power_behind", "scaled"]

# 千米, 千克, 千瓦 and 千卡 are units.
CHINESE: Final = re.compile(r" ?([十百千万萬亿億兆]{1,3})(?![米克瓦卡])")
CHINESE_POWERS: Final = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12}
# Korean powers stand beside their number, and words follow them: 5만원, 3억명. 5만큼 is "as much as 5", and 5조 an article 5.
KOREAN: Final = re.compile(r"([십백천]?[만억](?!큼)|천(?!천|연)|백(?=[명개원])|천?조(?= ?(?:원|달러|엔|유로|위안)))")
KOREAN_AMOUNT: Final = re.compile(rf"\d{KOREAN.pattern}")
KOREAN_POWERS: Final = {"십": 1, "백": 2, "천": 3, "만": 4, "억": 8, "조": 12}
NEXT_WORD: Final = re.compile(rf"[ \u00a0\u202f-]?(?:de )?({LETTER}{{1,20}})")
WORD: Final = re.compile(r"[^\W\d_]+")
# Letters of a name that inflection keeps, and of an ending: miljonile, миллионами.
SHORTEST_STEM: Final = 5
LONGEST_ENDING: Final = 4
# Thai has no blanks: ล้านดอลลาร์ is a million dollars. A thousand begins other words too.
THAI: Final = "th"
SHORTEST_THAI: Final = 3
MILLION: Final = 6


def power_behind(text: str, end: int, language: str) -> tuple[int, str]:
    """Power of ten of the words behind the number that ends at `end`, with the first word: 6 for million, 9 for mil millones.

    0 for another word.
    """
    chinese = CHINESE.match(text, end)
    if chinese is not None:
        return sum(CHINESE_POWERS[c] for c in chinese[1]), chinese[1]
    korean = KOREAN.match(text, end) if language == "ko" else None
    if korean is not None:
        return sum(KOREAN_POWERS[c] for c in korean[1]), korean[1]
    first = NEXT_WORD.match(text, end)
    power = 0 if first is None else _power(first[1], language)
    if first is None or not power:
        return 0, ""
    second = NEXT_WORD.match(text, first.end())
    further = 0 if second is None else _power(second[1], language)
    return power + further * (further > power), first[1]


def has_magnitude(text: str, language: str) -> bool:
    """Return True if a text has a word of a power of ten, or its language has none."""
    magnitudes = language_words(language).magnitudes
    if not magnitudes or any(c in text for c in CHINESE_POWERS):
        return True
    plain = without_accents(text)
    # Words of Indic scripts have signs that are no letters.
    shortest = SHORTEST_THAI if language == THAI else SHORTEST_STEM
    if language == "ko" and KOREAN_AMOUNT.search(text):
        return True
    return any(word in plain for word in magnitudes if len(word) >= shortest) or any(
        _power(word, language) for word in WORD.findall(text)
    )


def _power(word: str, language: str) -> int:
    """Power of ten of a word, perhaps with an ending; 0 for another word."""
    return _power_of(word, language) if len(word) <= LONGEST_AT_HAND else 0


@lru_cache(maxsize=WORDS_AT_HAND)
def _power_of(word: str, language: str) -> int:
    magnitudes, plain = language_words(language).magnitudes, without_accents(word)
    if language == THAI:
        powers = (magnitudes.get(plain[:k], 0) for k in range(len(plain), SHORTEST_THAI - 1, -1))
        return magnitudes.get(plain) or next((power for power in powers if power >= MILLION), 0)
    lengths = range(len(plain), max(SHORTEST_STEM, len(plain) - LONGEST_ENDING) - 1, -1)
    return magnitudes.get(plain) or next((magnitudes[plain[:k]] for k in lengths if plain[:k] in magnitudes), 0)


def scaled(number: str, power: int) -> str:
    """A number times a power of ten, without zeros at its ends: 2500000 for 2.5 and 6."""
    integer, _, fraction = number.partition(".")
    integer, fraction = integer + fraction[:power].ljust(power, "0"), fraction[power:].rstrip("0")
    return (integer.lstrip("0") or "0") + (f".{fraction}" if fraction else "")
