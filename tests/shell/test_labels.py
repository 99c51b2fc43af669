"""Where labels stand in a table: under the heading that is named, else under one that says so, which is told."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.errors import InputError
from app.shell.commands import measuring, training
from app.shell.commands.server import serving
from app.shell.metric_training import MetricTraining, train_metric
from app.shell.program import program
from app.shell.scales import labels_of
from app.shell.segments import read_pairs
from app.text.reading.tables import Table

TEXTS = {"source": ["a", "b"], "translation": ["c", "d"]}
NUMBERS = ["1", "2"]


@pytest.mark.parametrize(
    ("headings", "label", "column", "taken"),
    [
        (["label"], "effort", None, None),
        (["effort", "label"], "effort", None, "label"),
        (["effort"], "effort", None, "effort"),
        (["grade", "other"], "grade", None, "grade"),
        (["da_z"], "da", None, "da_z"),
        (["da", "da_z"], "da", None, "da"),
        (["effort"], None, None, "effort"),
        (["label", "worse"], "effort", "worse", None),
        (["hter"], "hter", "HTER", None),
    ],
)
def test_the_heading_is_the_named_one_or_one_that_says_so(
    headings: list[str], label: str | None, column: str | None, taken: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = taken or (column or "label").lower()
    table = Table({**TEXTS, **{name: NUMBERS if name == wanted else ["x", "y"] for name in headings}})
    assert labels_of(table, "folder/t.tsv", label, column) == [1, 2]
    assert capsys.readouterr().err == (f"labels of t.tsv: the column {taken}\n" if taken else "")


@pytest.mark.parametrize(
    ("headings", "label", "said"),
    [
        (
            ["post_edit"],
            "hter",
            "t.tsv: there is no column label or hter; --label-column names the one of the labels; the columns are",
        ),
        (["effort"], "hter", "there is no column label or hter"),
        ([], None, "there is no column label; --label-column"),
        (["da_z", "z_mean"], "da", "2 columns could be the labels; --label-column"),
        (["hter", "da"], None, "2 columns could be the labels; --label-column"),
    ],
)
def test_where_no_heading_says_so_the_option_is_named(headings: list[str], label: str | None, said: str) -> None:
    with pytest.raises(InputError) as refused:
        labels_of(Table({**TEXTS, **dict.fromkeys(headings, NUMBERS)}), "t.tsv", label, None)
    assert said in str(refused.value)


class _Asked(Exception):
    """The request, in place of an answer."""


@pytest.mark.parametrize(
    "command",
    [
        ["train", "--label", "effort", "--lower-is-better", "--classes", "1,2,3", "--held-out", "FILE", "--also", "et-en=FILE"],
        ["train", "--label", "effort", "--lower-is-better", "--classes", "1,2,3", "--curve"],
        ["evaluate", "--label", "effort"],
        ["models", "select-features", "--label", "effort"],
    ],
)
def test_every_command_that_reads_labels_takes_the_column_of_their_name(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "effort.tsv"
    file.write_text("source\ttranslation\teffort\n" + "Casa este mare.\tThe house is big.\t2\n" * 3, "utf-8")

    def ask(*arguments: Any, **_: Any) -> Any:
        raise _Asked(arguments)

    for module in (training, measuring):
        monkeypatch.setattr(module, "answer_to", ask)
    monkeypatch.setattr(measuring, "selection_curve", ask)
    words = command[: command.index("--label")]
    options = [part.replace("FILE", str(file)) for part in command[len(words) :]]
    done = CliRunner().invoke(program, [*words, str(file), "--pair", "ro-en", *options])
    assert isinstance(done.exception, _Asked)
    files = sum("effort.tsv" in part for part in options) + 1
    assert done.stderr == "labels of effort.tsv: the column effort\n" * files


def test_a_metric_names_the_option_too(tmp_path: Path) -> None:
    file = tmp_path / "judged.tsv"
    file.write_text("translation\treference\tscore\na\tb\t1\n")
    with pytest.raises(InputError, match="--label-column"):
        train_metric(MetricTraining("rose", str(file), "en"))


def test_tables_of_models_say_which_way_is_better(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "effort.tsv"
    file.write_text("source\ttranslation\teffort\nCasa.\tHouse.\t2\n", "utf-8")
    ways = {"high": "higher is better", "low": "lower is better"}
    measured = {"accuracy": {"pearson": 0.5}, "accuracy_intervals": {"pearson": [0.4, 0.6]}, "negative_log_density": 1.0}
    answer = {"models": [{"model": name, "direction": way, "calibration": [], **measured} for name, way in ways.items()]}
    monkeypatch.setattr(measuring, "answer_to", lambda *_: answer)
    card = {"pair": "ro-en", "label": "effort", "learner": "gp", "features": [], "accuracy": {}}
    monkeypatch.setattr(serving, "_cards", lambda _: [{"id": name, "direction": way, **card} for name, way in ways.items()])
    for command in (["evaluate", str(file), "--pair", "ro-en"], ["models", "list"]):
        heading, *lines = CliRunner().invoke(program, [*command, "--format", "tsv"]).stdout.splitlines()
        place = heading.split("\t").index("direction")
        assert {line.split("\t")[0]: line.split("\t")[place] for line in lines} == ways


@pytest.mark.parametrize("separator", ["\t", ",", ";"])
def test_labels_stand_in_tables_of_every_kind(separator: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As spreadsheets save them: cells between tabs, commas or semicolons, decimals behind points or commas."""
    scores = ["0.5", "1.0"] if separator == "," else ["0,5", "1"]
    rows = [["source", "translation", "Note"], ["casa mare", "big house", scores[0]], ["o casă", "a house", scores[1]]]
    file = tmp_path / "table.csv"
    file.write_text("".join(separator.join(row) + "\n" for row in rows), "utf-8")
    assert labels_of(read_pairs([str(file)], pair="ro-en"), str(file), "grade", "Note") == [0.5, 1.0]


def test_commas_stand_before_decimals_unless_points_do() -> None:
    assert Table({"a": ["0,5", "-1", "2,25"]}).numbers("a") == [0.5, -1, 2.25]
    for cells in (["0,5", "0.5"], ["1,000,5"], ["1.000,5"]):
        with pytest.raises(InputError, match=r"the cell of row [0-9]+ is not a finite number"):
            Table({"a": cells}).numbers("a")
