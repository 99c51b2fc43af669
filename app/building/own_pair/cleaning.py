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
SAMPLE_SIZE: Final = 1_000
SMALL_SHARE: Final = 0.01
LARGE_SHARE: Final = 0.5
SEED: Final = 12345


@dataclass(frozen=True)
class CleanText:
    """Sources and targets that are worth learning from, and how many pairs were left out for which reason."""

    sources: list[str]
    targets: list[str]
    left_out: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.sources)


def clean_text(pair: LanguagePair, rows: Iterable[tuple[str, str]], labelled_sources: frozenset[str] = frozenset()) -> CleanText:
    """Pairs of a translation memory, without what would teach wrong things.

    Empty, repeated, copied and too long pairs are left out, and pairs with misfit lengths or in other languages. So are
    `labelled_sources`, since a predictor must learn from segments outside the resources.

    InputError if too few or too many pairs remain, or if most are in other languages.
    """
    counts_by_reason = dict.fromkeys(("empty", "repeated", "copies", "too long", "labelled"), 0)
    clean_pairs: dict[tuple[str, str], None] = {}
    for number, (source, target) in enumerate(rows):
        if number == MOST_SEGMENTS:
            raise InputError("too-many-segments", f"a pair is made of at most {MOST_SEGMENTS:,} segments")
        texts = " ".join(source.split()), " ".join(target.split())
        reason = _reason(texts, clean_pairs, labelled_sources)
        if reason is None:
            clean_pairs[texts] = None
        else:
            counts_by_reason[reason] += 1
    pairs = list(clean_pairs)
    pairs, counts_by_reason["lengths that do not fit"] = _of_fitting_lengths(pairs)
    pairs, counts_by_reason["another language"] = _of_their_languages(pair, pairs)
    if len(pairs) < FEWEST_SEGMENTS:
        reasons = ", ".join(f"{count} {reason}" for reason, count in counts_by_reason.items() if count) or "nothing was left out"
        raise InputError("empty-input", f"{len(pairs)} segments are left ({reasons}); at least {FEWEST_SEGMENTS} are needed")
    return CleanText([source for source, _ in pairs], [target for _, target in pairs], counts_by_reason)


def _reason(texts: tuple[str, str], clean_pairs: Mapping[tuple[str, str], None], labelled_sources: frozenset[str]) -> str | None:
    source, target = texts
    if not source or not target:
        return "empty"
    if texts in clean_pairs:
        return "repeated"
    if source == target:
        return "copies"
    if max(len(source), len(target)) > LONGEST:
        return "too long"
    return "labelled" if source in labelled_sources else None


def _of_fitting_lengths(pairs: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], int]:
    """The pairs whose ratio of lengths is not far from the usual one, which differs from language to language."""
    if not pairs:
        return pairs, 0
    lengths = np.array([(len(source), len(target)) for source, target in pairs], np.float64)
    ratios = np.log(lengths[:, 0] / lengths[:, 1])
    fits = (np.abs(ratios - np.median(ratios)) <= log(RATIO)) | (np.abs(lengths[:, 0] - lengths[:, 1]) <= SHORT)
    return [texts for texts, fit in zip(pairs, fits.tolist(), strict=True) if fit], int((~fits).sum())


def _of_their_languages(pair: LanguagePair, pairs: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], int]:
    """Leave out pairs that are clearly in other languages; check all pairs only if a sample has more than a few such pairs."""
    codes = [code if identifiable(code) else None for code in (pair.source, pair.target)]
    if codes == [None, None] or not pairs:
        return pairs, 0
    rows = np.random.default_rng(SEED).permutation(len(pairs))[:SAMPLE_SIZE]
    sample = [pairs[row] for row in rows.tolist()]
    for side, code in enumerate(codes):
        texts = [texts[side] for texts in sample]
        if code is not None and sum(_is_otherwise(text, code) for text in texts) > LARGE_SHARE * len(texts):
            language = likeliest(identify(texts)) or "another language"
            raise InputError("invalid-request", f"most {('sources', 'targets')[side]} look like {language}, not {code}", ("pair",))
    wrong = sum(_is_foreign(texts, codes) for texts in sample)
    if len(sample) < len(pairs) and wrong <= SMALL_SHARE * len(sample):
        return pairs, 0
    clean_pairs = [texts for texts in pairs if not _is_foreign(texts, codes)]
    return clean_pairs, len(pairs) - len(clean_pairs)


def _is_foreign(texts: tuple[str, str], codes: list[str | None]) -> bool:
    return any(code is not None and _is_otherwise(text, code) for text, code in zip(texts, codes, strict=True))


def _is_otherwise(text: str, code: str) -> bool:
    return looks_otherwise([text], code, identify([text]))
