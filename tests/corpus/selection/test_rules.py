"""Rules of pairs: each by an example, all against a loop, and files as they were."""

import gzip
from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.corpus.selection.pool import Pool
from app.corpus.selection.rules import Fault, Rules, filter_pairs
from app.errors import InputError
from app.shell.program import program


@pytest.mark.parametrize(
    ("rules", "source", "target", "fault"),
    [
        (Rules(), "a", "b", Fault.KEPT),
        (Rules(), "", "b", Fault.WORDS),
        (Rules(most=2), "a b", "a b c", Fault.WORDS),
        (Rules(), "a", "x " * 9, Fault.KEPT),
        (Rules(), "a", "x " * 10, Fault.RATIO),
        (Rules(ratio=1.5), "a b c", "a b", Fault.KEPT),
        (Rules(longest=3), "a bcde", "x", Fault.WORD),
        (Rules(copies=False), "a  b", "a b ", Fault.COPY),
        (Rules(letters=0.5), "ab 12", "cd ef", Fault.KEPT),
        (Rules(letters=0.5), "ab 123", "cd ef", Fault.LETTERS),
        (Rules(numbers=True), "am 3. Mai 2020", "2020 May 3", Fault.KEPT),
        (Rules(numbers=True), "1,000", "1 000", Fault.KEPT),
        (Rules(numbers=True), "12", "21", Fault.NUMBERS),
    ],
)
def test_each_rule(rules: Rules, source: str, target: str, fault: Fault) -> None:
    assert rules.judge(source, target) == fault
    assert rules.judge(target, source) == fault


TEXTS = st.lists(st.sampled_from(["a", "b", "1", "cc"]), max_size=4).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=20), st.integers(1, 3), st.booleans())
def test_kept_pairs_are_the_first_that_keep_all_rules(tmp_path: Path, rows: list[tuple[str, str]], most: int, unique: bool) -> None:
    for side, name in enumerate(("s", "t")):
        (tmp_path / name).write_text("".join(f"{row[side]}\n" for row in rows))
    rules = Rules(most=most, ratio=2, copies=False, numbers=True, repeated=not unique)
    expected: list[tuple[str, str]] = []
    for row in rows:
        if rules.judge(*row) == Fault.KEPT and not (unique and row in expected):
            expected.append(row)
    outputs = {name: tmp_path / f"out-{name}" for name in ("source", "target", "decisions")}
    made = filter_pairs(Pool(tmp_path / "s", tmp_path / "t"), rules, outputs)
    kept = zip(*((tmp_path / f"out-{name}").read_text().split("\n")[:-1] for name in ("source", "target")), strict=True)
    assert list(kept) == expected
    assert made.total == len(rows) and made.faults[Fault.KEPT] == len(expected)
    assert (tmp_path / "out-decisions").read_text().split().count("kept") == len(expected)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s").write_bytes(gzip.compress(b"a  b\nsame\na  b\n\n"))
    Path("t").write_text("x y\nsame\nx y\nz\n")
    command = typer.main.get_command(program)
    arguments = ["filter", "s", "t", "--out-source", "os.gz", "--out-target", "ot", "--no-copies", "--unique"]
    command.main(arguments, standalone_mode=False)
    assert gzip.decompress(Path("os.gz").read_bytes()) == b"a  b\n" and Path("ot").read_text() == "x y\n"
    told = capsys.readouterr().err
    assert "kept 1 of 4 pairs" in told and "left out 1 pair that were there before" in told
    for wrong, problem in (
        (arguments, r"os\.gz is there already"),
        (arguments[:3], "say what to write"),
        ([*arguments[:3], "--decisions", "d", "--min-words", "5", "--max-words", "3"], "sides have 1 word"),
        ([*arguments[:3], "--out-links", "l"], "--out-links"),
    ):
        with pytest.raises(InputError, match=problem):
            command.main(wrong, standalone_mode=False)
