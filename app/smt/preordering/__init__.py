"""Preordering: gold orders, their evaluation, and systems that give a source sentence the word order of the target language."""
