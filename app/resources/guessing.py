"""Guess of the loaded pair of texts: among pairs that the identifier does not contradict, language models choose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.resources.identification import (
    CHARACTERS,
    LIKELY,
    SAMPLE_SIZE,
    identifiable,
    identify,
    kin_of,
    letters_of,
    likeliest,
    looks_otherwise,
)
from app.resources.language_models import LanguageModel
from app.resources.loading import Resources
from app.text.batch import pack_lines
from app.text.languages import LanguagePair
from app.text.tokenisation import tokeniser_for

__all__ = ["Guess", "guess_pair", "known_words"]

# Below this share of known words, language models do not decide.
SMALLEST_SHARE: Final = 0.4
# Texts with fewer letters have too few words for language models alone: "Le chat dort." has words of German and Romanian.
FEW_LETTERS: Final = 100
SMALLEST_SHARE_OF_FEW: Final = 0.75


@dataclass(frozen=True)
class Guess:
    """The loaded pair of texts, None if no pair fits, and the language of each side, None if it is unclear."""

    pair: LanguagePair | None
    source: str | None
    translation: str | None


def known_words(model: LanguageModel, language: str, texts: Sequence[str]) -> tuple[float, float]:
    """Share of words that a model knows, and its mean log10 probability per word; likelier texts have higher values."""
    tokenise = tokeniser_for(language)
    lines = ([token for token in tokenise(text[:CHARACTERS]) if any(map(str.isalpha, token))] for text in texts[:SAMPLE_SIZE])
    column = pack_lines([" ".join(line) for line in lines])
    words = len(column.ids)
    if not words:
        return 0.0, -np.inf
    scores = model.score(column)
    # An unknown word counts like a rare word, 10^-6.
    return 1.0 - float(scores.unknown.sum()) / words, (float(scores.log_prob.sum()) - 6.0 * float(scores.unknown.sum())) / words


def guess_pair(
    resources: Resources,
    sources: Sequence[str],
    translations: Sequence[str],
    languages: tuple[str | None, str | None] = (None, None),
) -> Guess:
    """The loaded pair of sources and translations; `languages` are the known languages of both sides, None if unknown.

    Pairs are excluded if a side clearly looks like another language, loaded or not. Among the rest, language models choose the pair
    with the likeliest words. If they know too few words, the identifier chooses. Short texts need a language that the identifier
    finds likely, or nearly all of their words known and no other likely language.
    """
    probabilities = identify(sources), identify(translations)
    likely_languages = likeliest(probabilities[0]), likeliest(probabilities[1])
    pairs = [
        pair
        for pair in resources.pairs
        if all(code is None or code == language for code, language in zip(languages, (pair.source, pair.target), strict=True))
    ]
    if None not in languages:
        return Guess(pairs[0] if pairs else None, *likely_languages)
    texts = sources, translations
    excluded_languages = [
        {
            code
            for code in {(pair.source, pair.target)[side] for pair in pairs}
            if languages[side] is None and _is_excluded(resources, texts[side], code, probabilities[side])
        }
        for side in (0, 1)
    ]
    candidates = [pair for pair in pairs if pair.source not in excluded_languages[0] and pair.target not in excluded_languages[1]]
    identified_pair = next((pair for pair in candidates if (pair.source, pair.target) == likely_languages), None)
    return Guess(_best_known(resources, texts, candidates, languages) or identified_pair, *likely_languages)


def _is_excluded(resources: Resources, texts: Sequence[str], language: str, probabilities: Mapping[str, float]) -> bool:
    """Return True if texts are clearly in another language, or too short for this one without more evidence."""
    if looks_otherwise(texts, language, probabilities):
        return True
    if sum(len(letters_of(text)) for text in texts[:SAMPLE_SIZE]) >= FEW_LETTERS:
        return False
    if sum(probabilities.get(code, 0.0) for code in kin_of(language)) >= LIKELY:
        return False
    if identifiable(language) and likeliest(probabilities) is not None:
        return True
    return known_words(resources.languages[language].model, language, texts)[0] < SMALLEST_SHARE_OF_FEW


def _best_known(
    resources: Resources,
    texts: tuple[Sequence[str], Sequence[str]],
    pairs: Sequence[LanguagePair],
    languages: tuple[str | None, str | None],
) -> LanguagePair | None:
    """The pair with the likeliest words by its language models; None if the models know too few words of each pair."""
    measures: dict[tuple[str, int], tuple[float, float]] = {}

    def measures_of(language: str, side: int) -> tuple[float, float]:
        if (language, side) not in measures:
            measures[language, side] = known_words(resources.languages[language].model, language, texts[side])
        return measures[language, side]

    scores = []
    for pair in pairs:
        sides = measures_of(pair.source, 0), measures_of(pair.target, 1)
        if all(share >= SMALLEST_SHARE or code is not None for (share, _), code in zip(sides, languages, strict=True)):
            scores.append((sides[0][1] + sides[1][1], pair))
    return max(scores)[1] if scores else None
