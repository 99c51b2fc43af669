"""Systems that a server has: packed into one folder that names nothing outside itself, mapped, and asked for any texts."""

from app.smt.decoder.serving.packing import pack_system
from app.smt.decoder.serving.served_system import CARD, Hypothesis, ServedSystem, SystemCard, Translated

__all__ = ["CARD", "Hypothesis", "ServedSystem", "SystemCard", "Translated", "pack_system"]
