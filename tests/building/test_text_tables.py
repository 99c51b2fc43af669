"""Columns of tables as texts: tabs against Python's own csv, Parquet against pyarrow where that is installed."""

import csv
import gzip
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from app.building.line_files import read_lines
from app.building.text_tables import check_table, table_aside
from app.errors import InputError
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.filtering import filter_pairs
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.rules import WordCount
from app.smt.corpus.selection.selecting import SelectionFiles, select_data

ROWS = [
    ("id", "de", "en"),
    ("1", "das haus", "the house"),
    ("2", "ein  haus ", "a house"),
    ("3", "", "x"),
    ("4", "das haus", "the house"),
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.tsv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE).writerows(ROWS)
    return path


def lines(path: Path) -> list[str]:
    with ExitStack() as stack:
        return [line.decode().removesuffix("\n") for line in read_lines(path, stack)]


def test_a_column_by_its_name_or_place(table: Path) -> None:
    assert lines(Path(f"{table}:en")) == [row[2] for row in ROWS[1:]]
    assert lines(Path(f"{table}:2")) == [row[1] for row in ROWS]
    packed = table.with_name("packed")
    packed.write_bytes(gzip.compress(table.read_bytes().replace(b"\n", b"\r\n")))
    assert lines(Path(f"{packed}:de")) == [row[1] for row in ROWS[1:]]
    # A file that is called so is one.
    table.with_name("corpus.tsv:en").write_text("own\n")
    assert lines(Path(f"{table}:en")) == ["own"]


@pytest.mark.parametrize(
    ("content", "column", "told"),
    [
        ("a\tb\nx\ty\nz\n", "a", "line 3 of .* has 1 columns, the first has 2"),
        ("a\tb\n", "c", "has no column c; its columns are a, b, or 1 to 2"),
        ("a\tb\n", "3", "has no column 3"),
        ("a\tb\n", "0", "has no column 0"),
        ("a\ta\n", "a", "more than one column a"),
    ],
)
def test_bad_tables_are_refused_with_their_line(tmp_path: Path, content: str, column: str, told: str) -> None:
    (tmp_path / "t").write_text(content)
    with pytest.raises(InputError, match=told) as refused:
        lines(tmp_path / f"t:{column}")
    assert refused.value.code == "invalid-table"


def test_filter_and_selection_from_a_table_into_one(table: Path, tmp_path: Path) -> None:
    pool = Pool(Path(f"{table}:de"), Path(f"{table}:en"))
    out = tmp_path / "out.tsv.gz"
    filter_pairs(pool, [WordCount()], {"table": out}, unique=True)
    assert gzip.decompress(out.read_bytes()).decode() == "source\ttarget\ndas haus\tthe house\nein  haus \ta house\n"
    chosen = tmp_path / "chosen.tsv"
    for best_first in (False, True):
        select_data(pool, "random", Budget(pairs=2), SelectionFiles(table=chosen, source=tmp_path / "s"), best_first=best_first)
        with chosen.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
        assert [row["source"] for row in rows] == (tmp_path / "s").read_text().splitlines() and len(rows) == 2
        assert all((row["source"], row["target"]) in {pair[1:] for pair in ROWS} for row in rows)


def test_a_tab_in_a_text_leaves_no_table(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\ty\n")
    with pytest.raises(InputError, match="has a tab"):
        filter_pairs(Pool(tmp_path / "a", tmp_path / "a"), [], {"table": tmp_path / "out.tsv"})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    with pytest.raises(InputError, match=r"ends in \.tsv, \.tsv\.gz, \.parquet"):
        check_table(tmp_path / "out.csv", "--out-table")


def test_parquet_without_pyarrow_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("app.running.extras.import_module", lacking)
    (tmp_path / "p").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"pip install 'assay\[parquet\]'"):
        lines(tmp_path / "p:1")
    with pytest.raises(InputError, match=r"pip install 'assay\[parquet\]'"):
        check_table(tmp_path / "out.parquet", "--out-table")


def test_parquet_in_and_out(tmp_path: Path) -> None:
    pyarrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    columns = {
        "de": ["das haus", "mit\ttab", "ein haus"],
        "en": ["the house", "with tab", "a house"],
        "n": [1, 2, 3],
        "none": ["x", None, "y"],
    }
    path, out = tmp_path / "corpus.parquet", tmp_path / "out.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    assert lines(Path(f"{path}:de")) == columns["de"] and lines(Path(f"{path}:2")) == columns["en"]
    filter_pairs(Pool(Path(f"{path}:de"), Path(f"{path}:en")), [], {"table": out})
    assert parquet.read_table(out).to_pydict() == {"source": columns["de"], "target": columns["en"]}
    for column, told in (("n", "row 1 of .* has no text in n"), ("none", "row 2 of"), ("zz", "no column zz")):
        with pytest.raises(InputError, match=told):
            lines(Path(f"{path}:{column}"))
    # Long texts come in small batches, and one text in many rows is in memory once: 2,000 rows of it would be 2 GB.
    large = ["x" * 1_000_000 + str(k % 40) for k in range(120)]
    parquet.write_table(pyarrow.table({"a": large}), tmp_path / "large.parquet", compression="zstd")
    assert lines(Path(f"{tmp_path}/large.parquet:a")) == large
    repeated = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0] * 2_000, "int32"), pyarrow.array(["y" * 1_000_000]))
    parquet.write_table(pyarrow.table({"a": repeated}), tmp_path / "repeated.parquet")
    del repeated
    before = pyarrow.default_memory_pool().bytes_allocated()
    with ExitStack() as stack:
        rows = read_lines(Path(f"{tmp_path}/repeated.parquet:a"), stack)
        sizes = {(len(line), pyarrow.default_memory_pool().bytes_allocated() - before < 100_000_000) for line in rows}
    assert sizes == {(1_000_001, True)}
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="damaged"):
        lines(Path(f"{path}:de"))
    with table_aside(out, ("a",)) as write:
        write([[]])
    assert parquet.read_table(out).to_pydict() == {"a": []}
