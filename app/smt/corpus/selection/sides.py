"""Properties of one side of a pair: script, remains of HTML, marks at ends of sentences, repetitions, language.

Each is linear in the length of the text. Kernels and models of languages are imported when a rule first asks for them.
"""

import unicodedata
from functools import cache
from math import log
from typing import Final

from app.errors import InputError

__all__ = ["SCRIPTS", "check_language", "check_script", "has_markup", "is_otherwise", "punctuation", "repeats", "script_share"]

# Scripts by how Unicode's names of their letters begin.
SCRIPTS: Final = {
    "arabic": ("ARABIC",), "armenian": ("ARMENIAN",), "bengali": ("BENGALI",), "cyrillic": ("CYRILLIC",),
    "devanagari": ("DEVANAGARI",), "ethiopic": ("ETHIOPIC",), "georgian": ("GEORGIAN",), "greek": ("GREEK",),
    "gujarati": ("GUJARATI",), "gurmukhi": ("GURMUKHI",), "han": ("CJK", "IDEOGRAPHIC"), "hangul": ("HANGUL",),
    "hebrew": ("HEBREW",),
    "japanese": ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"), "kannada": ("KANNADA",), "khmer": ("KHMER",),
    "lao": ("LAO",), "latin": ("LATIN", "FULLWIDTH"), "malayalam": ("MALAYALAM",), "myanmar": ("MYANMAR",), "sinhala": ("SINHALA",),
    "tamil": ("TAMIL",), "telugu": ("TELUGU",), "thai": ("THAI",), "tibetan": ("TIBETAN",),
}  # fmt: skip
# What ends sentences, in any script.
ENDS: Final = frozenset(".…?!。？！．؟۔।॥።፧։")
SHORTEST_REPEAT, LONGEST_REPEAT = 3, 100
TAG_LENGTH: Final = 1000
ENTITY_LENGTH: Final = 32


def check_script(name: str, option: str) -> None:
    """InputError where no script has this name."""
    if name not in SCRIPTS:
        raise InputError("invalid-request", f"scripts are {', '.join(SCRIPTS)}", (option,))


def check_language(name: str, option: str) -> None:
    """InputError where texts of a language cannot be identified."""
    from app.resources.identification import identifiable
    from app.text.languages import base_language

    if not identifiable(base_language(name)):
        raise InputError("invalid-request", f"texts in {name} cannot be told from others", (option,))


@cache
def _begin(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def script_share(text: str, script: str) -> float:
    """The share of a text's letters that are of a script; 1 where it has no letters."""
    wanted = SCRIPTS[script]
    letters = [letter for letter in text if letter.isalpha()]
    return sum(_begin(letter) in wanted for letter in letters) / len(letters) if letters else 1.0


def is_otherwise(text: str, language: str) -> bool:
    """Whether a text is clearly in another language; a text with few letters never is."""
    from app.resources.identification import identify, looks_otherwise
    from app.text.languages import base_language

    return looks_otherwise([text], base_language(language), identify([text]))


def has_markup(text: str) -> bool:
    """Whether there is a tag (``<b>``, ``</p>``, ``<!--``) or a character that is written by its name or number (``&nbsp;``)."""
    return _has_tag(text) or _has_entity(text)


def _has_tag(text: str) -> bool:
    for part in text.split("<")[1:]:
        name = part.removeprefix("/")[:1]
        if part.startswith("!--") or (name.isascii() and name.isalpha() and part.find(">", 0, TAG_LENGTH) >= 0):
            return True
    return False


def _has_entity(text: str) -> bool:
    for part in text.split("&")[1:]:
        name, end, _ = part[:ENTITY_LENGTH].partition(";")
        if end and name.isascii() and name.removeprefix("#").isalnum():
            return True
    return False


def punctuation(source: str, target: str) -> float:
    """How well marks at ends of sentences agree, 0 at best (Vázquez, Sulubacak and Tiedemann 2019).

    -ln(1 + |s - t| + those of the s and t marks on either side that are beyond its first).
    """
    one, other = (sum(letter in ENDS for letter in text) for text in (source, target))
    return -log(1 + abs(one - other) + max(one - 1, 0) + max(other - 1, 0))


def repeats(text: str) -> int:
    """The most immediate repeats of any stretch of 3 to 100 characters, the blank after it included."""
    import numpy as np

    from app.smt.corpus.selection.repetition_kernels import most_repeats

    characters = np.frombuffer(f"{' '.join(text.split())} ".encode("utf-32-le", "surrogatepass"), np.uint32)
    return int(most_repeats(characters, SHORTEST_REPEAT, LONGEST_REPEAT))
