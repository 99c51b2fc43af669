"""`benchmarks.smt.tuning.report`: every report in every form, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from app.errors import InputError
from benchmarks.smt.tuning.report import commands
from tests.smt.experiments.small_lists import small_lists

METRICS = ["-m", "bleu|tok:none", "-m", "ter"]
CHEAP = ["--method", "mert|restarts:0|directions:0", "--method", "resc-sum", "--runs", "2", *METRICS]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("lists")
    names = {}
    for seed, name in ((1, "dev"), (2, "test")):
        lists, references = small_lists(seed)
        rows = [{"segment": segment, **entry} for segment, row in enumerate(lists.as_json()) for entry in row]
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in references), encoding="utf-8")
        names[name] = [f"--{name}", str(folder / f"{name}.jsonl"), f"--{name}-reference", str(folder / f"{name}.txt")]
    return names


def report(*arguments: str) -> str:
    printed = CliRunner().invoke(commands, [*arguments], catch_exceptions=False)
    assert printed.exit_code == 0, printed.output
    return printed.stdout


def as_json(*arguments: str) -> Any:
    return json.loads(report(*arguments, "--format", "json"))


def test_the_spread_over_seeds(files: dict[str, list[str]]) -> None:
    answer = as_json("instability", *files["dev"], *files["test"], *CHEAP)
    assert all(signature.startswith("nrefs:1|") for signature in answer["signatures"].values()) and answer["signatures"]
    assert answer["report"] == "instability"
    assert [row["summary"]["system"] for row in answer["runs"]] == ["first", CHEAP[1], "resc-sum"] * 4
    assert {row["method"] for row in answer["weights"]} == {CHEAP[1], "resc-sum"}
    against = as_json("instability", *files["dev"], *files["test"], *CHEAP, "--baseline", "resc-sum")
    assert [row["summary"]["p_value"] is None for row in against["runs"][:3]] == [False, False, True]


def test_without_a_test_set_half_of_the_lists_is_one(files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    page = report("systems", *files["dev"], *CHEAP, "--oracle-metric", "sbleu", "--segments", "8", "--format", "markdown")
    assert page.startswith("### Systems\n\n| set | system | bleu\\|tok:none | ter | sbleu | on top, sbleu % |")
    assert page.count("| dev | baseline |") == page.count("| test | baseline |") == 1
    assert "### Best systems" in page


def test_metrics_against_one_another(files: dict[str, list[str]]) -> None:
    answer = as_json("metrics", *files["dev"], *files["test"], "--method", "resc-sum", "--runs", "1", *METRICS, "--towards", "ter")
    assert [row["towards"] for row in answer["resc-sum dev"]] == ["first", "ter"]
    assert set(answer["resc-sum test"][1]["scores"]) == {"bleu|tok:none", "ter"}
    against = as_json("metrics", *files["dev"], "--method", "resc-sum", "--runs", "1", *METRICS, "--baseline", "ter")
    assert [row["scores"]["ter"]["p_value"] is None for row in against["resc-sum test"]] == [False, False, True]
    table = report("metrics", *files["dev"], *files["test"], "--method", "resc-sum", "--runs", "1", *METRICS, "--format", "tsv")
    assert table.splitlines()[0] == "tuned towards\tbleu|tok:none\tter\tlength ratio"


def test_a_curve_and_its_chart(files: dict[str, list[str]], tmp_path: Path) -> None:
    chart = tmp_path / "curve.svg"
    amounts = ["--amount", "3", "--amount", "10", "--signal", "0,5", "--plot", str(chart)]
    answer = as_json("curve", *files["dev"], *files["test"], *CHEAP, "--by", "features", *amounts)
    assert [(row["method"], row["amount"]) for row in answer["curve"]] == [
        (CHEAP[1], 3),
        (CHEAP[1], 10),
        ("resc-sum", 3),
        ("resc-sum", 10),
    ]
    assert chart.read_text("utf-8").startswith("<svg") and "synthetic features" in chart.read_text("utf-8")


def test_pairs_are_a_table_that_training_reads(files: dict[str, list[str]]) -> None:
    lines = report("pairs", *files["dev"], "--count", "5", "--seed", "3", "--format", "tsv").splitlines()
    assert lines[0] == "translation\tother\treference" and len(lines) == 6
    assert all(line.count("\t") == 2 for line in lines)


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["instability", "--by", "size"], "--by"),
        (["systems", "--plot", "x.svg"], "--plot"),
        (["curve", "--baseline", "mert"], "--baseline"),
        (["curve", "--by", "words"], "--by"),
        (["metrics", "--count", "3"], "--count"),
        (["pairs", "--method", "mert"], "--method"),
        (["instability", "--test-reference", "x"], "--test-reference"),
        (["instability", "--method", "mert", "--method", "mert"], "method"),
        (["curve", "--plot", "/nowhere/x.svg"], "--plot"),
    ],
)
def test_what_a_report_has_no_use_for_is_refused(files: dict[str, list[str]], arguments: list[str], place: str) -> None:
    with pytest.raises(InputError) as refused:
        report(*arguments, *files["dev"], *METRICS) if arguments[0] != "pairs" else report(*arguments, *files["dev"])
    assert refused.value.where == (place,)


def test_features_of_the_test_set_are_taken_by_name(files: dict[str, list[str]], tmp_path: Path) -> None:
    """Another order of features changes nothing, nor does one more, where it may count nothing."""
    rows = [json.loads(line) for line in Path(files["test"][1]).read_text("utf-8").splitlines()]
    for row in rows:
        row["features"] = {"more": [3.0], **dict(reversed(row["features"].items()))}
    other = tmp_path / "other.jsonl"
    other.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    arguments = ["instability", *files["dev"], *CHEAP, *files["test"][2:]]
    with pytest.raises(InputError, match="feature more has no weight") as refused:
        report(*arguments, "--test", str(other))
    assert refused.value.code == "missing-weights"
    with_it = as_json(*arguments, "--missing-weights", "zero", "--test", str(other))
    assert with_it == as_json(*arguments, *files["test"][:2])


def test_lists_without_references_are_refused(files: dict[str, list[str]]) -> None:
    with pytest.raises(InputError) as refused:
        report("instability", *files["dev"][:2], *CHEAP)
    assert refused.value.code == "missing-evidence"
