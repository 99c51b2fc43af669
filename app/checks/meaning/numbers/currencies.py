"""Amounts of money whose currency the other side replaces: $500 and 500 EUR.

Currencies with one noun are a family, such as the dollars. Names come from Unicode's CLDR (`python -m scripts.currency_names`).
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from app.checks.meaning.numbers.dates.names import INDIC, INDIC_WORD, WORD
from app.checks.meaning.numbers.side import Side
from app.checks.meaning.numbers.written import Number
from app.checks.words import LETTER

__all__ = ["changed_currencies"]

FILE: Final = Path(__file__).with_name("currencies.json")
# Families that a sign may mean.
SIGNS: Final[Mapping[str, tuple[str, ...]]] = {
    "$": ("dollar", "peso"), "R$": ("real",), "€": ("euro",), "£": ("pound", "lira"), "¥": ("yen", "yuan"), "￥": ("yen", "yuan"),
    "₽": ("rouble",), "₹": ("rupee",), "₩": ("won",), "₴": ("hryvnia",), "₺": ("lira",), "₪": ("shekel",), "₫": ("dong",),
    "฿": ("baht",), "zł": ("zloty",), "Kč": ("koruna",), "kr": ("krone",),
    # Dollars whose Chinese name is 元.
    "NT$": ("dollar", "yuan"), "HK$": ("dollar", "yuan"), "S$": ("dollar", "yuan"),
}  # fmt: skip
SIGN: Final = "[$€£¥￥₽₹₩₴₺₪₫฿]|zł|Kč|kr(?![^\\W\\d_])"
BEFORE: Final = re.compile(rf"(?:(?P<sign>R\$|(?:NT|HK|(?<![A-Z])S)\$|{SIGN})|(?<![^\W\d_])(?P<code>[A-Z]{{3}}))[ \u00a0\u202f]?\Z")
LONGEST_BEFORE: Final = 5
# Words behind a number, up to the end of the clause or the next number.
PLAIN_LETTER: Final = r"[^\W\d_]"
BEHIND, INDIC_BEHIND = (
    re.compile(rf"[ \u00a0\u202f-]{{0,2}}(?:(?P<sign>R\$|{SIGN})|(?P<words>(?:{letter}{{1,25}}[ \u00a0\u202f.-]{{0,2}}){{1,5}}))")
    for letter in (PLAIN_LETTER, LETTER)
)
CJK: Final = frozenset({"zh", "ja", "ko", "th"})
# Letters between a number and its currency in scripts without blanks: 500万美元. A name of one letter follows a number.
CJK_GAP: Final = 4
SIGN_BEHIND: Final = re.compile(rf"[ \u00a0]?(?P<sign>R\$|{SIGN})(?! ?\d)")
MAGNITUDE: Final = re.compile(r"[ 十百千万萬亿億兆만억조천백多余餘]*")
# The name of the dollars of Taiwan and Hong Kong too.
CHINESE_DOLLAR: Final = "元"
TRADITIONAL: Final = re.compile("zh-(?:Hant|TW|HK|MO)")
LONGEST_NAME: Final = 10
LIMIT: Final = 20


class _Amount(NamedTuple):
    """A number of money: its values, possible families, and words."""

    values: frozenset[str]
    families: frozenset[str]
    words: str


def changed_currencies(source: Side, translation: Side) -> tuple[list[str], list[str]]:
    """Amounts of the source whose currency the translation replaces, and their replacements. O(length)."""
    amounts, replacements = _amounts(source), _amounts(translation)
    missing, extra = [], []
    for amount in amounts:
        rivals = [rival for rival in replacements if rival.values & amount.values]
        equals = [equal.families for equal in amounts if equal.values & amount.values]
        if rivals and not any(rival.families & families for rival in rivals for families in equals):
            missing.append(amount.words)
            extra += [rival.words for rival in rivals]
    return missing, list(dict.fromkeys(extra))


def _amounts(side: Side) -> list[_Amount]:
    amounts = (_amount(side, number) for number in side.numbers)
    return list(islice((amount for amount in amounts if amount is not None), LIMIT))


def _amount(side: Side, number: Number) -> _Amount | None:
    """The number as an amount of money, or None. A currency before it counts first."""
    start = max(number.start - LONGEST_BEFORE, 0)
    before = BEFORE.search(side.text[start : number.start])
    if before is not None:
        families = _families(before)
        if families:
            return _Amount(number.values, families, side.text[start + before.start() : number.end])
    if side.language in CJK:
        return _amount_before_name(side, number)
    behind = (INDIC_BEHIND if side.language in INDIC else BEHIND).match(side.text, number.end)
    if behind is None:
        return None
    if behind["sign"]:
        return _Amount(number.values, _families(behind), side.text[number.start : behind.end()])
    names, codes = _names(side.language), _table()["codes"]
    words = list((INDIC_WORD if side.language in INDIC else WORD).finditer(behind["words"]))
    for k, word in enumerate(words):
        phrases = (behind["words"][word.start() : last.end()] for last in reversed(words[k : k + 3]))
        family = codes.get(word[0]) or next((names[phrase.lower()] for phrase in phrases if phrase.lower() in names), None)
        if family is not None:
            end = behind.start("words") + word.end()
            return _Amount(number.values, frozenset({family}), side.text[number.start : end])
    return None


def _amount_before_name(side: Side, number: Number) -> _Amount | None:
    """The number with the name of a currency behind it, in a script without blanks."""
    names, text = _names(side.language), side.text
    behind = SIGN_BEHIND.match(text, number.end)
    if behind is not None:
        return _Amount(number.values, _families(behind), text[number.start : behind.end()])
    magnitude = MAGNITUDE.match(text, number.end)
    name_begin = number.end if magnitude is None else magnitude.end()
    for start in range(number.end, min(number.end + CJK_GAP + 1, len(text))):
        for length in range(LONGEST_NAME, 1 - (start == name_begin), -1):
            name = text[start : start + length]
            family = names.get(name)
            if family is not None:
                families = {family, "dollar"} if name == CHINESE_DOLLAR and TRADITIONAL.match(side.tag) else {family}
                return _Amount(number.values, frozenset(families), text[number.start : start + length])
    return None


def _families(match: re.Match[str]) -> frozenset[str]:
    code = match.groupdict().get("code")
    if code:
        family = _table()["codes"].get(code)
        return frozenset({family} if family else ())
    return frozenset(SIGNS[match["sign"]])


@cache
def _names(language: str) -> Mapping[str, str]:
    names: Mapping[str, str] = _table()["languages"].get({"no": "nb"}.get(language, language), {})
    return names


@cache
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return table
