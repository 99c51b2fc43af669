"""Names that options of metrics of word order take: orderings, lexical scores and stemmers."""

from typing import Final

from app.permutations.similarities import SIMILARITIES

__all__ = ["LEXICAL", "ORDERINGS", "STEMMERS"]

ORDERINGS: Final = SIMILARITIES[:10]
LEXICAL: Final = ("f1", "bleu1")
# Snowball's stemmers by ISO 639-1 code.
STEMMERS: Final = {
    "ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish",
    "et": "estonian", "eu": "basque", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch",
    "nb": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
