"""Phrase tables and tables of orientations out of extracted pairs of phrases."""
