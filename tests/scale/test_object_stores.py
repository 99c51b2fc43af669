"""Runs over files in a store of objects by S3's protocol, as a server on this machine."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.scale import Scorer
from app.scale.files.shards import shards_of
from app.scale.runs import ColumnsTask, run

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
