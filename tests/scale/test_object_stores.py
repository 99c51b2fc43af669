"""Runs over files in a store of objects by S3's protocol, as a server on this machine."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.scale import Ranking, Scorer
from app.scale.batches import column_of
from app.scale.estimates import rows_of
from app.scale.files.reading import read_shard
from app.scale.files.shards import shards_of
from app.scale.runs import ColumnsTask, Summary, run
from app.scale.statistics import StatisticsTask, corpus_scores

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
fsspec = pytest.importorskip("fsspec", reason="the extra parquet is not installed")
pytest.importorskip("s3fs", reason="s3fs is not installed: make .venv/.engines")
moto = pytest.importorskip("moto.server", reason="moto is not installed: make .venv/.engines")
import pyarrow.parquet as pq  # noqa: E402 - after the check

SCORER = Scorer(model="ro-en-hter-gp-17")
ROWS = 120


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    environment = {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    system = fsspec.filesystem("s3", skip_instance_cache=True)
    system.mkdir("corpus")
    yield system
    for bucket in system.ls(""):
        system.rm(bucket, recursive=True)
    server.stop()
    fsspec.filesystem("s3").clear_instance_cache()


def write(system: Any, name: str) -> Any:
    table = pa.table({"src": [f"Casa numărul {k}." for k in range(ROWS)], "mt": [f"House number {k}." for k in range(ROWS)]})
    with system.open(name, "wb") as file:
        pq.write_table(table, file, row_group_size=40)
    return table


def test_results_land_in_the_bucket_and_a_second_run_finds_them(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.shards.SHARD_ROWS", 40)
    table = write(store, "corpus/a/pairs.parquet")
    task = ColumnsTask(SCORER, "s3://corpus/out")
    shards = shards_of(["s3://corpus/a/*.parquet"])
    summary = run(task, shards, map)
    assert (summary.shards, summary.rows, summary.faults, summary.failures) == (3, ROWS, 0, ())
    store.invalidate_cache()
    found = []
    for name in sorted(store.glob("corpus/out/pairs-*.parquet")):
        with store.open(name, "rb") as file:
            found += pq.read_table(file)["assay_quality"].to_pylist()
    assert found == pytest.approx(np.array(SCORER(table)["assay_quality"].to_pylist()), rel=1e-9)
    assert run(task, shards_of(["s3://corpus/a/*.parquet"]), map).earlier == 3


def test_a_bucket_that_disappears_is_an_error_of_its_files(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, "corpus/pairs.parquet")
    store.mkdir("results")
    shards = shards_of(["s3://corpus/*.parquet"])
    store.rm("corpus", recursive=True)
    summary = run(ColumnsTask(SCORER, "s3://results/out"), shards, map)
    assert len(summary.failures) == 1 and "no such file" in str(summary.failures[0].error)
    with pytest.raises(InputError, match="no file matches"):
        shards_of(["s3://corpus/*.parquet"])


def test_a_missing_bucket_of_results_is_named(store: Any) -> None:
    write(store, "corpus/pairs.parquet")
    with pytest.raises(InputError, match=r"^s3://gone/out/_assay/plan\.json: its bucket or folder does not exist$"):
        run(ColumnsTask(SCORER, "s3://gone/out"), shards_of(["s3://corpus/*.parquet"]), map)


def test_results_in_the_bucket_of_the_inputs_replace_none(store: Any) -> None:
    write(store, "corpus/pairs.parquet")
    with pytest.raises(InputError, match=r"pairs\.parquet is an input"):
        run(ColumnsTask(SCORER, "s3://corpus"), shards_of(["s3://corpus/*.parquet"]), map)
    with store.open("corpus/out/pairs.parquet", "wb") as file:
        file.write(b"of others")
    with pytest.raises(InputError, match=r"pairs\.parquet is there already"):
        run(ColumnsTask(SCORER, "s3://corpus/out"), shards_of(["s3://corpus/*.parquet"]), map)


def lines_of(kind: str) -> bytes:
    rows = [{"src": f"Casa numărul {k}.", "mt": f"House number {k}.", "other": f"Home {k}."} for k in range(ROWS)]
    objects = ["\t".join(rows[0]), *("\t".join(row.values()) for row in rows)] if ".tsv" in kind else map(json.dumps, rows)
    raw = "".join(f"{line}\n" for line in objects).encode()
    return gzip.compress(raw) if kind.endswith(".gz") else raw


@pytest.mark.parametrize("kind", [".tsv", ".jsonl", ".tsv.gz"])
def test_lines_in_a_store_are_those_of_a_disk(store: Any, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.shards.SHARD_BYTES", 1500)
    (tmp_path / f"pairs{kind}").write_bytes(lines_of(kind))
    store.pipe(f"corpus/pairs{kind}", lines_of(kind))
    results = []
    for folder in (str(tmp_path), "s3://corpus"):
        shards = shards_of([f"{folder}/pairs{kind}"])
        assert len(shards) > 2 or kind.endswith(".gz")
        assert sum(map(rows_of, shards)) == ROWS
        ranking = Ranking(model=SCORER.model, systems={"A": "mt", "B": "other"})
        columns = []
        for name, work in (("quality", SCORER), ("rank", ranking)):
            task = ColumnsTask(work, f"{folder}/{name}")
            assert run(task, shards, map) == Summary(len(shards), 0, ROWS, 0, ())
            found = [batch for shard in shards_of([f"{folder}/{name}/pairs*"]) for batch in read_shard(shard)]
            columns.append([value for batch in found for column in batch for value in column_of(batch, column)])
        sums = StatisticsTask(("bleu",), {"A": "mt"}, ("other",), f"{folder}/sums")
        run(sums, shards, map)
        results.append((columns, corpus_scores(sums, shards)))
    assert results[0] == results[1]


def test_a_long_line_in_a_store_is_a_fault_of_its_row(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.lines.LONGEST", 1000)
    store.pipe("corpus/pairs.tsv", b"src\tmt\n" + b"x" * 3_000_000 + b"\nCasa.\tHouse.\n")
    summary = run(ColumnsTask(SCORER, "s3://corpus/out"), shards_of(["s3://corpus/pairs.tsv"]), map)
    assert (summary.rows, summary.faults, summary.failures) == (2, 1, ())
