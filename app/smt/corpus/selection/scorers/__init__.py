"""Scorers of pairs of a pool: a module for each kind of selector."""
