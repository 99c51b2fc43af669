"""The scorer in Ray, Dask and Spark, and the recipe for DuckDB: results are those of the engine, row by row."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.scale import Scorer
from app.scale.executors.ray_tasks import ray_tasks
from app.scale.files.shards import shards_of
from app.scale.runs import ColumnsTask, run
from app.settings import ROOT

pa = pytest.importorskip("pyarrow", reason="the extra scale is not installed")
import pyarrow.parquet as pq  # noqa: E402 - after the check

SCORER = Scorer(model="ro-en-hter-gp-17")
ROWS = 40
TABLE = pa.table({
    "id": list(range(ROWS)),
    "src": [None if k == 7 else f"Casa numărul {k} este mare." for k in range(ROWS)],
    "mt": [f"House number {k} is big{', big' * (k % 4)}." for k in range(ROWS)],
})  # fmt: skip
NEW = ("assay_quality", "assay_quality_low", "assay_quality_high")


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    scored = SCORER(TABLE)
    return np.array([scored[name].to_pylist() for name in NEW], float)


def check(columns: dict[str, list[Any]], expected: np.ndarray) -> None:
    order = np.argsort(columns["id"])
    found = np.array([columns[name] for name in NEW], float)[:, order]
    assert found == pytest.approx(expected, rel=1e-7, nan_ok=True)
    errors = [columns["assay_quality_error"][k] for k in order]
    assert [k for k, error in enumerate(errors) if error is not None] == [7]


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="the extra cluster is not installed")
    environment = {"PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}", "OMP_NUM_THREADS": "1"}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": environment})
    yield ray
    ray.shutdown()


@pytest.mark.parametrize("form", ["numpy", "pyarrow", "pandas"])
def test_ray_data(ray: Any, form: str, expected: np.ndarray) -> None:
    data = ray.data.from_arrow(TABLE).map_batches(SCORER, batch_format=form, batch_size=16)
    rows = data.take_all()
    columns = {name: [row[name] for row in rows] for name in ("id", *NEW, "assay_quality_error")}
    columns["assay_quality_error"] = [None if error != error else error for error in columns["assay_quality_error"]]
    check(columns, expected)


def test_a_run_on_ray_writes_the_bytes_of_a_run_on_processes(ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.shards.SHARD_ROWS", 10)
    pq.write_table(TABLE, tmp_path / "pairs.parquet", row_group_size=10)
    shards = shards_of([f"{tmp_path}/pairs.parquet"])
    for name, executor in (("ray", ray_tasks("auto")), ("here", map)):
        summary = run(ColumnsTask(SCORER, f"{tmp_path}/{name}"), shards, executor)
        assert (summary.rows, summary.faults, summary.failures) == (ROWS, 1, ())
    names = sorted(path.name for path in (tmp_path / "ray").glob("*.parquet"))
    assert len(names) == 4
    assert all((tmp_path / "ray" / name).read_bytes() == (tmp_path / "here" / name).read_bytes() for name in names)


def test_dask_partitions(expected: np.ndarray) -> None:
    frames = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    data = frames.from_pandas(TABLE.to_pandas(), npartitions=3)
    scored = data.map_partitions(SCORER).compute(scheduler="synchronous")
    columns = {name: scored[name].tolist() for name in ("id", *NEW)}
    columns["assay_quality_error"] = [None if error != error else error for error in scored["assay_quality_error"].tolist()]
    check(columns, expected)


def test_spark_batches(expected: np.ndarray) -> None:
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = sql.SparkSession.builder.master("local[2]").getOrCreate()
    frame = session.createDataFrame(TABLE.to_pandas())
    schema = f"id long, src string, mt string, {', '.join(f'{name} double' for name in NEW)}, assay_quality_model string, assay_quality_error string"
    rows = frame.mapInArrow(SCORER, schema).collect()
    check({name: [row[name] for row in rows] for name in ("id", *NEW, "assay_quality_error")}, expected)
    session.stop()


def test_duckdb_recipe(expected: np.ndarray) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    connection = duckdb.connect()
    connection.register("pairs", TABLE)
    scored = connection.sql("select * from pairs order by id").to_arrow_table()
    connection.register("scored", SCORER(scored))
    best = connection.sql(
        "select id, assay_quality from scored where assay_quality is not null order by assay_quality limit 3"
    ).fetchall()
    order = np.argsort(np.where(np.isnan(expected[0]), np.inf, expected[0]), kind="stable")[:3]
    assert [score for _, score in best] == pytest.approx(expected[0, order].tolist())
