"""Pieces of texts in any of a hundred languages, and the vectors of pieces that the cross-encoder reads."""

from app.resources.pieces.table import PieceTable, read_pieces
from app.resources.pieces.unigram import Pieces, Unigram
from app.resources.pieces.vocabulary import PieceVocabulary

__all__ = ["PieceTable", "PieceVocabulary", "Pieces", "Unigram", "read_pieces"]
