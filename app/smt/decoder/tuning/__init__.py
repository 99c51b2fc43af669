"""Weights of a system, tuned by translating again and again."""
