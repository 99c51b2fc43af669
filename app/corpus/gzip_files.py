"""gzip files that are the same wherever and whenever the same is written into them."""

from collections.abc import Iterator
from contextlib import contextmanager
from gzip import GzipFile
from pathlib import Path

__all__ = ["written_gzip"]


@contextmanager
def written_gzip(path: Path, level: int = 6) -> Iterator[GzipFile]:
    """A gzip file to write bytes into, with neither its name nor the time in its heading."""
    with path.open("wb") as plain, GzipFile("", "wb", level, plain, 0) as packed:
        yield packed
