"""Language codes (ISO 639-1) and pairs of them."""

import re
from dataclasses import dataclass
from typing import Final

from app.errors import InputError

__all__ = ["NAMES", "LanguagePair", "language_name"]

NAMES: Final = {
    "en": "English",
    "de": "German",
    "zh": "Chinese",
    "et": "Estonian",
    "ne": "Nepali",
    "ro": "Romanian",
    "ru": "Russian",
    "si": "Sinhala",
    "es": "Spanish",
    "fr": "French",
}
CODE: Final = re.compile(r"[a-z]{2,3}")


def language_name(code: str) -> str:
    """The English name of a language code, or the code itself where no name is known."""
    return NAMES.get(code, code)


@dataclass(frozen=True, order=True)
class LanguagePair:
    """A direction of translation, written ``en-de``."""

    source: str
    target: str

    def __post_init__(self) -> None:
        for place, code in (("source_language", self.source), ("target_language", self.target)):
            if not CODE.fullmatch(code):
                raise InputError(
                    "unknown-language-pair",
                    "a language is given by its ISO 639 code, two or three small letters such as 'en'",
                    (place,),
                )

    @classmethod
    def parse(cls, text: str) -> "LanguagePair":
        """Read ``en-de``; anything else is an InputError."""
        source, separator, target = text.partition("-")
        if not separator:
            raise InputError("unknown-language-pair", "a language pair is written like 'en-de'", ("pair",))
        return cls(source, target)

    @property
    def reversed(self) -> "LanguagePair":
        """The other direction."""
        return LanguagePair(self.target, self.source)

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"
