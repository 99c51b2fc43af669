"""Negating words by language, and segments with negation on one side only."""

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["NEGATING", "negations", "one_sided_negation"]

# Whole tokens in lower case; patterns cover words that negate by their form.
NEGATING: Final = {
    "en": re.compile(r"not|no|never|nothing|nobody|none|neither|nor|without|cannot|nowhere|n?[’']t|\w+n[’']t|&apos;t"),
    "de": re.compile(r"nicht|kein(e|en|em|er|es|s)?|nie|niemals|nichts|niemand(en|em)?|weder|ohne|nirgends|nirgendwo"),
    "ro": re.compile(r"nu|n[’'-].*|n|niciodat[ăa]|nimic|nimeni|nici|niciun(a|ui|ei)?|nicio|f[ăa]r[ăa]|nic[ăa]ieri"),
    "et": re.compile(r"ei|mitte|ära|ärge|pole|polnud|ilma|ega|eitab"),
    "ru": re.compile(r"не|нет|ни|никогда|ничего|ничто|никто|никого|никому|без|нельзя|нигде|никак(ой|ая|ие|их|ого)?"),
    "es": re.compile(r"no|nunca|jamás|nada|nadie|ningún|ninguna?|sin|ni|tampoco"),
    "fr": re.compile(r"ne|n[’']|pas|jamais|rien|aucune?|sans|ni"),
    "zh": re.compile(r"不|没|沒|無|无|非|未|别|莫|勿|否"),
    "ne": re.compile(r"छैन\w*|होइन\w*|थिएन\w*|\w+दैन\w*|\w+एन|नगर\w*|नहुने|बिना|कहिल्यै"),
    "si": re.compile(r"නැත\w*|නෑ|නැහැ|නැති\w*|නොවේ|නොව|නො\w+|එපා|බැහැ|තොරව"),
}


# Languages with negating characters of several meanings: a match is weak evidence.
AMBIGUOUS_LANGUAGES: Final = frozenset({"zh"})
# Languages whose verbs negate by endings outside these patterns: a missing match is weak evidence.
SUFFIX_LANGUAGES: Final = frozenset({"ne", "si"})
# "No. 7" is a number.
NUMBER_TAIL: Final = re.compile(r"[.\d].*")


def one_sided_negation(
    languages: tuple[str, str], source: Sequence[str], translation: Sequence[str]
) -> tuple[list[str], list[str]] | None:
    """Negating words of source and translation, if only one side has some; None otherwise, and for a language without patterns."""
    source_words, target_words = negations(languages[0], source), negations(languages[1], translation)
    if source_words is None or target_words is None or bool(source_words) == bool(target_words):
        return None
    having, lacking = languages if source_words else languages[::-1]
    if having in AMBIGUOUS_LANGUAGES or lacking in SUFFIX_LANGUAGES:
        return None
    return source_words, target_words


def negations(language: str, tokens: Sequence[str]) -> list[str] | None:
    """Negating tokens; None for a language without patterns."""
    pattern = NEGATING.get(language)
    if pattern is None:
        return None
    following = [*tokens[1:], ""]
    return [
        token
        for token, after in zip(tokens, following, strict=True)
        if pattern.fullmatch(token.lower()) and not (token in ("No", "no") and NUMBER_TAIL.fullmatch(after) and language == "en")
    ]
