"""Phrase-based systems that an engine has loaded, and the side information that they give."""

from app.smt.systems.evidence import LIST_LENGTH, Systems

__all__ = ["LIST_LENGTH", "Systems"]
