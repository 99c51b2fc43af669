"""Weights of corpora, spans of time and sentence pairs, by resampling or as numbers (Shah, Barrault and Schwenk 2010-2012)."""
