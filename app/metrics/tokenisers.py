"""Tokenisers of the metrics: mteval's 13a, intl and Chinese, characters, blanks, Tercom's, and those of installed packages.

A tokeniser first cleans a segment and then splits one blank-separated word at a time. No rule looks across a blank, so a word's
tokens are cached and each word is split once.
"""

import re
import sys
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Final

from app.metrics.installed_tokenisers import REQUIREMENTS, segmenter

__all__ = ["METRIC_TOKENISERS", "MetricTokeniser", "tercom"]


@dataclass(frozen=True)
class MetricTokeniser:
    """Functions that `clean` a segment and then `split` each of its words into tokens.

    `split` gets a word with the blanks around it. If `padded` is false, the first word of a segment has no blank before it and the
    last word none after it; rules for marks beside blanks need this.
    """

    name: str
    clean: Callable[[str], str]
    split: Callable[[str], list[str]]
    padded: bool = True


# mteval-v13a: every ASCII mark but ' - . , is a token; so are . and , except inside a number.
MARKS: Final = str.maketrans({mark: f" {mark} " for mark in ' !"#$%&()*+/:;<=>?@[\\]^_`{|}~'})
AFTER_NON_DIGIT: Final = re.compile(r"([^0-9])([.,])")
BEFORE_NON_DIGIT: Final = re.compile(r"([.,])([^0-9])")
DASH: Final = re.compile(r"([0-9])(-)")
ENTITIES: Final = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
# mteval's Chinese tokeniser isolates these. Its list of code points was written with four digits instead of
# five, so that U+2000 to U+2A6D stand in for U+20000 to U+2A6D6. Published scores depend on this mistake.
CHINESE: Final = re.compile(
    "([\u2001-\u2a6d\u2f81-\u2fa1\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\uff00-\uffef"
    "\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f"
    "\ufe30-\ufe4f\u2600-\u26ff\u2700-\u27bf\u3200-\u33ff])"
)


def _split_western(word: str) -> list[str]:
    """Tokens of a word; the rules run only on words with more than one mark at the end."""
    bare = word.strip()
    if bare.isalnum():
        return [bare]
    if bare[-1:] in (".", ",") and bare[:-1].isalnum() and word[-1:] == " ":
        return [bare[:-1], bare[-1]]
    return _western(word).split()


def _western(text: str) -> str:
    text = text.translate(MARKS)
    if "." in text or "," in text:
        text = AFTER_NON_DIGIT.sub(r"\1 \2 ", text)
        text = BEFORE_NON_DIGIT.sub(r" \1 \2", text)
    return DASH.sub(r"\1 \2 ", text) if "-" in text else text


def _unescaped(text: str) -> str:
    if "&" in text:
        for entity, character in ENTITIES:
            text = text.replace(entity, character)
    return text


def _clean_13a(text: str) -> str:
    if "<" not in text and "\n" not in text:
        return _unescaped(text)
    return _unescaped(text.replace("<skipped>", "").replace("-\n", "").replace("\n", " "))


def _segmented(name: str, text: str) -> str:
    return segmenter(name)(text)


def _categories(initials: str) -> list[str]:
    """All characters of each general category, as the inside of a character class."""
    runs: dict[str, list[list[int]]] = {initial: [] for initial in initials}
    for code in range(sys.maxunicode + 1):
        ranges = runs.get(unicodedata.category(chr(code))[0])
        if ranges is None:
            continue
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return ["".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in pairs) for pairs in runs.values()]


@cache
def _international_rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    number, mark, symbol = _categories("NPS")
    return (
        (re.compile(f"([^{number}])([{mark}])"), r"\1 \2 "),
        (re.compile(f"([{mark}])([^{number}])"), r" \1 \2"),
        (re.compile(f"([{symbol}])"), r" \1 "),
    )


def _split_international(word: str) -> list[str]:
    bare = word.strip()
    if bare.isalnum():
        return [bare]
    stem, mark = bare[:-1], bare[-1:]
    if stem.isalnum() and unicodedata.category(mark)[0] == "P":
        # A mark after a number is a token only if a blank follows it.
        splits = word[-1:] == " " or unicodedata.category(stem[-1])[0] != "N"
        return [stem, mark] if splits else [bare]
    for rule, replacement in _international_rules():
        word = rule.sub(replacement, word)
    return word.split()


METRIC_TOKENISERS: Final[Mapping[str, MetricTokeniser]] = {
    tokeniser.name: tokeniser
    for tokeniser in (
        MetricTokeniser("13a", _clean_13a, _split_western),
        MetricTokeniser("intl", str, _split_international, padded=False),
        MetricTokeniser("zh", lambda text: CHINESE.sub(r" \1 ", text.strip()), _split_western, padded=False),
        MetricTokeniser("char", str, lambda word: list(word.strip())),
        MetricTokeniser("none", str, str.split),
        *(MetricTokeniser(name, partial(_segmented, name), str.split) for name in REQUIREMENTS),
    )
}

# Tercom (Snover et al. 2006), as sacreBLEU follows it.
POSSESSIVE: Final = re.compile(r"'s ")
IDEOGRAPH: Final = re.compile(
    "([\u2e80-\u2eff\u31c0-\u31ef\u3200-\u3f22\u3300-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f])"
)
ASIAN_MARK: Final = re.compile(
    "([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])"
)
WESTERN_MARK: Final = re.compile(r'[.,?:;!"()]')


@cache
def tercom(normalise: bool, punctuation: bool, asian: bool) -> MetricTokeniser:
    """Tercom's tokeniser: `normalise` separates marks, `punctuation` keeps them, `asian` applies both to Asian text."""

    def clean(text: str) -> str:
        return _unescaped(text.replace("\n-", "").replace("\n", " ")) if normalise else text

    def split(word: str) -> list[str]:
        if normalise:
            word = word.translate(MARKS)
            word = POSSESSIVE.sub(" 's ", word)
            word = AFTER_NON_DIGIT.sub(r"\1 \2 ", word)
            word = BEFORE_NON_DIGIT.sub(r" \1 \2", word)
            word = DASH.sub(r"\1 \2 ", word)
            if asian:
                word = ASIAN_MARK.sub(r" \1 ", IDEOGRAPH.sub(r" \1 ", word))
        if not punctuation:
            word = WESTERN_MARK.sub("", word)
            if asian:
                word = ASIAN_MARK.sub("", word)
        return word.split()

    return MetricTokeniser("tercom", clean, split)
