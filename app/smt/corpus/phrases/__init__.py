"""Phrases from word-aligned text, as Moses has them: extraction, orientation, scores, tables."""
