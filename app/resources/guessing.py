"""Which loaded language a text is in: the one whose language model knows most of its words."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.resources.language_models import LanguageModel
from app.resources.loading import Resources
from app.text.batch import pack_lines
from app.text.languages import LanguagePair
from app.text.tokenisation import tokeniser_for

__all__ = ["guess_pair", "known_words"]

# So many segments say enough, and so long a piece of each.
LOOKED_AT: Final = 50
CHARACTERS: Final = 300
# Below this share of known words nothing is said.
FEWEST_KNOWN: Final = 0.4


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
) -> LanguagePair | None:
    """The loaded pair that texts are of; `languages` are those that somebody has said. None where none fits."""
    pairs = [
        pair
        for pair in loaded.pairs
        if all(code is None or code == language for code, language in zip(languages, (pair.source, pair.target), strict=True))
    ]
    if None not in languages:
        return pairs[0] if pairs else None
    measures: dict[tuple[str, bool], tuple[float, float]] = {}

    def told(language: str, texts: Sequence[str], source: bool) -> tuple[float, float]:
        if (language, source) not in measures:
            measures[language, source] = known_words(loaded.languages[language].model, language, texts)
        return measures[language, source]

    scored = []
    for pair in pairs:
        ours, theirs = told(pair.source, sources, True), told(pair.target, translations, False)
        if min(ours[0], theirs[0]) >= FEWEST_KNOWN:
            scored.append((ours[1] + theirs[1], pair))
    return max(scored)[1] if scored else None
