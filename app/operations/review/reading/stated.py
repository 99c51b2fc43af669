"""Languages and sources that callers state for files whose paths do not say them."""

from collections.abc import Mapping, Sequence
from typing import Final

from app.documents.strings.paths import TranslationPath, path_languages
from app.errors import InputError
from app.operations.review.files import ReviewFile
from app.text.languages import same_language

__all__ = ["stated_path"]

# Names of versions that are codes of languages too: new.json is rarely Newari.
VERSIONS: Final = frozenset({"new"})


def stated_path(
    file: ReviewFile, files: Mapping[str, ReviewFile], guess: TranslationPath | None, source_language: str
) -> TranslationPath | None:
    """The translation that a file states, or `guess` if it states nothing. InputError for an absent source or language."""
    if file.source is None and (file.language is None or guess is None):
        return guess
    source = file.source or (guess.source if guess is not None else file.path)
    if source not in files or source == file.path:
        raise InputError("invalid-document", "its source is not among the files", (file.path,))
    language = file.language or _language(path_languages(file.path), source_language)
    if language is None:
        raise InputError("invalid-document", "its path names no language; state it as `language`", (file.path,))
    return TranslationPath(file.path, language, source)


def _language(languages: Sequence[str], source_language: str) -> str | None:
    """The first language that is neither the language of the sources nor a word for a version."""
    return next((name for name in languages if name not in VERSIONS and not same_language(name, source_language)), None)
