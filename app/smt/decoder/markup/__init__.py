"""Markup in the input: translations of spans, and bounds of reordering."""
