"""Phrase-based translation: Moses' files and weights, a beam search in compiled code, n-best lists and forced decoding."""
