"""Measures of `evaluate` against people: labels of documents, tags of words, error spans."""
