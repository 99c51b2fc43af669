"""Names of similarities of permutations to the identity, apart from their kernels so that lists of them load none."""

from typing import Final

__all__ = ["SIMILARITIES"]

SIMILARITIES: Final = (
    "kendall", "hamming", "spearman", "ulam", "fuzzy",
    "pet-size", "pet-arity", "pet-count", "recpet", "recpef",
    "monotone", "inverted", "arity-4", "arity-more",
)  # fmt: skip
