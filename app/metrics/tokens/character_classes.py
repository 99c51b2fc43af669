"""Classes of characters by code point, for each tokeniser in kernels. The last row of a table stands for all further characters."""

import re
import unicodedata
from functools import cache
from string import punctuation
from typing import Final

import numpy as np

from app.arrays import UInt8s
from app.metrics.tokens.token_kernels import BLANK, DASH, LETTER, MARK, NUMBER, SYMBOL

__all__ = ["blank_classes", "chinese_classes", "edge_classes", "international_classes", "single_classes", "western_classes"]

# Characters beyond these have one class: blanks, Chinese characters of mteval, and numbers, marks and symbols of Unicode.
BLANK_LIMIT: Final = 0x3001
CHINESE_LIMIT: Final = 0x10000
INTERNATIONAL_LIMIT: Final = 0x20000
# mteval-v13a: every ASCII mark but ' - . , is a token; so are . and , except inside a number.
WESTERN_TOKENS: Final = '!"#$%&()*+/:;<=>?@[\\]^_`{|}~'
# mteval's Chinese tokeniser isolates these. Its list of code points was written with four digits instead of
# five, so that U+2000 to U+2A6D stand in for U+20000 to U+2A6D6. Published scores depend on this mistake.
CHINESE: Final = re.compile(
    "[\u2001-\u2a6d\u2f81-\u2fa1\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\uff00-\uffef"
    "\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f"
    "\ufe30-\ufe4f\u2600-\u26ff\u2700-\u27bf\u3200-\u33ff]"
)
CATEGORIES: Final = {"N": NUMBER, "P": MARK, "S": SYMBOL}
# Characters of Unicode 15 to 18 as ranges of code points: scores do not depend on the version of Python.
NEWER: Final = {
    NUMBER: "10d40-10d49 116d0-116e3 11bf0-11bf9 11de0-11de9 11f50-11f59 1246f 12475-1247f 12550-12686 16130-16139 16d70-16d79 "
    "16ff4-16ff6 1ccf0-1ccf9 1d2c0-1d2d3 1e4f0-1e4f9 1e5f1-1e5fa",
    MARK: "1b4e-1b4f 1b7f 2e60-2e63 10d6e 10ed0 113d4-113d5 113d7-113d8 11b00-11b09 11be1 11f43-11f4f 16d6d-16d6f 1e5ff",
    SYMBOL: "20c1-20c4 2427-2429 2b96 2ffc-2fff 31e4-31e5 31ef fbc3-fbd2 fd90-fd91 fdc8-fdce 10d8e-10d8f 10ec9-10eca 10ed1-10ed8 "
    "1cc00-1ccef 1ccfa-1ccfc 1cd00-1ceb3 1ceba-1ced0 1ced2-1ced4 1cedd-1cefd 1d1eb-1d1ff 1d253-1d25a 1d25d-1d25e 1d260-1d27f "
    "1db00-1db1c 1f1ae 1f6d8-1f6d9 1f6dc 1f774-1f77f 1f7d9-1f7db 1f7f1-1f7ff 1f8b2-1f8bb 1f8c0-1f8c1 1f8d0-1f8d8 1fa54-1fa57 "
    "1fa75-1fa77 1fa87-1fa8f 1faad-1faaf 1fabb-1fabf 1fac6 1fac8 1facc-1facf 1fada-1fadd 1fadf 1fae8-1faeb 1faef 1faf7-1fafa "
    "1fbcb-1fbef 1fbfa",
}


@cache
def _blanks() -> list[int]:
    return [code for code in range(BLANK_LIMIT) if chr(code).isspace()]


def _with_blanks(classes: UInt8s) -> UInt8s:
    """The table with the blanks of ``str.split``."""
    classes[_blanks()] = BLANK
    return classes


def _table(limit: int, rest: int = LETTER) -> UInt8s:
    return np.full(limit + 1, rest, np.uint8)


def _set(classes: UInt8s, characters: str, kind: int) -> UInt8s:
    classes[[ord(character) for character in characters]] = kind
    return classes


@cache
def blank_classes() -> UInt8s:
    """Words between blanks."""
    return _with_blanks(_table(BLANK_LIMIT))


@cache
def single_classes() -> UInt8s:
    """Each character is a token."""
    return _with_blanks(_table(BLANK_LIMIT, SYMBOL))


@cache
def edge_classes() -> UInt8s:
    """Words with the marks of ASCII."""
    return _set(_with_blanks(_table(BLANK_LIMIT)), punctuation, MARK)


def _western(classes: UInt8s) -> UInt8s:
    for characters, kind in ((WESTERN_TOKENS, SYMBOL), ("0123456789", NUMBER), (".,", MARK), ("-", DASH)):
        _set(classes, characters, kind)
    return _with_blanks(classes)


@cache
def western_classes() -> UInt8s:
    """Classes of mteval's 13a."""
    return _western(_table(BLANK_LIMIT))


@cache
def chinese_classes() -> UInt8s:
    """Classes of 13a, and Chinese characters as tokens."""
    classes = _table(CHINESE_LIMIT)
    classes[[code for code in range(CHINESE_LIMIT) if CHINESE.match(chr(code))]] = SYMBOL
    return _western(classes)


@cache
def international_classes() -> UInt8s:
    """Numbers, marks and symbols by Unicode's general categories."""
    classes = _table(INTERNATIONAL_LIMIT)
    classes[:-1] = [CATEGORIES.get(unicodedata.category(chr(code))[0], LETTER) for code in range(INTERNATIONAL_LIMIT)]
    for kind, ranges in NEWER.items():
        for first, _, last in (codes.partition("-") for codes in ranges.split()):
            classes[int(first, 16) : int(last or first, 16) + 1] = kind
    return _with_blanks(classes)
