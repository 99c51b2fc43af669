"""Parallel text into resources: language models, n-gram counts, word alignments, lexical tables.

Everything under `resources/` is made by this floor, by the commands `assay resources lm` and `assay resources align`.
"""
