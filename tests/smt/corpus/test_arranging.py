"""Lines in other order or number: beside what Python's own lists do, and files as they were."""

import gzip
import os
from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.building.gzip_files import check_read_again
from app.errors import InputError
from app.shell.program import program
from app.smt.corpus.arranging import Division, concatenate, cut, divide, sort_by_scores

QUICK = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), max_size=12)


def written(folder: Path, name: str, rows: list[tuple[str, str]]) -> list[Path]:
    paths = [folder / f"{name}{side}" for side in (0, 1)]
    for side, path in enumerate(paths):
        path.write_text("".join(f"{row[side]}\n" for row in rows))
    return paths


def rows_of(paths: list[Path]) -> list[tuple[str, ...]]:
    return list(zip(*(path.read_text().split("\n")[:-1] for path in paths), strict=True))


@QUICK
@given(ROWS, st.integers(-14, 14), st.none() | st.integers(-14, 14), st.integers(1, 4))
def test_a_slice_is_pythons(tmp_path: Path, rows: list[tuple[str, str]], start: int, stop: int | None, step: int) -> None:
    out = [tmp_path / "o0", tmp_path / "o1"]
    count = cut(written(tmp_path, "i", rows), out, start, stop, step)
    assert rows_of(out) == rows[start:stop:step] and count == len(rows[start:stop:step])


@QUICK
@given(ROWS, st.floats(0, 1), st.integers(0, 2**63 - 1))
def test_a_share_goes_by_what_rows_say(tmp_path: Path, rows: list[tuple[str, str]], share: float, seed: int) -> None:
    out, rest = [tmp_path / "o0", tmp_path / "o1"], [tmp_path / "r0", tmp_path / "r1"]
    counts = divide(written(tmp_path, "i", rows), out, rest, Division(share=share, seed=seed))
    taken, left = rows_of(out), rows_of(rest)
    assert not set(taken) & set(left) and counts == (len(taken), len(left))
    assert taken == [row for row in rows if row in taken] and left == [row for row in rows if row in left]
    if share in (0, 1):
        assert (left if share else taken) == []


@QUICK
@given(ROWS, st.data())
def test_lines_at_random_are_so_many(tmp_path: Path, rows: list[tuple[str, str]], data: st.DataObject) -> None:
    lines = data.draw(st.integers(0, len(rows)))
    numbered = [(f"{number}{one}", other) for number, (one, other) in enumerate(rows)]
    out, rest = [tmp_path / "o0", tmp_path / "o1"], [tmp_path / "r0", tmp_path / "r1"]
    divide(written(tmp_path, "i", numbered), out, rest, Division(lines=lines))
    taken, left = rows_of(out), rows_of(rest)
    assert len(taken) == lines and sorted([*taken, *left]) == sorted(numbered)
    assert taken == sorted(taken, key=numbered.index) and left == sorted(left, key=numbered.index)


def test_shares_are_near_what_was_asked(tmp_path: Path) -> None:
    rows = [(str(number), "x") for number in range(20_000)]
    taken, left = divide(written(tmp_path, "i", rows), [tmp_path / "o0", tmp_path / "o1"], [], Division(share=0.1))
    # Five deviations of a binomial.
    assert abs(taken - 2000) < 5 * (20_000 * 0.1 * 0.9) ** 0.5 and taken + left == len(rows)


@QUICK
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([-1.5, 0.0, -0.0, 2.0, float("inf")])), max_size=12), st.booleans()
)
def test_a_sorted_file_is_pythons(tmp_path: Path, rows: list[tuple[str, float]], best: bool) -> None:
    numbered = [(f"{number}{text}", str(score)) for number, (text, score) in enumerate(rows)]
    texts, scores = written(tmp_path, "i", numbered)
    sort_by_scores([texts, scores], scores, [tmp_path / "o0", tmp_path / "o1"], best)
    assert rows_of([tmp_path / "o0", tmp_path / "o1"]) == sorted(
        numbered, key=lambda row: -float(row[1]) if best else float(row[1])
    )


