"""Which loaded pair texts are of: what the identifier does not contradict, and of that what language models know best."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.resources.identification import identify, likeliest, looks_otherwise
from app.resources.language_models import LanguageModel
from app.resources.loading import Resources
from app.text.batch import pack_lines
from app.text.languages import LanguagePair
from app.text.tokenisation import tokeniser_for

__all__ = ["Guess", "guess_pair", "known_words"]

# So many segments say enough, and so long a piece of each.
LOOKED_AT: Final = 50
CHARACTERS: Final = 300
# Below this share of known words nothing is said.
FEWEST_KNOWN: Final = 0.4


@dataclass(frozen=True)
class Guess:
    """What texts look like: the loaded pair, None where none fits; and each side's language, None where it is not clear."""

    pair: LanguagePair | None
    source: str | None
    translation: str | None


def known_words(model: LanguageModel, language: str, texts: Sequence[str]) -> tuple[float, float]:
    """Share of the words that a model knows, and its mean log10 probability per word: higher is likelier on both."""
    tokenise = tokeniser_for(language)
    column = pack_lines([" ".join(tokenise(text[:CHARACTERS])) for text in texts[:LOOKED_AT]])
    words = len(column.ids)
    if not words:
        return 0.0, -np.inf
    scores = model.score(column)
    # An unknown word is worth what a rare one is.
    return 1.0 - float(scores.unknown.sum()) / words, (float(scores.log_prob.sum()) - 6.0 * float(scores.unknown.sum())) / words


def guess_pair(
    loaded: Resources,
    sources: Sequence[str],
    translations: Sequence[str],
    languages: tuple[str | None, str | None] = (None, None),
) -> Guess:
    """The loaded pair that texts are of; `languages` are those that somebody has said, which is not doubted.

    A pair of which a side clearly looks like another language, loaded or not, is none of them. Of the others that one is taken
    whose language models know the words best, since they know their domain; where they know too few, what the identifier says.
    """
    told = identify(sources), identify(translations)
    looks = likeliest(told[0]), likeliest(told[1])
    pairs = [
        pair
        for pair in loaded.pairs
        if all(code is None or code == language for code, language in zip(languages, (pair.source, pair.target), strict=True))
    ]
    if None not in languages:
        return Guess(pairs[0] if pairs else None, *looks)
    texts = sources, translations
    others = [
        {
            code
            for code in {(pair.source, pair.target)[side] for pair in pairs}
            if languages[side] is None and looks_otherwise(texts[side], code, told[side])
        }
        for side in (0, 1)
    ]
    left = [pair for pair in pairs if pair.source not in others[0] and pair.target not in others[1]]
    return Guess(_best_known(loaded, texts, left, languages) or _identified(left, looks), *looks)


def _best_known(
    loaded: Resources,
    texts: tuple[Sequence[str], Sequence[str]],
    pairs: Sequence[LanguagePair],
    languages: tuple[str | None, str | None],
) -> LanguagePair | None:
    """The pair whose language models find the words likeliest; None where none knows a side whose language nobody said."""
    measures: dict[tuple[str, int], tuple[float, float]] = {}

    def told(language: str, side: int) -> tuple[float, float]:
        if (language, side) not in measures:
            measures[language, side] = known_words(loaded.languages[language].model, language, texts[side])
        return measures[language, side]

    scored = []
    for pair in pairs:
        sides = told(pair.source, 0), told(pair.target, 1)
        if all(share >= FEWEST_KNOWN or code is not None for (share, _), code in zip(sides, languages, strict=True)):
            scored.append((sides[0][1] + sides[1][1], pair))
    return max(scored)[1] if scored else None


def _identified(pairs: Sequence[LanguagePair], looks: tuple[str | None, str | None]) -> LanguagePair | None:
    """The pair that both sides look like."""
    return next((pair for pair in pairs if (pair.source, pair.target) == looks), None)
