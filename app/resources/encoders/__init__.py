"""Encoders of sentences, loaded once and only read: texts to unit vectors, whose products say how near two texts are."""

from app.resources.encoders.encoder import EncodedTokens, Encoder

__all__ = ["EncodedTokens", "Encoder"]
