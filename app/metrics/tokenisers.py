"""Tokenisers of BLEU-like metrics: mteval's 13a, its Chinese form, characters, and blanks alone."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

__all__ = ["METRIC_TOKENISERS", "MetricTokeniser"]

MetricTokeniser = Callable[[str], list[str]]

# mteval-v13a: every ASCII mark but ' - . , stands alone; . and , do unless inside a number.
MARK: Final = re.compile(r"([{-~\[-` -&(-+:-@/])")
AFTER_NON_DIGIT: Final = re.compile(r"([^0-9])([.,])")
BEFORE_NON_DIGIT: Final = re.compile(r"([.,])([^0-9])")
DASH: Final = re.compile(r"([0-9])(-)")
ENTITIES: Final = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
# The characters that mteval's Chinese tokeniser isolates. Its list of code points was written with
# four digits where five were meant (U+2000 followed by "0"), and scores depend on it: text between
# U+2000 0 and U+2A6D 6 compares as two-character strings, which no single character satisfies
# except those strictly between the first characters.
CHINESE: Final = re.compile(
    "([\u2001-\u2a6d\u2f81-\u2fa1\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\uff00-\uffef"
    "\u2e80-\u2eff\u3000-\u303f\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f"
    "\ufe30-\ufe4f\u2600-\u26ff\u2700-\u27bf\u3200-\u33ff])"
)


def _western(text: str) -> list[str]:
    text = MARK.sub(r" \1 ", text)
    text = AFTER_NON_DIGIT.sub(r"\1 \2 ", text)
    text = BEFORE_NON_DIGIT.sub(r" \1 \2", text)
    return DASH.sub(r"\1 \2 ", text).split()


@lru_cache(maxsize=65536)
def _mteval_13a(text: str) -> list[str]:
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, character in ENTITIES:
            text = text.replace(entity, character)
    return _western(f" {text} ")


def _chinese(text: str) -> list[str]:
    return _western(CHINESE.sub(r" \1 ", text.strip()))


def _characters(text: str) -> list[str]:
    return list("".join(text.split()))


METRIC_TOKENISERS: Final[Mapping[str, MetricTokeniser]] = {
    "13a": _mteval_13a,
    "zh": _chinese,
    "char": _characters,
    "none": str.split,
}
