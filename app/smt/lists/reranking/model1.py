"""IBM model 1 as a feature: the probability of the words of one side if those of the other side are known.

Srivastava's thesis (4.4), after Brown et al. 1993: ``Pr(f|e) = ε / (l + 1)^m · Π_j Σ_i t(f_j | e_i)`` with ε = 1 and the empty
word e_0.
"""

from typing import Final

import numpy as np

from app.arrays import Float64s
from app.features.lexical_links import find_links
from app.resources.lexical_table import LexicalTable
from app.text.batch import TokenColumn

__all__ = ["LOWEST", "model1_log_prob"]

# Least t of a word, for words without any translation in the table.
LOWEST: Final = 1e-7


def model1_log_prob(table: LexicalTable, conditions: TokenColumn, predicted: TokenColumn) -> Float64s:
    """Return ln Pr(predicted | conditions) of n segment pairs, by word probabilities p(predicted | conditions) of `table`; (n,).

    A word's mean probability is at least 1e-7. There is no normalisation by length.
    """
    totals = find_links(table, conditions, predicted).total
    sizes = (conditions.lengths + 1).astype(np.float64)
    means = np.maximum(totals / sizes[predicted.segments], LOWEST)
    return np.asarray(np.bincount(predicted.segments, np.log(means), len(predicted)), np.float64)
