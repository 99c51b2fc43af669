"""Cells that no text or number is, in files of every kind: a row has its fault, or the file a named one."""

import gzip
import json
import socket
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import InputError
from app.scale import Scorer
from app.scale.batches import column_of, row_count, rows_where
from app.scale.cells import ABSENT, Fault
from app.scale.files.lines import ROWS
from app.scale.files.places import place_of
from app.scale.files.reading import read_shard
from app.scale.files.shards import shards_of
from app.scale.files.writing import writer_of
from app.scale.rows import text_rows
from app.scale.runs import ColumnsTask, Summary, run
from app.scale.selection import ScoresTask

pa = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
import pyarrow.parquet as pq  # noqa: E402 - after the check

MODEL = "ro-en-hter-gp-17"
SCORER = Scorer(model=MODEL)
SOURCE, TRANSLATION = "Casa este mare.", "The house is big."
MEGABYTE = "x" * 1_000_000


def scored(path: Path, kind: str = "", work: Scorer = SCORER, usual: tuple[str, ...] = ()) -> Summary:
    return run(ColumnsTask(work, f"{path.parent}/out", kind, usual), shards_of([str(path)]), map)


def rows_of(folder: Path, name: str) -> list[dict[str, Any]]:
    if name.endswith("jsonl"):
        return [json.loads(line) for line in (folder / "out" / name).read_text().splitlines()]
    if name.endswith("tsv"):
        names, *lines = (line.split("\t") for line in (folder / "out" / name).read_text().splitlines())
        return [dict(zip(names, cells, strict=True)) for cells in lines]
    rows: list[dict[str, Any]] = pq.read_table(folder / "out" / name).to_pylist()
    return rows


def errors_of(rows: Sequence[dict[str, Any]]) -> list[str | None]:
    assert all((row["assay_quality"] in (None, "")) == bool(row["assay_quality_error"]) for row in rows)
    return [row["assay_quality_error"] or None for row in rows]


def bad_texts(*values: bytes) -> Any:
    """A column of texts with any bytes, which no check has seen."""
    return pa.Array.from_buffers(pa.string(), len(values), pa.array(values, pa.binary()).buffers())


