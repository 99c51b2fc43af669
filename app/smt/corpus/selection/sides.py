"""Properties of a side of a pair: script, remains of HTML, sentence-final marks, repetitions, language.

Cost is linear in the length of the text. Kernels and language models are imported at first use.
"""

import unicodedata
from functools import cache
from math import log
from typing import Final

from app.errors import InputError

__all__ = ["SCRIPTS", "check_language", "check_script", "has_markup", "is_foreign", "punctuation", "repeats", "script_share"]

# First words of Unicode names of letters, by script.
SCRIPTS: Final = {
    "arabic": ("ARABIC",), "armenian": ("ARMENIAN",), "bengali": ("BENGALI",), "cyrillic": ("CYRILLIC",),
    "devanagari": ("DEVANAGARI",), "ethiopic": ("ETHIOPIC",), "georgian": ("GEORGIAN",), "greek": ("GREEK",),
    "gujarati": ("GUJARATI",), "gurmukhi": ("GURMUKHI",), "han": ("CJK", "IDEOGRAPHIC"), "hangul": ("HANGUL",),
    "hebrew": ("HEBREW",),
    "japanese": ("CJK", "IDEOGRAPHIC", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"), "kannada": ("KANNADA",), "khmer": ("KHMER",),
    "lao": ("LAO",), "latin": ("LATIN", "FULLWIDTH"), "malayalam": ("MALAYALAM",), "myanmar": ("MYANMAR",), "sinhala": ("SINHALA",),
    "tamil": ("TAMIL",), "telugu": ("TELUGU",), "thai": ("THAI",), "tibetan": ("TIBETAN",),
}  # fmt: skip
# Sentence-final marks of all scripts.
ENDS: Final = frozenset(".…?!。？！．؟۔।॥።፧։")
SHORTEST_REPEAT, LONGEST_REPEAT = 3, 100
TAG_LENGTH: Final = 1000
ENTITY_LENGTH: Final = 32


def check_script(name: str, option: str) -> None:
    """InputError for an unknown script."""
    if name not in SCRIPTS:
        raise InputError("invalid-request", f"scripts are {', '.join(SCRIPTS)}", (option,))


def check_language(name: str, option: str) -> None:
    """Raise InputError for a language that cannot be identified."""
    from app.resources.identification import identifiable
    from app.text.languages import base_language

    if not identifiable(base_language(name)):
        raise InputError("invalid-request", f"Assay cannot identify texts in {name}", (option,))


@cache
def _begin(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def script_share(text: str, script: str) -> float:
    """Share of a script among the letters of a text; 1 for a text without letters."""
    beginnings = SCRIPTS[script]
    letters = [letter for letter in text if letter.isalpha()]
    return sum(_begin(letter) in beginnings for letter in letters) / len(letters) if letters else 1.0


def is_foreign(text: str, language: str) -> bool:
    """Return True if a text is clearly in another language; False for a text with few letters."""
    from app.resources.identification import identify, looks_otherwise
    from app.text.languages import base_language

    return looks_otherwise([text], base_language(language), identify([text]))


def has_markup(text: str) -> bool:
    """Return True if a text has a tag (``<b>``, ``</p>``, ``<!--``) or an entity (``&nbsp;``)."""
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
    """Agreement of sentence-final marks, up to 0, the best value (Vázquez, Sulubacak and Tiedemann 2019).

    -ln(1 + |s - t| + max(s - 1, 0) + max(t - 1, 0)) for s and t marks on both sides.
    """
    source_marks, target_marks = (sum(letter in ENDS for letter in text) for text in (source, target))
    return -log(1 + abs(source_marks - target_marks) + max(source_marks - 1, 0) + max(target_marks - 1, 0))


def repeats(text: str) -> int:
    """Highest number of immediate repetitions of any span of 3 to 100 characters, with the blank after it."""
    import numpy as np

    from app.smt.corpus.selection.repetition_kernels import most_repeats

    characters = np.frombuffer(f"{' '.join(text.split())} ".encode("utf-32-le", "surrogatepass"), np.uint32)
    return int(most_repeats(characters, SHORTEST_REPEAT, LONGEST_REPEAT))
