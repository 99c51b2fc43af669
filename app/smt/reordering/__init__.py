"""Word order: permutation trees of aligned sentences, a grammar that learns from them, and the preordering of sources."""
