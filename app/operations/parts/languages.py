"""Choice of the loaded pair that answers: for tags more specific than the loaded ones, and for texts without named languages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from app.errors import InputError
from app.resources.guessing import Guess, guess_pair
from app.text import LanguagePair, tag_name
from app.text.languages import base_language, nearest_language, same_language

if TYPE_CHECKING:
    from app.engine import Engine

__all__ = ["SAMPLE_SIZE", "WhoSays", "check_named", "find_languages", "guess_languages", "named_pair", "who_says"]

SAMPLE_SIZE: Final = 50
WhoSays = Literal["given", "declared", "guessed"]
Tags = tuple[str | None, str | None]


def find_languages(
    engine: "Engine", sources: Sequence[str], translations: Sequence[str], languages: Tags = (None, None)
) -> "Guess":
    """Guess of the languages of a sample of texts, and their pair; a file may declare `languages`.

    That is a loaded one, or, where both languages are clear and something answers for any pair, any.
    """
    step = max(1, len(sources) // SAMPLE_SIZE)
    loaded_languages = _loaded_languages(languages, engine.resources.pairs)
    guess = guess_pair(engine.resources, sources[::step][:SAMPLE_SIZE], translations[::step][:SAMPLE_SIZE], loaded_languages)
    pair = _pair_of(loaded_languages[0] or guess.source, loaded_languages[1] or guess.translation)
    return replace(guess, pair=pair) if guess.pair is None and pair is not None and _answers_any(engine, pair) else guess


def _answers_any(engine: "Engine", pair: LanguagePair) -> bool:
    """Return True if a predictor of any pair answers for this pair, which has no resources of its own."""
    return engine.registry.has_general_model and pair in engine.served_pairs


def _loaded_languages(languages: Tags, loaded_pairs: Sequence[LanguagePair]) -> Tags:
    """The tags of a file as loaded pairs have them; as they are where none does."""
    source, target = languages
    if source is not None and target is not None:
        pair = None if same_language(source, target) else LanguagePair(source, target).nearest(loaded_pairs)
        return (source, target) if pair is None else (pair.source, pair.target)
    tags = {tag for pair in loaded_pairs for tag in (pair.source, pair.target)}
    nearest = [None if tag is None else nearest_language(tag, tags) or tag for tag in languages]
    return nearest[0], nearest[1]


def guess_languages(
    engine: "Engine", sources: Sequence[str], translations: Sequence[str], languages: Tags = (None, None)
) -> LanguagePair:
    """Pair of texts. InputError names the loaded pairs and the guessed languages if none fits."""
    guess = find_languages(engine, sources, translations, languages)
    if guess.pair is not None:
        return guess.pair
    loaded_pairs = engine.served_pairs.remedy(_pair_of(languages[0] or guess.source, languages[1] or guess.translation))
    if any(languages):
        detail = f"the file says {_list_of_languages(languages)}; {loaded_pairs}"
        raise InputError("unknown-language-pair", detail, ("source_language",))
    looks = _looks_like(guess)
    if looks is None:
        raise InputError(
            "unknown-language-pair",
            f"the words do not show the languages; name the languages; {loaded_pairs}",
            ("source_language",),
        )
    detail = f"{looks}, which is not here; name the languages if they are others; {loaded_pairs}"
    raise InputError("language-pair-not-here", detail, ("source_language",))


def _pair_of(source: str | None, target: str | None) -> LanguagePair | None:
    """The pair that texts are of, whether it is there or not; None where one side is unclear, or both are one language."""
    return None if source is None or target is None or same_language(source, target) else LanguagePair(source, target)


def _looks_like(guess: "Guess") -> str | None:
    """Guessed languages in words; None if neither side is clear."""
    if guess.source is not None and guess.translation is not None:
        return f"these look like {_named(guess.source)} → {_named(guess.translation)}"
    if guess.source is not None:
        return f"the source looks like {_named(guess.source)} and the translation like nothing that is clear"
    if guess.translation is not None:
        return f"the translation looks like {_named(guess.translation)} and the source like nothing that is clear"
    return None


def who_says(pair: LanguagePair | None, languages: Tags) -> WhoSays:
    """From where languages are known: the caller gave them, the file declares both, or the words look like them."""
    if pair is not None:
        return "given"
    return "guessed" if None in languages else "declared"


def named_pair(params: Mapping[str, Any]) -> LanguagePair | None:
    """The languages that parameters name, if they name both."""
    source, target = params.get("source_language"), params.get("target_language")
    return LanguagePair(source, target) if isinstance(source, str) and isinstance(target, str) else None


def check_named(languages: Tags, pair: LanguagePair | None) -> None:
    """InputError where a file says other languages than its sender; a region or a script more or less is none."""
    if pair is None:
        return
    for tag, language in zip(languages, (pair.source, pair.target), strict=True):
        if tag is not None and not same_language(tag, language):
            detail = f"the file says {_list_of_languages(languages)}, the request {pair.title}; name what it says, or leave it out"
            raise InputError("invalid-document", detail, ("source_language",))


def _list_of_languages(languages: Tags) -> str:
    return " → ".join("an unnamed language" if tag is None else _named(tag) for tag in languages)


def _named(tag: str) -> str:
    return f"{tag_name(base_language(tag))} ({tag})"
