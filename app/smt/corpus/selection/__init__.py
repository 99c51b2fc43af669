"""Choosing parts of parallel text: scores of pairs, budgets, and what is written."""
