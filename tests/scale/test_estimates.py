"""Samples of estimates: they end with their time, and hold whole batches where there is time for them."""

import gzip
import time
from pathlib import Path

import pytest

from app.scale.batches import row_count
from app.scale.estimates import BATCHES, FIRST_ROWS, rows_of, sample
from app.scale.files.reading import ROWS, read_shard
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


@pytest.mark.parametrize("size", [20, 1000])
@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.tsv"])
def test_a_byte_order_mark_is_no_row(name: str, size: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("app.scale.files.shards.SHARD_BYTES", size)
    lines = "src\n\nCasa.\nCasa.\n" if name == "a.tsv" else '\r\n\n{"src": "Casa."}\n\n{"src": "Casa."}\n'
    raw = f"\ufeff{lines}".encode()
    (tmp_path / name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    shards = shards_of([f"{tmp_path}/{name}"])
    assert sum(map(rows_of, shards)) == sum(row_count(batch) for shard in shards for batch in read_shard(shard)) == 2
