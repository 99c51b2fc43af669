"""Samples of estimates: they end with their time, and hold whole batches where there is time for them."""

import time
from pathlib import Path

import pytest

from app.scale.estimates import BATCHES, FIRST_ROWS, sample
from app.scale.files.reading import ROWS
from app.scale.files.shards import shards_of


def unchanged(batch: object) -> object:
    return batch


@pytest.mark.parametrize(("seconds", "rows"), [(0.0, 2 * FIRST_ROWS), (600.0, 2 * BATCHES * ROWS)])
def test_a_sample_ends_with_its_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, seconds: float, rows: int) -> None:
    for name in "ab":
        (tmp_path / f"{name}.tsv").write_text("src\tmt\n" + "Casa.\tHouse.\n" * (3 * ROWS))
    monkeypatch.setattr("app.scale.estimates.SECONDS", seconds)
    found = sample(unchanged, shards_of([f"{tmp_path}/*.tsv"]), "", time.time())
    assert found.rows == rows and found.seconds > 0
