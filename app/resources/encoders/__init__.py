"""Encoders: pieces of texts and their vectors, for networks that read several texts at once."""

from app.resources.encoders.card import EncoderCard
from app.resources.encoders.choosing import ChosenEncoder
from app.resources.encoders.encoder import Encoder, Pieces, PieceTable

__all__ = ["ChosenEncoder", "Encoder", "EncoderCard", "PieceTable", "Pieces"]