MEMORY = """
import resource, sys
from app.scale.batches import names_of, row_count
from app.scale.files.reading import read_shard
from app.scale.files.shards import shards_of
from app.scale.files.writing import writer_of

before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open(sys.argv[2], "wb") as file, writer_of(file, sys.argv[2]) as writer:
    for shard in shards_of([sys.argv[1]]):
        for batch in read_shard(shard):
            writer.write(batch)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize(("name", "result"), [("a.parquet", "b.parquet"), ("a.jsonl.gz", "b.tsv"), ("a.jsonl.gz", "b.arrow")])
def test_memory_does_not_grow_with_cells_of_a_megabyte(name: str, result: str, tmp_path: Path) -> None:
    path, count = tmp_path / name, 600
    if name.endswith("parquet"):
        pq.write_table(pa.table({"text": pa.array([MEGABYTE] * count), "id": list(range(count))}), path)
    else:
        path.write_bytes(gzip.compress(b"".join(json.dumps({"text": MEGABYTE, "id": k}).encode() + b"\n" for k in range(count)), 1))
    found = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path), str(tmp_path / result)], capture_output=True, text=True, check=True
    )
    # All cells have 600 megabytes.
    assert int(found.stdout) < 450
    shards = shards_of([str(tmp_path / result)])
    ids = [int(value) for shard in shards for batch in read_shard(shard) for value in column_of(batch, "id")]
    assert ids == list(range(count))


@pytest.mark.parametrize("kind", [".parquet", ".arrow", ".jsonl", ".tsv"])
def test_rows_do_not_depend_on_the_cut_of_batches(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({
        "id": list(range(300)),
        "text": [f"{k} " + "é" * (k * 7919 % 400) for k in range(300)],
        "name": pa.array(["long " * 20, None, "short"] * 100).dictionary_encode(),
    })  # fmt: skip
    path = tmp_path / f"a{kind}"
    with path.open("wb") as file, writer_of(file, path.name) as writer:
        for batch in table.to_batches(max_chunksize=70):
            writer.write(batch)

    def read() -> tuple[list[int], dict[str, list[Any]]]:
        batches = list(read_shard(shards_of([str(path)])[0]))
        names = table.schema.names
        return list(map(row_count, batches)), {name: [x for batch in batches for x in column_of(batch, name)] for name in names}

    [size], whole = read()
    for module in ("sizes", "lines", "reading"):
        monkeypatch.setattr(f"app.scale.files.{module}.BATCH_BYTES", 2000)
    sizes, parts = read()
    assert size == sum(sizes) == 300 and len(sizes) > 10 and parts == whole


def test_narrow_rows_fill_batches_across_row_groups(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": list(range(2 * ROWS + 10))}), tmp_path / "a.parquet", row_group_size=1000)
    [shard] = shards_of([f"{tmp_path}/a.parquet"])
    assert [row_count(batch) for batch in read_shard(shard)] == [ROWS, ROWS, 10]


def test_a_key_may_lack_in_later_rows_but_not_in_all_of_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.lines.ROWS", 4)
    monkeypatch.setattr("app.scale.files.shards.SHARD_BYTES", 400)
    good, bad = {"src": SOURCE, "mt": TRANSLATION}, {"src": SOURCE}
    rows = [good] * 4 + [bad] * 40 + [good, {"src": SOURCE, "mt": None}]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    summary = scored(tmp_path / "a.jsonl")
    assert summary.shards > 2 and not summary.failures and (summary.rows, summary.faults) == (46, 41)
    found = [row for path in sorted((tmp_path / "out").glob("*.jsonl")) for row in rows_of(tmp_path, path.name)]
    assert errors_of(found) == [None] * 4 + ["invalid-table: mt is missing"] * 40 + [None, "invalid-table: mt is null"]
    assert [{name: row[name] for name in row if name in ("src", "mt")} for row in found] == rows
    mistyped = tmp_path / "b" / "b.jsonl"
    mistyped.parent.mkdir()
    mistyped.write_text("".join(json.dumps(row) + "\n" for row in [bad] * 4 + [good] * 40))
    assert "there is no column mt; columns are src" in str(scored(mistyped).failures[0].error)


def test_nulls_of_every_engine_have_one_message() -> None:
    pandas = pytest.importorskip("pandas")
    values = [None, float("nan"), np.float32("nan"), ABSENT, pandas.NA, pandas.NaT]
    errors = text_rows({"mt": values}, 10).errors
    assert errors == [f"invalid-table: mt is {'missing' if value is ABSENT else 'null'}" for value in values]


@pytest.mark.parametrize("kind", [".parquet", ".arrow"])
def test_texts_that_are_not_utf_8_are_faults_of_their_rows(kind: str, tmp_path: Path) -> None:
    table = pa.table({"id": [1, 2], "src": [SOURCE] * 2, "mt": bad_texts(TRANSLATION.encode(), b"\xff")})
    path = tmp_path / f"a{kind}"
    if kind == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    for result in (".parquet", ".jsonl", ".tsv"):
        assert not scored(path, result).failures
        found = rows_of(tmp_path, f"a{result}")
        assert errors_of(found) == [None, "invalid-encoding: mt is not UTF-8"] and [row["mt"] or "" for row in found] == [
            TRANSLATION,
            "",
        ]
        for file in (tmp_path / "out").rglob("*.*"):
            file.unlink()
    whole = table.rename_columns(["id", "src", "other"]).append_column("mt", pa.array([TRANSLATION] * 2))
    pq.write_table(whole, tmp_path / "b.parquet")
    [failure] = scored(tmp_path / "b.parquet", ".jsonl").failures
    assert failure.error == "invalid-encoding: column other has a text that is not UTF-8; mend it, or write .parquet"


def test_lines_with_faults_are_rows_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.lines.LONGEST", 1000)
    pair = f"{SOURCE}\t{TRANSLATION}".encode()
    lines = [b"1\t" + pair] * 50 + [
        b"52\ta\0b\tx",
        b"53\t\xff\t\xc3\xa9",
        b"54\tx",
        b"55\tx\ty\tz",
        b"56\tx\ry\tz",
        b"57\t" + b"x" * 5000,
    ]
    (tmp_path / "a.tsv").write_bytes(b"id\tsrc\tmt\n" + b"\n".join([*lines, b"1\t" + pair]) + b"\n")
    summary = scored(tmp_path / "a.tsv")
    assert not summary.failures and (summary.rows, summary.faults) == (57, 6)
    found = rows_of(tmp_path, "a.tsv")
    errors = errors_of(found)
    assert errors[:50] == [None] * 50 and errors[56] is None
    assert errors[50:56] == [
        "invalid-character: src: character 2 is a NUL, which text may not hold; remove it",
        "invalid-encoding: byte 4 of line 53 is not UTF-8",
        "invalid-table: line 54 has 2 columns, the heading has 3",
        "invalid-table: line 55 has 4 columns, the heading has 3",
        "invalid-character: line 56 has a carriage return in a cell",
        "segment-too-long: line 57 has more than 1000 bytes",
    ]  # fmt: skip
    assert [[row[name] for name in ("id", "src", "mt")] for row in found[51:56]] == [
        ["53", "", "é"], ["54", "x", ""], ["55", "x", "y"], ["56", "", "z"], ["", "", ""],
    ]  # fmt: skip


def test_objects_with_faults_are_rows_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.lines.LONGEST", 1000)
    good = {"src": SOURCE, "mt": TRANSLATION}
    texts = [
        json.dumps({**good, "x": 1.5}),
        json.dumps({**good, "x": float("nan")}),
        json.dumps({**good, "x": [1, {"y": float("-inf")}]}),
        json.dumps(good)[:-1] + ', "x": 1e999}',
        "[1]",
        "{",
        json.dumps({**good, "x": "long" * 1000}),
        json.dumps(good),
    ]
    raw = "\n".join(texts).encode() + b'\n{"src": "\xff", "mt": "good", "x": 7}\n'
    (tmp_path / "a.jsonl").write_bytes(raw)
    assert scored(tmp_path / "a.jsonl").faults == 7
    found = rows_of(tmp_path, "a.jsonl")
    number = "has a number that is not finite, such as NaN, Infinity or 1e999"
    assert errors_of(found) == [
        None,
        *(f"invalid-table: line {line} {number}" for line in (2, 3, 4)),
        *(f"invalid-table: line {line} is no JSON object" for line in (5, 6)),
        "segment-too-long: line 7 has more than 1000 bytes",
        None,
        "invalid-encoding: byte 10 of line 9 is not UTF-8",
    ]  # fmt: skip
    assert found[1]["x"] is None and found[1]["src"] == SOURCE and "x" not in found[7] and "src" not in found[4]
    assert found[8] | {"src": None, "mt": "good", "x": 7} == found[8]


def test_a_file_without_objects_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("one\ntwo\n")
    [failure] = scored(tmp_path / "a.jsonl").failures
    assert failure.error == "invalid-table: line 1 is no JSON object; a.jsonl has no JSON objects in its first rows"


def test_scores_that_are_not_finite_are_none(tmp_path: Path) -> None:
    values = ["1.5", "Infinity", "1" * 400, '"-inf"', '"0.5"', "null", "true", '"1_0"']
    (tmp_path / "a.jsonl").write_text("".join(f'{{"score": {value}}}\n' for value in values))
    task = ScoresTask("score", f"{tmp_path}/out")
    [shard] = shards_of([f"{tmp_path}/a.jsonl"])
    assert run(task, [shard], map).faults == 6
    assert task.read(shard).tolist() == [1.5, -np.inf, -np.inf, -np.inf, 0.5, -np.inf, -np.inf, -np.inf]


def write(folder: Path, kind: str, *batches: Any) -> Path:
    path = folder / f"a{kind}"
    with path.open("wb") as file, writer_of(file, path.name) as writer:
        for batch in batches:
            writer.write(batch)
    return path


def column(*values: Any) -> dict[str, np.ndarray]:
    array = np.empty(len(values), object)
    array[:] = values
    return {"x": array}


def nested(levels: int, kind: type) -> Any:
    value: Any = "text"
    for _ in range(levels):
        value = [value] if kind is list else {"x": value}
    return value


@pytest.mark.parametrize("kind", [list, dict])
@pytest.mark.parametrize("levels", [40, 60, 101, 300])
def test_nested_values_are_readable_or_refused(levels: int, kind: type, tmp_path: Path) -> None:
    value = nested(levels, kind)
    for suffix in (".parquet", ".arrow"):
        try:
            path = write(tmp_path, suffix, column(value))
        except InputError as error:
            assert error.code == "invalid-table" and levels > 40 and "column x" in error.detail and len(error.detail) < 400
        else:
            [batch] = read_shard(shards_of([str(path)])[0])
            assert column_of(batch, "x") == [value] and levels < 101


@pytest.mark.parametrize(
    "batches",
    [
        [pa.RecordBatch.from_pydict({"x": pa.RunEndEncodedArray.from_arrays([2, 3], [1, 2])})],
        [pa.RecordBatch.from_pydict({"x": pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])])})],
        [column({})],
        [column({"a": 1, "\ud800": 1})],
        [column(1.5), column(9007199254740993)],
    ],
    ids=["runs", "union", "empty object", "surrogate in a key", "large number"],
)  # fmt: skip
def test_values_that_parquet_does_not_hold_are_named(batches: list[Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"column x") as refused:
        write(tmp_path, ".parquet", *batches)
    assert refused.value.code == "invalid-table"


def test_rows_that_arrow_cannot_choose_are_named() -> None:
    batch = pa.RecordBatch.from_pydict({"a": [1, 2, 3], "x": pa.RunEndEncodedArray.from_arrays([2, 3], [1, 2])})
    assert rows_where(batch, np.ones(3, bool)).equals(batch)
    assert rows_where(batch.select(["a"]), np.array([True, False, True])).to_pydict() == {"a": [1, 3]}
    with pytest.raises(InputError, match="cannot choose rows of column x"):
        rows_where(batch, np.array([True, False, True]))


def test_a_name_with_a_lone_surrogate_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the name of a column has a lone surrogate"):
        write(tmp_path, ".parquet", {"\ud800": np.array(["a"], object)})


@pytest.mark.parametrize("value", [float("inf"), [float("nan")], {"a": [float("-inf")]}])
def test_numbers_that_json_does_not_hold_are_refused(value: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="column x has a number that is not finite"):
        write(tmp_path, ".jsonl", pa.RecordBatch.from_pydict({"x": [value]}))


@pytest.mark.parametrize("kind", [".tsv", ".jsonl"])
def test_lines_that_would_not_be_read_again_are_not_written(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.scale.files.writing.LONGEST", 1000)
    with pytest.raises(InputError, match="row 2 of the part has more than 1000 bytes") as refused:
        write(tmp_path, kind, column("short", "x" * 1000))
    assert refused.value.code == "segment-too-long"


def test_faults_are_written_as_their_values(tmp_path: Path) -> None:
    path = write(tmp_path, ".parquet", column("a", Fault("invalid-table: bad", "b"), Fault("invalid-table: bad", ABSENT)))
    assert pq.read_table(path)["x"].to_pylist() == ["a", "b", None]


def test_streams_of_arrow_are_read(tmp_path: Path) -> None:
    table = pa.table({"id": list(range(9000)), "text": ["x"] * 9000})
    with pa.ipc.new_stream(tmp_path / "a.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=1000)
    [shard] = shards_of([f"{tmp_path}/a.arrow"])
    batches = list(read_shard(shard))
    assert pa.Table.from_batches(batches).equals(table.combine_chunks()) and [row_count(batch) for batch in batches] == [
        ROWS,
        ROWS,
        808,
    ]


def test_files_with_other_usual_names_are_scored_side_by_side(tmp_path: Path) -> None:
    for name, source, translation in (("a", "Source", "Target"), ("b", "src", "mt"), ("c", "x", "y")):
        (tmp_path / f"{name}.tsv").write_text(f"{source}\t{translation}\n{SOURCE}\t{TRANSLATION}\n")
    work = Scorer(model=MODEL, src="Source", mt="Target")
    summary = scored(tmp_path / "*.tsv", work=work, usual=("source", "translation"))
    assert [failure.output for failure in summary.failures] == ["c.tsv"] and summary.rows == 2
    assert [rows_of(tmp_path, f"{name}.tsv")[0]["assay_quality_error"] for name in "ab"] == ["", ""]


def test_places_that_are_no_files_say_why(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        addresses = [
            ("/dev/null.tsv", "no such file"),
            ("/dev/null", "is no regular file"),
            (str(tmp_path), "is a folder; name its files"),
        ]
        if find_spec("aiohttp") is not None:
            addresses.append((f"http://127.0.0.1:{free.getsockname()[1]}/a.parquet", "Cannot connect to host"))
        for address, reason in addresses:
            with pytest.raises(InputError, match=reason):
                place_of(address)
