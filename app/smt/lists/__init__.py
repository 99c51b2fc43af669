"""N-best lists: oracles, minimum Bayes risk, combination and reranking."""
