"""Word tokenisation of Moses: its rules, and character classes and abbreviations of the package sacremoses."""

from app.text.moses.words import MosesWords

__all__ = ["MosesWords"]
