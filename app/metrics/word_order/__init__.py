"""Word order: alignments of hypothesis and reference, permutations, permutation trees and the similarities on them."""
