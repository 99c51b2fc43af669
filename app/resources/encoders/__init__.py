"""Encoders of sentences, loaded once and only read: texts to unit vectors, whose products say how near two texts are."""

from app.resources.encoders.card import EncoderCard
from app.resources.encoders.choosing import ChosenEncoder
from app.resources.encoders.encoder import EncodedTokens, Encoder

__all__ = ["ChosenEncoder", "EncodedTokens", "Encoder", "EncoderCard"]