def test_files_are_whole_or_not_there(tmp_path: Path) -> None:
    one, other = tmp_path / "a.gz", tmp_path / "b"
    one.write_bytes(gzip.compress("ä\r\n\nlast".encode()))
    other.write_text("x\ny\n")
    out = tmp_path / "o.gz"
    assert concatenate([one, other], out) == 5
    assert gzip.decompress(out.read_bytes()) == "ä\r\n\nlast\nx\ny\n".encode()
    for work in (
        lambda: cut([one, other], [tmp_path / "p", tmp_path / "q"]),
        lambda: divide([one, other], [tmp_path / "p", tmp_path / "q"], [], Division(share=0.5)),
        lambda: divide([other], [tmp_path / "p"], [], Division(lines=3)),
        lambda: sort_by_scores([one], other, [tmp_path / "p"]),
        lambda: Division(),
    ):
        with pytest.raises(InputError):
            work()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gz", "b", "o.gz"]
    nan = tmp_path / "nan"
    nan.write_text("1\nnan\n")
    with pytest.raises(InputError, match="line 2"):
        sort_by_scores([other], nan, [tmp_path / "p"])
    nan.write_text("1\n")
    with pytest.raises(InputError, match="has 2 lines but"):
        sort_by_scores([other], nan, [tmp_path / "p"])


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "i", [("a", "x"), ("b", "y"), ("c", "z")])
    Path("scores").write_text("2\n3\n1\n")
    command = typer.main.get_command(program)
    for line, told in (
        ("corpus concatenate i0 i1 --out both", "wrote 6 lines"),
        ("corpus slice i0 i1 --out h0 --out h1 --stop 1", "wrote 1 line"),
        ("corpus slice i0 --out t0 --start -2", "wrote 2 lines"),
        ("corpus split i0 i1 --out d0 --out d1 --rest r0 --rest r1 --lines 1", "wrote 1 line, and 2 others"),
        ("corpus split i0 --out e0 --share 0", "wrote 0 lines, and left out 3 others"),
        ("corpus sort i0 i1 --by scores --out s0 --out s1 --best-first", "wrote 3 lines"),
    ):
        command.main(line.split(), standalone_mode=False)
        assert told in capsys.readouterr().err
    assert Path("s0").read_text() + Path("s1").read_text() == "b\na\nc\ny\nx\nz\n" and Path("t0").read_text() == "b\nc\n"
    for line, told in (
        ("corpus slice i0 i1 --out n0", "2 files to read and 1 to write"),
        ("corpus slice i0 i1 --out n0 --out n0", "are the same"),
        ("corpus split i0 i1 --out n0 --out n1 --rest n2 --lines 1", "2 files to read and 1 to write"),
        ("corpus sort i0 --by scores --out h0", "--replace overwrites"),
        ("corpus split i0 --out n0 --lines 1 --share 0.5", "--lines or --share"),
    ):
        with pytest.raises(InputError, match=told):
            command.main(line.split(), standalone_mode=False)


def test_a_pipe_is_not_read_twice(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for call in (
        lambda: cut([tmp_path / "pipe"], [tmp_path / "out"], -3),
        lambda: divide([tmp_path / "pipe"], [tmp_path / "out"], [], Division(lines=1)),
        lambda: check_read_again([tmp_path / "pipe"]),
    ):
        with pytest.raises(InputError, match="is a pipe"):
            call()
    assert not (tmp_path / "out").exists()


def test_a_device_stays_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    assert concatenate([tmp_path / "a"], Path("/dev/null")) == 1
    assert Path("/dev/null").is_char_device()


def test_numbers_are_written_as_everywhere(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\ny\n")
    (tmp_path / "by").write_text("1\n1_0\n")
    with pytest.raises(InputError, match="line 2 of"):
        sort_by_scores([tmp_path / "a"], tmp_path / "by", [tmp_path / "out"])
