"""Reference pages, generated from the code: ``python -m scripts.reference``."""

from scripts.reference.pages import reference_pages, with_tables

__all__ = ["reference_pages", "with_tables"]
