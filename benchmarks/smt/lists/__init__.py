"""Benchmarks of n-best lists: reranking, combination, minimum Bayes risk."""
