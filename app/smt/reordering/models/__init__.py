"""Preorderers as artifacts: training of grammars with checkpoints, storing, and the orders of new sentences."""
