"""Phrase-based systems as a source of side information."""

from typing import Final

from app.smt.systems import Systems

__all__ = ["ATTACHED"]

ATTACHED: Final = (Systems,)
