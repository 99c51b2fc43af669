"""The ground of word order and of reordering: permutations, their trees, and how alike they are."""
