"""Files that Moses' own tools wrote, and how files are compared with them."""

import gzip
from pathlib import Path

import pytest

from app.settings import ROOT

TABLES = ROOT.parent / "shared" / "reference" / "moses-tables"
SOURCE, TARGET, LINKS = (TABLES / name for name in ("train.de.gz", "train.en.gz", "aligned.gdfa.gz"))

needs_moses = pytest.mark.skipif(not TABLES.is_dir(), reason=f"Moses' own tables are not in {TABLES}")


def lines(path: Path) -> list[bytes]:
    return gzip.open(path).read().splitlines()


def assert_same(ours: list[bytes], theirs: list[bytes]) -> None:
    """Equal, or the first line that differs: pytest would compare 100,000 lines for minutes."""
    assert len(ours) == len(theirs)
    different = next((pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]), None)
    assert different is None, different
