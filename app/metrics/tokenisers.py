"""Tokenisers of the metrics: mteval's 13a, intl and Chinese, characters, blanks, Tercom's, and those of installed packages.

Kernels split texts by the classes of their characters. Packages, and Tercom's options, put blanks between tokens before.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from app.arrays import Int64s, UInt8s, UInt64s
from app.metrics.installed_tokenisers import REQUIREMENTS, segmenter
from app.metrics.tokens.character_classes import (
    blank_classes,
    chinese_classes,
    edge_classes,
    international_classes,
    single_classes,
    western_classes,
)
from app.metrics.tokens.token_kernels import BLANK, EDGE, split_edges, split_tokens

__all__ = ["CHRF_WORDS", "METRIC_TOKENISERS", "MetricTokeniser", "tercom"]

KeyedTokens: TypeAlias = tuple[UInt64s, Int64s, Int64s]


@dataclass(frozen=True)
class MetricTokeniser:
    """A table of `classes` of characters, and functions that clean a segment or its bytes before; None if texts stay as they are.

    `clean_bytes` may clean texts without line breaks in one piece. `edge` is the class beside a text, and `strips` drops blanks at
    its begin.
    """

    name: str
    classes: Callable[[], UInt8s] = blank_classes
    clean: Callable[[str], str] | None = None
    clean_bytes: Callable[[bytes], bytes] | None = None
    edge: int = BLANK
    strips: bool = False

    def split(self, data: UInt8s, ends: Int64s, with_spans: bool, first: int, last: int) -> KeyedTokens:
        """Keys, places and numbers of the tokens of texts `first` to `last`, as `split_tokens`."""
        tokens: KeyedTokens = split_tokens(data, ends, first, last, self.classes(), self.edge, self.strips, with_spans)
        return tokens


class EdgeTokeniser(MetricTokeniser):
    """Words, and one mark of ASCII at the end of a word, or else at its begin."""

    def split(self, data: UInt8s, ends: Int64s, with_spans: bool, first: int, last: int) -> KeyedTokens:
        """Keys, places and numbers of tokens, as `split_edges`."""
        tokens: KeyedTokens = split_edges(data, ends, first, last, self.classes(), with_spans)
        return tokens


CHRF_WORDS: Final = EdgeTokeniser("chrf", edge_classes)
# mteval replaces &amp; before &lt; and &gt;, so that both may come about.
ENTITIES: Final = (
    (b"quot;", b'"'), (b"amp;lt;", b"<"), (b"amp;gt;", b">"), (b"amp;", b"&"), (b"lt;", b"<"), (b"gt;", b">")
)  # fmt: skip


def _unescaped(data: bytes) -> bytes:
    first, *parts = data.split(b"&")
    for k, part in enumerate(parts):
        for entity, character in ENTITIES:
            if part.startswith(entity):
                parts[k] = character + part[len(entity) :]
                break
        else:
            parts[k] = b"&" + part
    return b"".join([first, *parts])


def _clean_13a(data: bytes) -> bytes:
    data = data.replace(b"<skipped>", b"").replace(b"-\n", b"") if b"<" in data or b"\n" in data else data
    return _unescaped(data) if b"&" in data else data


def _segmented(name: str, text: str) -> str:
    return segmenter(name)(text)


METRIC_TOKENISERS: Final[Mapping[str, MetricTokeniser]] = {
    tokeniser.name: tokeniser
    for tokeniser in (
        MetricTokeniser("13a", western_classes, clean_bytes=_clean_13a),
        MetricTokeniser("intl", international_classes, edge=EDGE),
        MetricTokeniser("zh", chinese_classes, edge=EDGE, strips=True),
        MetricTokeniser("char", single_classes),
        MetricTokeniser("none"),
        *(MetricTokeniser(name, clean=partial(_segmented, name)) for name in REQUIREMENTS),
    )
}

# Tercom (Snover et al. 2006), as sacreBLEU follows it.
MARKS: Final = str.maketrans({mark: f" {mark} " for mark in ' !"#$%&()*+/:;<=>?@[\\]^_`{|}~'})
AFTER_NON_DIGIT: Final = re.compile(r"([^0-9])([.,])")
BEFORE_NON_DIGIT: Final = re.compile(r"([.,])([^0-9])")
DASH: Final = re.compile(r"([0-9])(-)")
POSSESSIVE: Final = re.compile(r"'s ")
IDEOGRAPH: Final = re.compile(
    "([\u2e80-\u2eff\u31c0-\u31ef\u3200-\u3f22\u3300-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f])"
)
ASIAN_MARK: Final = re.compile(
    "([\u3001\u3002\u3008-\u3011\u3014-\u301f\uff61-\uff65\u30fb\uff0e\uff0c\uff1f\uff1a\uff1b\uff01\uff02\uff08\uff09])"
)
WESTERN_MARK: Final = re.compile(r'[.,?:;!"()]')


def tercom(normalise: bool, punctuation: bool, asian: bool) -> MetricTokeniser:
    """Tercom's tokeniser: `normalise` separates marks, `punctuation` keeps them, `asian` applies both to Asian text."""
    if punctuation and not normalise:
        return MetricTokeniser("tercom")
    words = _TercomWords(normalise, punctuation, asian)

    def clean(text: str) -> str:
        if normalise:
            text = text.replace("\n-", "").replace("\n", " ")
            text = _unescaped(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        # No rule looks across a blank.
        return " ".join(map(words.__getitem__, text.split()))

    return MetricTokeniser("tercom", clean=clean)


class _TercomWords(dict[str, str]):
    """Tokens of each word, with blanks between them; a word is split once."""

    def __init__(self, normalise: bool, punctuation: bool, asian: bool) -> None:
        super().__init__()
        self._normalise, self._punctuation, self._asian = normalise, punctuation, asian

    def __missing__(self, word: str) -> str:
        tokens = f" {word} "
        if self._normalise:
            tokens = POSSESSIVE.sub(" 's ", tokens.translate(MARKS))
            tokens = AFTER_NON_DIGIT.sub(r"\1 \2 ", tokens)
            tokens = BEFORE_NON_DIGIT.sub(r" \1 \2", tokens)
            tokens = DASH.sub(r"\1 \2 ", tokens)
            if self._asian:
                tokens = ASIAN_MARK.sub(r" \1 ", IDEOGRAPH.sub(r" \1 ", tokens))
        if not self._punctuation:
            tokens = WESTERN_MARK.sub("", tokens)
            if self._asian:
                tokens = ASIAN_MARK.sub("", tokens)
        self[word] = tokens
        return tokens
