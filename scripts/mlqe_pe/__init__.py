"""Builds of all shipped resources and models from the MLQE-PE data."""
