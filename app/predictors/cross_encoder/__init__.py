"""A cross-encoder: one network reads a source and its translation together, and predicts labels and tags of their tokens."""

from app.predictors.cross_encoder.model import (
    CARD,
    GRAPH,
    PIECES,
    CrossEncoder,
    CrossEncoderCard,
    CrossReading,
    load_cross_encoder,
    read_cross_encoder_card,
)

__all__ = [
    "CARD", "GRAPH", "PIECES", "CrossEncoder", "CrossEncoderCard", "CrossReading", "load_cross_encoder", "read_cross_encoder_card",
]  # fmt: skip
