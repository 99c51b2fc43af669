"""Reranking of n-best lists: additional features of hypotheses, and the order by weights."""
