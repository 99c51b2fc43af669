"""Forms in which commands print answers."""

from enum import StrEnum

__all__ = ["Format"]


class Format(StrEnum):
    """Forms of an answer."""

    TEXT = "text"
    JSON = "json"
    TSV = "tsv"
    MARKDOWN = "markdown"
