"""Encoders of sentences: texts become unit vectors, and the product of two vectors is the similarity of their texts."""

from app.resources.encoders.card import EncoderCard
from app.resources.encoders.choosing import ChosenEncoder
from app.resources.encoders.encoder import EncodedTokens, Encoder, Pieces, PieceTable

__all__ = ["ChosenEncoder", "EncodedTokens", "Encoder", "EncoderCard", "PieceTable", "Pieces"]
