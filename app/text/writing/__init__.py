"""Texts as other programs show them."""
