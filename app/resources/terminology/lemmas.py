"""Lemmas and stems of words, as keys by which inflected forms of one word agree.

Lemmas come from simplemma, which looks words up in lists of forms and cuts affixes of unknown ones. Stems come from Snowball. Both
packages are imported with the first glossary, since most servers have none.
"""

from functools import lru_cache
from typing import Final

from app.text.language_tags import tag_name
from app.text.languages import base_language

__all__ = ["has_lemmas", "keys_of", "lemmas_of", "stems_of"]

# Names of lists that differ from the codes of languages.
LISTS: Final = {"hr": "hbs", "sr": "hbs", "bs": "hbs", "sh": "hbs", "no": "nb", "fil": "tl"}
# Longer words are no words of a dictionary.
LONGEST_WORD: Final = 40
CACHED_WORDS: Final = 100_000
# Snowball names its algorithms by languages; it has one for both kinds of Norwegian.
NORWEGIAN: Final = frozenset({"nb", "nn"})


def has_lemmas(language: str) -> bool:
    """Return True if inflected forms of a language have lemmas."""
    from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES

    return _list_of(language) in SUPPORTED_LANGUAGES


@lru_cache(CACHED_WORDS)
def lemmas_of(word: str, language: str) -> tuple[str, str, str]:
    """The form of a word, its lemma, and the lemma of the word in small letters, all without case."""
    form = word.casefold()
    if len(word) > LONGEST_WORD or word.isnumeric() or not has_lemmas(language):
        return form, form, form
    from simplemma import lemmatize

    name = _list_of(language)
    return form, lemmatize(word, name).casefold(), lemmatize(word.lower(), name).casefold()


def keys_of(word: str, language: str) -> frozenset[str]:
    """The form and the lemmas of a word. Forms of one word share a key."""
    return frozenset(lemmas_of(word, language))


@lru_cache(CACHED_WORDS)
def stems_of(word: str, language: str) -> frozenset[str]:
    """Stems of a word and of its lemmas; its keys in languages without a stemmer."""
    import snowballstemmer

    keys, code = keys_of(word, language), base_language(language)
    name = tag_name("no" if code in NORWEGIAN else code).lower()
    if len(word) > LONGEST_WORD or name not in snowballstemmer.algorithms():
        return keys
    # A stemmer has a state, so threads cannot share one.
    stemmer = snowballstemmer.stemmer(name)
    return frozenset(stemmer.stemWord(key) for key in keys)


def _list_of(language: str) -> str:
    code = base_language(language)
    return LISTS.get(code, code)
