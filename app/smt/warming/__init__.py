"""Compilation of the wing's kernels while a server loads."""
