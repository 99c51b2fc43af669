"""`assay nbest tune-local` on slices of Multi30k's lists."""

import gzip
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.errors import InputError
from app.shell.program import program
from tests.conftest import SHARED

SETS = {"val": 20, "test_2016_flickr": 10}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = SHARED / "data"
    if not data.exists():
        pytest.skip("the shared data are not here")
    out = tmp_path_factory.mktemp("local")
    for name, count in SETS.items():
        with gzip.open(data / "multi30k-nbest" / f"{name}.nbest.gz", "rt", encoding="utf-8") as lines:
            (out / f"{name}.nbest").write_text("".join(line for line in lines if int(line.split(" ", 1)[0]) < count))
        for language in ("de", "en"):
            with gzip.open(data / "multi30k-de-en" / f"{name}.{language}.gz", "rt", encoding="utf-8") as lines:
                (out / f"{name}.{language}").write_text("".join(next(lines) for _ in range(count)))
    return out


def run(folder: Path, *more: str) -> Result:
    test = str(folder / "test_2016_flickr")
    lists = [str(folder / "val.nbest"), "-r", str(folder / "val.en"), "--source", str(folder / "val.de")]
    return CliRunner().invoke(
        program, ["nbest", "tune-local", *lists, "--test", f"{test}.nbest", "--test-source", f"{test}.de", "--seed", "2", *more]
    )


def test_a_line_for_each_sentence_and_weights_of_its_own(folder: Path) -> None:
    out = folder / "weights.json"
    printed = run(folder, "--out", str(out))
    assert printed.exit_code == 0, printed.output
    assert len(printed.stdout.splitlines()) == 10
    written = json.loads(out.read_text("utf-8"))
    assert written["format"] == "assay-local-weights"
    assert [row["segment"] for row in written["segments"]] == list(range(10))
    assert all(sum(abs(value) for (value,) in row["weights"].values()) == pytest.approx(1) for row in written["segments"])
    assert written["segments"][0]["weights"] != written["segments"][1]["weights"]
    card = written["card"]
    assert card["metric"].startswith("nrefs:1|") and card["data"]["segments"] == 20 and card["features"] == [*written["for_all"]]


def test_rerank_chooses_by_what_was_written(folder: Path) -> None:
    out, test = folder / "weights.json", folder / "test_2016_flickr"
    chosen = run(folder, "--out", str(out)).stdout
    rerank = ["nbest", "rerank", f"{test}.nbest", "--weights", str(out)]
    again = CliRunner().invoke(program, [*rerank, "--source", f"{test}.de"])
    assert (again.exit_code, again.stdout) == (0, chosen), again.output
    assert CliRunner().invoke(program, rerank).stdout == chosen
    other = CliRunner().invoke(program, ["nbest", "rerank", str(folder / "val.nbest"), "--weights", str(out)])
    assert isinstance(other.exception, InputError) and "not those of the 20 lists" in str(other.exception)
    lines = Path(f"{test}.de").read_text("utf-8").splitlines()
    (folder / "other.de").write_text("\n".join(lines[::-1]) + "\n", "utf-8")
    other = CliRunner().invoke(program, [*rerank, "--source", str(folder / "other.de")])
    assert isinstance(other.exception, InputError) and "--test-source" in str(other.exception)
    start = run(folder, "--start", str(out))
    assert isinstance(start.exception, InputError) and "use it with assay nbest rerank --weights" in str(start.exception)


def test_what_was_chosen_is_measured(folder: Path) -> None:
    measured = run(folder, "--test-reference", str(folder / "test_2016_flickr.en"), "--format", "json")
    assert measured.exit_code == 0, measured.output
    answer = json.loads(measured.stdout)
    assert answer["scores"].keys() == answer["intervals"].keys() == {"first", "for all", "by sentence"}
    assert answer["signature"].startswith("nrefs:1|")
    assert all(low <= answer["scores"][name] <= high for name, (low, high) in answer["intervals"].items())
    assert [row["text"] for row in answer["segments"]] == run(folder).stdout.splitlines()
    assert answer["notes"]["segments_without_pairs"] >= 0


@pytest.mark.parametrize("more", [["--method", "wro"], ["--method", "wro-local|rounds:2"], ["--out", "/nowhere/x"]])
def test_what_cannot_be_is_refused(folder: Path, more: list[str]) -> None:
    assert run(folder, *more).exit_code != 0


def test_sources_of_another_number_are_refused(folder: Path) -> None:
    (folder / "short").write_text("ein Satz\n")
    assert run(folder, "--source", str(folder / "short")).exit_code != 0
