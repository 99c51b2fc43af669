"""Corpora of translation systems: phrase extraction, selection, weighting, harvest, trees."""
