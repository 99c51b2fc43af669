"""Which languages texts are of, where nobody says."""

from collections.abc import Sequence
from typing import Final

from app.engine import Engine
from app.errors import InputError
from app.resources.guessing import guess_pair
from app.text import LanguagePair

__all__ = ["find_languages", "guess_languages"]

LOOKED_AT: Final = 50


def find_languages(
    engine: Engine, sources: Sequence[str], translations: Sequence[str], languages: tuple[str | None, str | None] = (None, None)
) -> LanguagePair | None:
    """The loaded pair that texts are of, from some of them; a file may name `languages`. None where none fits."""
    step = max(1, len(sources) // LOOKED_AT)
    return guess_pair(engine.resources, sources[::step][:LOOKED_AT], translations[::step][:LOOKED_AT], languages)


def guess_languages(
    engine: Engine, sources: Sequence[str], translations: Sequence[str], languages: tuple[str | None, str | None] = (None, None)
) -> LanguagePair:
    """The same; InputError that names the loaded pairs where none fits."""
    pair = find_languages(engine, sources, translations, languages)
    if pair is None:
        loaded = ", ".join(map(str, engine.resources.pairs)) or "none"
        named = f"the file says {languages[0] or '?'}-{languages[1] or '?'}; " if any(languages) else "name the languages; "
        raise InputError("unknown-language-pair", f"{named}loaded pairs are {loaded}", ("source_language",))
    return pair
