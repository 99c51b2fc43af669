"""Leaving out of parallel text what would teach wrong things, and counting it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import Final

import numpy as np

from app.errors import InputError
from app.resources.identification import identifiable, identify, likeliest, looks_otherwise
from app.text.languages import LanguagePair

__all__ = ["FEWEST_SEGMENTS", "MOST_SEGMENTS", "CleanText", "clean_text"]

FEWEST_SEGMENTS: Final = 10
MOST_SEGMENTS: Final = 2_000_000
LONGEST: Final = 2_000
# A pair whose lengths differ by so much more than those of most pairs do is no translation, unless both are short.
RATIO: Final = 4.0
SHORT: Final = 20
# So many segments are looked at for their language; all, where more than a share of these are in another one.
LOOKED_AT: Final = 1_000
FEW: Final = 0.01
MOST: Final = 0.5
SEED: Final = 12345


@dataclass(frozen=True)
class CleanText:
    """Sources and targets that are worth learning from, and how many pairs were left out for which reason."""

    sources: list[str]
    targets: list[str]
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.sources)


def clean_text(pair: LanguagePair, rows: Iterable[tuple[str, str]], labelled: frozenset[str] = frozenset()) -> CleanText:
    """Pairs of a translation memory, without what would teach wrong things.

    That is what is empty, repeated, copied, too long, of lengths that do not fit, or in another language; and sources that are
    `labelled`, since a predictor must be shown segments that resources have not seen.

    InputError where too few are left, there are too many, or they are in other languages than the pair's.
    """
    left_out = dict.fromkeys(("empty", "repeated", "copies", "too long", "labelled"), 0)
    kept: dict[tuple[str, str], None] = {}
    for number, (source, target) in enumerate(rows):
        if number == MOST_SEGMENTS:
            raise InputError("too-many-segments", f"a pair is made of at most {MOST_SEGMENTS:,} segments")
        texts = " ".join(source.split()), " ".join(target.split())
        reason = _reason(texts, kept, labelled)
        if reason is None:
            kept[texts] = None
        else:
            left_out[reason] += 1
    pairs = list(kept)
    pairs, left_out["lengths that do not fit"] = _of_fitting_lengths(pairs)
    pairs, left_out["another language"] = _of_their_languages(pair, pairs)
    if len(pairs) < FEWEST_SEGMENTS:
        counts = ", ".join(f"{count} {reason}" for reason, count in left_out.items() if count) or "nothing was left out"
        raise InputError("empty-input", f"{len(pairs)} segments are left ({counts}); at least {FEWEST_SEGMENTS} are needed")
    return CleanText([source for source, _ in pairs], [target for _, target in pairs], left_out)


def _reason(texts: tuple[str, str], kept: Mapping[tuple[str, str], None], labelled: frozenset[str]) -> str | None:
    source, target = texts
    if not source or not target:
        return "empty"
    if texts in kept:
        return "repeated"
    if source == target:
        return "copies"
    if max(len(source), len(target)) > LONGEST:
        return "too long"
    return "labelled" if source in labelled else None


def _of_fitting_lengths(pairs: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], int]:
    """The pairs whose ratio of lengths is not far from the usual one, which differs from language to language."""
    if not pairs:
        return pairs, 0
    lengths = np.array([(len(source), len(target)) for source, target in pairs], np.float64)
    ratios = np.log(lengths[:, 0] / lengths[:, 1])
    fits = (np.abs(ratios - np.median(ratios)) <= log(RATIO)) | (np.abs(lengths[:, 0] - lengths[:, 1]) <= SHORT)
    return [texts for texts, fit in zip(pairs, fits.tolist(), strict=True) if fit], int((~fits).sum())


def _of_their_languages(pair: LanguagePair, pairs: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], int]:
    """The pairs that are not clearly in other languages; some are looked at, and all only where that finds more than a few."""
    codes = [code if identifiable(code) else None for code in (pair.source, pair.target)]
    if codes == [None, None] or not pairs:
        return pairs, 0
    rows = np.random.default_rng(SEED).permutation(len(pairs))[:LOOKED_AT]
    some = [pairs[row] for row in rows.tolist()]
    for side, code in enumerate(codes):
        texts = [texts[side] for texts in some]
        if code is not None and sum(_is_otherwise(text, code) for text in texts) > MOST * len(texts):
            language = likeliest(identify(texts)) or "another language"
            raise InputError("invalid-request", f"most {('sources', 'targets')[side]} look like {language}, not {code}", ("pair",))
    wrong = sum(_otherwise(texts, codes) for texts in some)
    if len(some) < len(pairs) and wrong <= FEW * len(some):
        return pairs, 0
    kept = [texts for texts in pairs if not _otherwise(texts, codes)]
    return kept, len(pairs) - len(kept)


def _otherwise(texts: tuple[str, str], codes: list[str | None]) -> bool:
    return any(code is not None and _is_otherwise(text, code) for text, code in zip(texts, codes, strict=True))


def _is_otherwise(text: str, code: str) -> bool:
    return looks_otherwise([text], code, identify([text]))
