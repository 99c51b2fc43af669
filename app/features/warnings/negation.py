"""Words that negate, per language, and whether only one side of a pair has any."""

import re
from collections.abc import Sequence
from typing import Final

__all__ = ["NEGATING", "negations", "one_sided_negation"]

# Whole tokens in small letters; a pattern stands for words that negate by their form.
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


# Characters that can negate and often do not: finding some says little.
OFTEN_FOUND: Final = frozenset({"zh"})
# Verbs negate by endings that these patterns know in part: finding none says little.
OFTEN_MISSED: Final = frozenset({"ne", "si"})
# "No. 7" is a number.
ABBREVIATED: Final = re.compile(r"[.\d].*")


def one_sided_negation(
    languages: tuple[str, str], source: Sequence[str], translation: Sequence[str]
) -> tuple[list[str], list[str]] | None:
    """The negating words of the side that alone has some; None where both or none have, or nothing is known of a language."""
    ours, theirs = negations(languages[0], source), negations(languages[1], translation)
    if ours is None or theirs is None or bool(ours) == bool(theirs):
        return None
    having, lacking = languages if ours else languages[::-1]
    if having in OFTEN_FOUND or lacking in OFTEN_MISSED:
        return None
    return ours, theirs


def negations(language: str, tokens: Sequence[str]) -> list[str] | None:
    """The tokens that negate; None for a language of which nothing is known here."""
    pattern = NEGATING.get(language)
    if pattern is None:
        return None
    following = [*tokens[1:], ""]
    return [
        token
        for token, after in zip(tokens, following, strict=True)
        if pattern.fullmatch(token.lower()) and not (token in ("No", "no") and ABBREVIATED.fullmatch(after) and language == "en")
    ]
