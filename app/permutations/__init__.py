"""Word order: permutations, their trees, and similarities between them."""
