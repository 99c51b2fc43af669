"""Rows of phrase tables: which of them count, and what ways of several tables make of them."""
