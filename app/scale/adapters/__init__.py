"""Adapters: the scorer as a part of other packages' pipelines. Each module imports its package, and only there."""
