"""What a segment is: languages, tokens, batches of segment pairs, and the files they come in.

Everything above works on `SegmentBatch`, which holds the tokens of many pairs as integer arrays.
"""

from app.errors import InputError
from app.text.batch import SegmentBatch, TokenColumn, pack_lines, pack_tokens
from app.text.languages import LanguagePair, language_name
from app.text.tokenisation import Tokeniser, tokeniser_for

__all__ = [
    "InputError",
    "LanguagePair",
    "SegmentBatch",
    "TokenColumn",
    "Tokeniser",
    "language_name",
    "pack_lines",
    "pack_tokens",
    "tokeniser_for",
]
