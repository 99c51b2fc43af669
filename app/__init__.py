"""Assay: says how good a machine translation is, over HTTP, in the shell and in Python.

Each folder is a floor; a floor imports only the floors below it (see docs/extend/architecture.md).
"""

__all__ = ["__version__"]

__version__ = "0.1.0"
