"""Reordering Grammars as artifacts: training with checkpoints, storing, and the orders of new sentences."""
