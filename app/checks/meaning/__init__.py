"""Checks of meaning: numbers, names, negation, untranslated words, and unrelated translations."""
