"""Segments: languages, tokens, batches of segment pairs, and readers of their files.

Other rooms work on `SegmentBatch`, which holds the tokens of many pairs as integer arrays.
"""

from app.errors import InputError
from app.text.batch import SegmentBatch, TokenColumn, pack_lines, pack_tokens
from app.text.language_tags import tag_name
from app.text.languages import LanguagePair
from app.text.tokenisation import Tokeniser, tokeniser_for

__all__ = [
    "InputError",
    "LanguagePair",
    "SegmentBatch",
    "TokenColumn",
    "Tokeniser",
    "pack_lines",
    "pack_tokens",
    "tag_name",
    "tokeniser_for",
]
