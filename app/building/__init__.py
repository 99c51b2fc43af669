"""Parallel text into resources: language models, n-gram counts, word alignments, lexical tables.

Everything under `resources/` is made by this floor, by the commands `assay resources lm` and `assay resources align`.
"""

from app.building.arpa import read_arpa, write_arpa
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import BackoffModel, OrderTable, estimate_language_model

__all__ = [
    "BackoffModel",
    "OrderTable",
    "estimate_language_model",
    "read_arpa",
    "write_arpa",
    "write_kenlm_trie",
]
