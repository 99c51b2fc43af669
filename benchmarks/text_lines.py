"""Lines of text files."""

from pathlib import Path

from app.text.reading.lines import TextFile

__all__ = ["lines"]


def lines(path: Path) -> list[str]:
    """Lines of a UTF-8 file, gzip or not, without line ends."""
    return list(TextFile.of(path).lines())
